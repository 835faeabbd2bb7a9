"""PodDisruptionBudgets, and the numbers of evictions that they allow."""

from typing import Any, Final, NamedTuple

from memkube.ui.reading import Reading, in_namespace

_POLICY: Final = "/apis/policy/v1"


class Budget(NamedTuple):
    """A PodDisruptionBudget with the numbers of pods in its status."""

    namespace: str
    name: str
    healthy: int
    """Number of healthy pods (``status.currentHealthy``)."""
    desired: int
    """Minimum number of healthy pods (``status.desiredHealthy``)."""
    expected: int
    """Number of pods that the budget covers (``status.expectedPods``)."""
    allowed: int
    """Number of pods that may be evicted now (``status.disruptionsAllowed``)."""
    disrupted: int
    """Number of pods whose eviction was allowed, and that still exist."""

    @property
    def path(self) -> str:
        """Path of the PodDisruptionBudget in the API."""
        return f"{_POLICY}/namespaces/{self.namespace}/poddisruptionbudgets/{self.name}"

    @property
    def tone(self) -> str:
        """``good`` if pods may be evicted, ``waiting`` if none may, ``bad`` if too few pods are healthy."""
        return "good" if self.allowed else "bad" if self.healthy < self.desired else "waiting"


async def budgets_of(reading: Reading, namespace: str) -> list[Budget]:
    """Return the PodDisruptionBudgets of a namespace, or of all namespaces if `namespace` is empty.

    `reading` gets them from the API, as of the revision that the page shows.
    """
    return [_budget(one) for one in await reading.items(in_namespace(_POLICY, "poddisruptionbudgets", namespace))]


def _budget(document: Any) -> Budget:
    metadata, status = document["metadata"], document.get("status") or {}
    return Budget(
        metadata["namespace"],
        metadata["name"],
        healthy=int(status.get("currentHealthy") or 0),
        desired=int(status.get("desiredHealthy") or 0),
        expected=int(status.get("expectedPods") or 0),
        allowed=int(status.get("disruptionsAllowed") or 0),
        disrupted=len(status.get("disruptedPods") or {}),
    )
