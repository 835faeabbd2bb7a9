"""From a pod to a node (``schedule_one.go``: schedulePod)."""

from typing import NamedTuple

from memkube.controllers.scheduler.choice import best_node
from memkube.controllers.scheduler.filtering import Filtering
from memkube.controllers.scheduler.framework import Impossible, Rejection, Situation
from memkube.controllers.scheduler.misfit import Misfit


class Unschedulable(Exception):
    """A pod fits nowhere."""

    def __init__(self, misfit: Misfit, filtering: Filtering | None) -> None:
        super().__init__()
        self.misfit = misfit
        self.filtering = filtering
        """What rules nodes out; None where none came into question."""


class Decision(NamedTuple):
    """Where a pod is to run."""

    node: str
    next_start: int
    """Where the search for the next pod's node begins."""


def decide(situation: Situation, start: int) -> Decision:
    """The node for a pod; the one that it was promised comes first. Raises Unschedulable."""
    cluster, pod = situation.cluster, situation.pod
    number = len(cluster.nodes)
    if not number:
        raise Unschedulable(Misfit(0), None)
    try:
        filtering = Filtering(situation)
    except Impossible as error:
        rejection = Rejection(error.rule, (error.message,), resolvable=False)
        raise Unschedulable(Misfit(number, impossible=rejection), None) from None
    promised = cluster.node(cluster.nominations.node_of(pod.uid))
    if promised is not None and filtering.rejects(promised) is None:
        return Decision(promised.name, start)
    fitting, misfit, next_start = filtering.find(start)
    if not fitting:
        raise Unschedulable(misfit, filtering)
    return Decision(best_node(situation, fitting).name, next_start)
