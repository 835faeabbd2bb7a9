"""Resources that are not left on a node (``plugins/noderesources/fit.go``)."""

from collections.abc import Iterator
from typing import Final

from memkube.controllers.scheduler.framework import Check, Rejection, Rule, Situation
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.resources import Resources

NAME: Final = "NodeResourcesFit"


class _Fit(Check):
    def __init__(self, wanted: Resources) -> None:
        self._wanted = wanted
        self._cpu, self._memory = wanted.cpu, wanted.memory
        self._has_more = bool(wanted.ephemeral_storage or wanted.scalars)

    def rejects(self, node: NodeInfo) -> Rejection | None:
        facts, requested = node.facts, node.requested
        allocatable = facts.allocatable
        if (
            len(node.pods) < facts.pods
            and (not self._cpu or self._cpu <= allocatable.cpu - requested.cpu)
            and (not self._memory or self._memory <= allocatable.memory - requested.memory)
            and not (self._has_more and any(_lacking(self._wanted, node)))
        ):
            return None
        return self._rejection(node)

    def _rejection(self, node: NodeInfo) -> Rejection:
        lacking = list(_lacking(self._wanted, node))
        reasons = [] if len(node.pods) < node.facts.pods else ["Too many pods"]
        reasons += [f"Insufficient {name}" for name, _ in lacking]
        return Rejection(NAME, tuple(reasons), resolvable=all(enough_in_all for _, enough_in_all in lacking))


def fits(wanted: Resources, node: NodeInfo) -> bool:
    """Whether a node has enough of everything left."""
    return _Fit(wanted).rejects(node) is None


def _lacking(wanted: Resources, node: NodeInfo) -> Iterator[tuple[str, bool]]:
    """What is not left, and whether the empty node would have enough of it."""
    allocatable, requested = node.facts.allocatable, node.requested
    amounts = [
        ("cpu", wanted.cpu, allocatable.cpu, requested.cpu),
        ("memory", wanted.memory, allocatable.memory, requested.memory),
        ("ephemeral-storage", wanted.ephemeral_storage, allocatable.ephemeral_storage, requested.ephemeral_storage),
    ]
    for name, amount in wanted.scalars.items():
        amounts.append((name, amount, allocatable.scalars.get(name, 0), requested.scalars.get(name, 0)))
    for name, amount, there, taken in amounts:
        if amount and amount > there - taken:
            yield name, amount <= there


def _prepare(situation: Situation) -> Check | None:
    return _Fit(situation.pod.requests.resources)


RULE: Final = Rule(NAME, _prepare)
