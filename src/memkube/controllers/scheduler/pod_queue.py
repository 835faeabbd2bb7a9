"""Pods that wait for a node (``backend/queue/scheduling_queue.go``).

=======  =========================================================================================
active   to be dealt with, by priority and age
backoff  tried in vain not long ago; dealt with when their time has come, or no other pod is active
failed   something went wrong; dealt with when their time has come
parked   fit nowhere: come back when something changes that may help, or after five minutes
=======  =========================================================================================
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final, TypeAlias

from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.registry.clock import Clock

_FIRST_DELAY: Final = 1.0
_LONGEST_DELAY: Final = 10.0
_LONGEST_PARKED: Final = timedelta(minutes=5)


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
        """The place in a heap that counts; others are left over."""


_Heap: TypeAlias = list[tuple[Any, Any, int, QueuedPod]]


class PodQueue:
    """Hands out one pod after another. `on_ready` is called when there is one to hand out."""

    def __init__(self, clock: Clock, on_ready: Callable[[], None]) -> None:
        self._clock = clock
        self._on_ready = on_ready
        self._pods: dict[str, QueuedPod] = {}
        self._tickets = count(1)
        self._active: _Heap = []
        self._backoff: _Heap = []
        self._parked: dict[str, QueuedPod] = {}
        """The one that has been parked longest is first."""
        self._is_flush_arranged = False

    def add(self, pod: PodInfo) -> None:
        """A new pod."""
        self.remove(pod.uid)
        queued = self._pods[pod.uid] = QueuedPod(pod, self._clock.now())
        self._activate(queued)

    def get(self, uid: str) -> QueuedPod | None:
        """A pod that waits, or is being dealt with."""
        return self._pods.get(uid)

    def remove(self, uid: str) -> None:
        """A pod that is gone, or has a node."""
        queued = self._pods.pop(uid, None)
        if queued is not None:
            self._parked.pop(uid, None)
            queued.ticket = 0

    def pop(self) -> QueuedPod | None:
        """The next pod, if there is one: from now on it is being dealt with."""
        now = self._clock.now()
        while (first := _peek(self._backoff)) is not None and self._backoff[0][0] <= now:
            self._activate(first)
        heap = self._active if _peek(self._active) is not None else self._backoff
        queued = _peek(heap)
        if queued is not None:
            heappop(heap)
            queued.ticket = 0
        return queued

    def has_ready(self) -> bool:
        """Whether there is a pod to hand out."""
        return _peek(self._active) is not None or _peek(self._backoff) is not None

    def park(self, queued: QueuedPod, rejected_by: frozenset[str]) -> None:
        """Takes back a pod that fits nowhere."""
        if self._pods.get(queued.pod.uid) is not queued:
            return
        queued.misfits += 1
        queued.failures = 0
        queued.rejected_by = rejected_by
        queued.since = self._clock.now()
        self._parked[queued.pod.uid] = queued
        self._arrange_flush()

    def retry(self, queued: QueuedPod) -> None:
        """Takes back a pod with which something went wrong."""
        if self._pods.get(queued.pod.uid) is not queued:
            return
        queued.failures += 1
        queued.since = self._clock.now()
        ticket = queued.ticket = next(self._tickets)

        def come_back() -> None:
            if queued.ticket == ticket:
                self._activate(queued)

        self._clock.call_at(queued.since + _delay(queued.failures), come_back)

    @property
    def parked(self) -> Sequence[QueuedPod]:
        """The pods that fit nowhere as things are."""
        return list(self._parked.values())

    def unpark(self, queued: QueuedPod) -> None:
        """Has a parked pod tried again; nothing happens to one that is not parked."""
        if self._parked.pop(queued.pod.uid, None) is None:
            return
        ready_at = queued.since + _delay(queued.misfits)
        if ready_at <= self._clock.now():
            self._activate(queued)
            return
        ticket = queued.ticket = next(self._tickets)
        heappush(self._backoff, (ready_at, -queued.pod.priority, ticket, queued))
        self._on_ready()

    def _activate(self, queued: QueuedPod) -> None:
        ticket = queued.ticket = next(self._tickets)
        heappush(self._active, (-queued.pod.priority, queued.since, ticket, queued))
        self._on_ready()

    def _arrange_flush(self) -> None:
        if not self._is_flush_arranged and self._parked:
            oldest = next(iter(self._parked.values()))
            self._is_flush_arranged = True
            self._clock.call_at(oldest.since + _LONGEST_PARKED, self._flush)

    def _flush(self) -> None:
        self._is_flush_arranged = False
        due = self._clock.now() - _LONGEST_PARKED
        for queued in self.parked:
            if queued.since > due:
                break
            self.unpark(queued)
        self._arrange_flush()


def _peek(heap: _Heap) -> QueuedPod | None:
    """The first one in a heap, once what is left over there is gone."""
    while heap and heap[0][2] != heap[0][3].ticket:
        heappop(heap)
    return heap[0][3] if heap else None


def _delay(attempts: int) -> timedelta:
    # Beyond this exponent every delay is the longest one.
    return timedelta(seconds=min(_FIRST_DELAY * 2 ** min(attempts - 1, 8), _LONGEST_DELAY))
