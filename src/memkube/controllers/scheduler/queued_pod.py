"""A pod that waits for a node."""

from datetime import datetime

from memkube.controllers.scheduler.pod_info import PodInfo


class QueuedPod:
    """A pod with the story of its attempts."""

    __slots__ = ("failures", "misfits", "pod", "rejected_by", "since", "ticket")

    def __init__(self, pod: PodInfo, now: datetime) -> None:
        self.pod = pod
        self.since = now
        """When it came into the queue, or came back."""
        self.misfits = 0
        """How often it fitted nowhere."""
        self.failures = 0
        """How often in a row something went wrong."""
        self.rejected_by: frozenset[str] = frozenset()
        """The rules that were in the way the last time."""
        self.ticket = 0
        """Its place in a heap; what has another ticket there is left over."""
