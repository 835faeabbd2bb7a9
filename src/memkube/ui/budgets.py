"""PodDisruptionBudgets with their head-room."""

from typing import Any, Final, NamedTuple

from memkube.ui.reading import Reading, in_namespace

_POLICY: Final = "/apis/policy/v1"


class Budget(NamedTuple):
    """A PodDisruptionBudget with the numbers of its status."""

    namespace: str
    name: str
    healthy: int
    """Number of healthy pods."""
    desired: int
    """Number of healthy pods that are needed."""
    expected: int
    """Number of pods that the budget counts."""
    allowed: int
    """Number of pods that may be disrupted."""
    disrupted: int
    """Number of pods that are being evicted."""

    @property
    def path(self) -> str:
        """The path of the budget in the API."""
        return f"{_POLICY}/namespaces/{self.namespace}/poddisruptionbudgets/{self.name}"

    @property
    def tone(self) -> str:
        """``good`` if pods may be disrupted, ``waiting`` if none may, ``bad`` if too few are healthy."""
        return "good" if self.allowed else "bad" if self.healthy < self.desired else "waiting"


async def budgets_of(reading: Reading, namespace: str) -> list[Budget]:
    """Return the budgets of a namespace, or of all."""
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
