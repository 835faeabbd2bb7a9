"""What rules and scores are (``pkg/scheduler/framework/interface.go``)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.surroundings import Surroundings


class Rejection(NamedTuple):
    """Why a pod cannot run on a node."""

    rule: str
    reasons: tuple[str, ...]
    resolvable: bool
    """Whether the eviction of other pods may help."""


class Impossible(Exception):
    """A pod can run on no node at all, whatever is on them; the message says why."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message


class Situation(NamedTuple):
    """What a decision about a pod is made from."""

    pod: PodInfo
    cluster: Cluster
    surroundings: Surroundings


class Check:
    """A rule as it applies to one pod.

    What it knows about other pods can be changed, to try out how things would be with more or fewer of them.
    """

    only_nodes: frozenset[str] | None = None
    """The names of the nodes that come into question at all, where a rule knows them."""

    def rejects(self, node: NodeInfo) -> Rejection | None:
        """Why the pod cannot run on a node, if it cannot."""
        raise NotImplementedError

    def pod_added(self, pod: PodInfo, node: NodeInfo) -> None:
        """Supposes that a node had one pod more."""

    def pod_removed(self, pod: PodInfo, node: NodeInfo) -> None:
        """Supposes that a node had one pod less."""

    def copy(self) -> Self:
        """The same check, to suppose things apart."""
        return self


class Rule(NamedTuple):
    """What may rule nodes out. The name is that of the reference's plugin, which messages contain."""

    name: str
    prepare: Callable[[Situation], Check | None]
    """The check for a pod; None where no node can fail it. Raises Impossible."""


class Score(NamedTuple):
    """What may make nodes better than others."""

    weight: int
    score: Callable[[Situation, Sequence[NodeInfo]], Sequence[int] | None]
    """From 0 to 100 for each node; None where all are equal."""
