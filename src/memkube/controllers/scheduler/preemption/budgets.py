"""Which pods disruption budgets would rather keep (``default_preemption.go``: filterPodsWithPDBViolation)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memkube.controllers.informer import Informer
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import Selector
from memkube.registry.stored import StoredObject


class _Budget(NamedTuple):
    namespace: str
    selector: Selector
    allowed: int
    disrupted: frozenset[str]
    """Pods whose loss is counted already."""

    @classmethod
    def of(cls, stored: StoredObject) -> "_Budget":
        spec, status = stored.document.get("spec") or {}, stored.document.get("status") or {}
        disrupted = frozenset(status.get("disruptedPods") or ())
        selector = Selector.of(spec.get("selector"))
        return cls(stored.namespace, selector, status.get("disruptionsAllowed", 0), disrupted)

    def counts(self, pod: PodInfo) -> bool:
        """Whether the loss of a pod is one more."""
        if pod.namespace != self.namespace or pod.name in self.disrupted or not pod.labels:
            return False
        return not self.selector.is_everything and self.selector.matches(pod.labels)


class Budgets:
    """All disruption budgets as they are."""

    def __init__(self, informer: Informer) -> None:
        self._budgets = [_Budget.of(stored) for stored in informer]

    def split(self, pods: Iterable[PodInfo]) -> tuple[Sequence[PodInfo], Sequence[PodInfo]]:
        """Those of the pods that are beyond what budgets allow, counted in their order; and the others."""
        left = [budget.allowed for budget in self._budgets]
        violating: list[PodInfo] = []
        others: list[PodInfo] = []
        for pod in pods:
            violates = False
            for index, budget in enumerate(self._budgets):
                if budget.counts(pod):
                    left[index] -= 1
                    violates = violates or left[index] < 0
            (violating if violates else others).append(pod)
        return violating, others
