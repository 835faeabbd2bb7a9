"""Why a pod fits nowhere, in the reference's words (``framework/types.go``: FitError)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from memkube.controllers.scheduler.framework import Rejection

NO_NODES: Final = "no nodes available to schedule pods"


@dataclass(slots=True)
class Misfit:
    """What was found out about the nodes."""

    number_of_nodes: int
    rejections: Mapping[str, Rejection] = field(default_factory=dict)
    """By node."""
    others: Rejection | None = None
    """Why the nodes that are not among them were not even looked at."""
    impossible: Rejection | None = None
    """What made looking at nodes pointless."""

    @property
    def rejected_by(self) -> frozenset[str]:
        """The rules that were in the way."""
        if not self.number_of_nodes:
            return frozenset({NO_NODES})
        all_of_them = [*self.rejections.values(), self.others, self.impossible]
        return frozenset(rejection.rule for rejection in all_of_them if rejection is not None)

    def message(self, afterwards: str = "") -> str:
        """What is told about it, and about what came of evicting others."""
        if not self.number_of_nodes:
            return NO_NODES
        parts = [f"0/{self.number_of_nodes} nodes are available:"]
        if self.impossible is not None:
            # What follows is what a plugin answers that was never asked to prepare for the pod.
            parts.append(f"{', '.join(self.impossible.reasons)}. not found")
        elif reasons := self._reasons():
            parts.append(f"{', '.join(reasons)}.")
        if afterwards:
            parts.append(afterwards)
        return " ".join(parts)

    def _reasons(self) -> list[str]:
        numbers = Counter(reason for rejection in self.rejections.values() for reason in rejection.reasons)
        if self.others is not None and len(self.rejections) < self.number_of_nodes:
            for reason in self.others.reasons:
                numbers[reason] += self.number_of_nodes - len(self.rejections)
        return sorted(f"{number} {reason}" for reason, number in numbers.items())
