"""Which object a uid may stand for, when the first that somebody meant by it does not exist."""

from collections.abc import Iterable

from memkube.controllers.garbage_collector.graph import Node
from memkube.controllers.garbage_collector.identity import Identity


def alternative(dependents: Iterable[Node], absent: Identity) -> Identity | None:
    """The next identity that dependents give to the uid of `absent`; they are tried in turn, in their order."""
    beliefs = sorted(_beliefs(dependents, absent))
    return next((belief for belief in beliefs if belief > absent), beliefs[0] if beliefs else None)


def _beliefs(dependents: Iterable[Node], absent: Identity) -> set[Identity]:
    beliefs: set[Identity] = set()
    for dependent in dependents:
        for reference in dependent.owners:
            if reference["uid"] != absent.uid:
                continue
            belief = Identity.referred_to(reference, dependent.identity.namespace)
            cluster_scoped = absent.namespace == "" and belief[:2] == absent[:2]
            beliefs.add(belief._replace(namespace="") if cluster_scoped else belief)
    return beliefs - {absent}
