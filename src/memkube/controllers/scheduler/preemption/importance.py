"""Which of several pods it would be worst to lose (``util/utils.go``: MoreImportantPod)."""

from collections.abc import Sequence
from datetime import datetime

from memkube.apimachinery.time import Time
from memkube.controllers.scheduler.pod_info import PodInfo


class Importance:
    """Compares pods by priority, then by how long they have been running."""

    def __init__(self, now: datetime) -> None:
        self._now = now.timestamp()

    def rank(self, pod: PodInfo) -> tuple[int, float]:
        """Smaller for more important pods."""
        return -pod.priority, self._started(pod)

    def earliest_start(self, pods: Sequence[PodInfo]) -> float:
        """When the first of the pods with the highest priority began to run; the most important pod is first."""
        return min(self._started(pod) for pod in pods if pod.priority == pods[0].priority)

    def _started(self, pod: PodInfo) -> float:
        start = pod.stored.document["status"].get("startTime")
        return self._now if start is None else Time(start).instant.timestamp()
