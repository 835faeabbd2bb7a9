"""Pods that wait to be scheduled (``backend/queue/scheduling_queue.go``).

=======  ===============================================================================================
active   ready to be tried, in the order of priority and age
backoff  fitted on no node; tried again after the back-off, or earlier if no pod is active
failed   an error occurred; tried again after the back-off
parked   fits on no node; tried again after a change that may help, or after five minutes
=======  ===============================================================================================
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import instant
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.time.clock import Clock

_FIRST_DELAY: Final = 1.0
_LONGEST_DELAY: Final = 10.0
_LONGEST_PARKED: Final = timedelta(minutes=5)
_WINDOW: Final = timedelta(seconds=1)
"""Back-offs end at whole seconds. Of the pods whose back-off ends in the same second, the most important is first."""


class QueuedPod:
    """A pod in the scheduling queue, with the number of its failed attempts and the plugins that rejected it last."""

    __slots__ = ("failures", "pod", "rejected_by", "since", "ticket", "unschedulable_count")

    def __init__(self, pod: PodInfo, now: datetime) -> None:
        self.pod = pod
        self.since = now
        """Time at which the pod was queued last."""
        self.unschedulable_count = 0
        """Number of attempts in which the pod fitted on no node."""
        self.failures = 0
        """Number of consecutive attempts that ended with an error."""
        self.rejected_by: frozenset[str] = frozenset()
        """Names of the plugins that rejected nodes in the last attempt."""
        self.ticket = 0
        """Number of the pod's valid heap entry. Heap entries of the pod with other numbers are outdated."""


_Heap: TypeAlias = list[tuple[tuple[Any, ...], int, QueuedPod]]
"""Heap of pods with their sort keys and tickets."""


class PodQueue:
    """Priority queue of the pods that wait to be scheduled.

    `wake` is called with the number of seconds until the next pod can be tried. `gate` takes a pod. It returns the name
    of the PreEnqueue plugin that does not let the pod be scheduled yet, or an empty text.
    """

    def __init__(self, clock: Clock, wake: Callable[[float], None], gate: Callable[[PodInfo], str]) -> None:
        self._clock = clock
        self._wake = wake
        self._gate = gate
        self._pods: dict[str, QueuedPod] = {}
        self._tickets = count(1)
        self._active: _Heap = []
        self._backoff: _Heap = []
        self._failed: _Heap = []
        self._unschedulable = UnschedulablePods()
        self._left: dict[str, Document] = {}
        """Saved state of pods from before a restart or restore, by uid."""

    def saved(self) -> list[Document]:
        """Return JSON data, for a snapshot, about the pods in the queue whose scheduling has failed before."""
        tried = [queued for queued in self._pods.values() if queued.unschedulable_count or queued.failures]
        return [
            {
                "uid": queued.pod.uid,
                "since": queued.since,
                "misfits": queued.unschedulable_count,
                "failures": queued.failures,
                "rejectedBy": sorted(queued.rejected_by),
                "parked": self._unschedulable.has(queued),
            }
            for queued in tried
        ]

    def restore(self, saved: Iterable[Document]) -> None:
        """Keep `saved`, the result of the method `saved`, until `resume` applies it to the pods added meanwhile.

        Raises KeyError if an entry has no uid. Other errors in the data are only found by `resume`.
        """
        self._left = {one["uid"]: one for one in saved}

    def add(self, pod: PodInfo) -> None:
        """Queue a pod for its first scheduling attempt. A pod with restored state is queued by `resume` instead."""
        self.remove(pod.uid)
        queued = self._pods[pod.uid] = QueuedPod(pod, self._clock.now())
        if pod.uid in self._left or self._park_if_gated(queued):
            return
        self._activate(queued)
        self._wake(0)

    def resume(self) -> None:
        """Queue the pods with restored state. This is called when all objects are known after a restart or restore."""
        for uid, left in self._left.items():
            queued = self._pods.get(uid)
            if queued is None:
                continue
            queued.since = instant(left["since"])
            queued.unschedulable_count, queued.failures = left["misfits"], left["failures"]
            queued.rejected_by = frozenset(left["rejectedBy"])
            if left["parked"]:
                self._unschedulable.add(queued)
            else:
                self._fail(queued, queued.failures or queued.unschedulable_count)
        self._left = {}
        self.wake_for_next()

    def get(self, uid: str) -> QueuedPod | None:
        """Return the QueuedPod with this uid if the pod waits or is being scheduled, otherwise None."""
        return self._pods.get(uid)

    def remove(self, uid: str) -> None:
        """Remove a pod that was deleted or assigned to a node."""
        queued = self._pods.pop(uid, None)
        if queued is not None:
            self._unschedulable.remove(queued)
            queued.ticket = 0

    def pop(self) -> QueuedPod | None:
        """Remove and return the next pod to schedule: an active pod, or else one in back-off, or else None."""
        self._promote()
        heap = self._active if _peek(self._active) is not None else self._backoff
        queued = _peek(heap)
        if queued is not None:
            heappop(heap)
            queued.ticket = 0
        return queued

    def wake_for_next(self) -> None:
        """Call `wake` with the seconds until the next pod can be tried, if any pod waits."""
        if _peek(self._active) is not None or _peek(self._backoff) is not None:
            self._wake(0)
            return
        due = [self._failed[0][0][0] + _WINDOW] if _peek(self._failed) is not None else []
        oldest = self._unschedulable.oldest()
        if oldest is not None:
            due.append(oldest.since + _LONGEST_PARKED)
        if due:
            self._wake(max((min(due) - self._clock.now()).total_seconds(), 0))

    def park(self, queued: QueuedPod, rejected_by: frozenset[str]) -> None:
        """Keep a pod that fits on no node among the unschedulable pods, until a change may make it schedulable.

        `rejected_by` has the names of the plugins that rejected nodes.
        """
        if self._pods.get(queued.pod.uid) is not queued:
            return
        queued.unschedulable_count += 1
        queued.failures = 0
        queued.rejected_by = rejected_by
        queued.since = self._clock.now()
        self._unschedulable.add(queued)

    def retry(self, queued: QueuedPod) -> None:
        """Queue a pod again after an error, with a back-off."""
        if self._pods.get(queued.pod.uid) is not queued:
            return
        queued.failures += 1
        queued.since = self._clock.now()
        if not self._park_if_gated(queued):
            self._fail(queued, queued.failures)

    def parked(self, rejected_by: Iterable[str]) -> list[QueuedPod]:
        """Return the unschedulable pods that at least one of the plugins named in `rejected_by` rejected."""
        return self._unschedulable.rejected_by(rejected_by)

    def unpark(self, queued: QueuedPod) -> None:
        """Queue an unschedulable pod again, with a back-off.

        A pod that a PreEnqueue plugin still holds back remains unschedulable. A pod that is not among the unschedulable
        pods is ignored.
        """
        if not self._unschedulable.remove(queued) or self._park_if_gated(queued):
            return
        if queued.unschedulable_count:
            end = _backoff_end(queued, queued.unschedulable_count)
            self._push(self._backoff, (end, -queued.pod.priority, queued.since), queued)
        else:
            self._activate(queued)
        self._wake(0)

    def _park_if_gated(self, queued: QueuedPod) -> bool:
        """Add a pod to the unschedulable pods if a PreEnqueue plugin, such as SchedulingGates, holds it back.

        Returns True in that case, and False for other pods.
        """
        plugin = self._gate(queued.pod)
        if not plugin:
            return False
        queued.since = self._clock.now()
        queued.rejected_by = queued.rejected_by | {plugin}
        self._unschedulable.add(queued)
        return True

    def _promote(self) -> None:
        """Make pods active whose back-off has ended, and unschedulable pods that have waited for five minutes."""
        now = self._clock.now()
        while (oldest := self._unschedulable.oldest()) is not None and oldest.since + _LONGEST_PARKED <= now:
            self.unpark(oldest)
        for heap in (self._failed, self._backoff):
            while (first := _peek(heap)) is not None and heap[0][0][0] + _WINDOW <= now:
                self._activate(first)

    def _activate(self, queued: QueuedPod) -> None:
        self._push(self._active, (-queued.pod.priority, queued.since), queued)

    def _fail(self, queued: QueuedPod, attempts: int) -> None:
        self._push(self._failed, (_backoff_end(queued, attempts),), queued)

    def _push(self, heap: _Heap, key: tuple[Any, ...], queued: QueuedPod) -> None:
        ticket = queued.ticket = next(self._tickets)
        heappush(heap, (key, ticket, queued))


def _peek(heap: _Heap) -> QueuedPod | None:
    """Return the first valid entry of a heap, or None.

    Entries of pods that were queued again later or removed are dropped.
    """
    while heap and heap[0][1] != heap[0][2].ticket:
        heappop(heap)
    return heap[0][2] if heap else None


def _backoff_end(queued: QueuedPod, attempts: int) -> datetime:
    """Return the beginning of the second in which a pod's back-off ends, after this number of failed attempts."""
    # Limit the exponent to avoid huge numbers: with an exponent of 8, the delay has long reached its maximum.
    delay = min(_FIRST_DELAY * 2 ** min(attempts - 1, 8), _LONGEST_DELAY)
    return (queued.since + timedelta(seconds=delay)).replace(microsecond=0)


class UnschedulablePods:
    """Index of the unschedulable pods in the queue, by the plugins that rejected them."""

    def __init__(self) -> None:
        self._pods: dict[str, QueuedPod] = {}
        """Pods that wait for a change in the cluster, by uid. The pod that has waited longest comes first."""
        self._by_plugin: dict[str, dict[str, QueuedPod]] = {}

    def add(self, queued: QueuedPod) -> None:
        """Add an unschedulable pod, indexed by the plugins that rejected it."""
        uid = queued.pod.uid
        self._pods[uid] = queued
        for plugin in queued.rejected_by:
            self._by_plugin.setdefault(plugin, {})[uid] = queued

    def remove(self, queued: QueuedPod) -> bool:
        """Remove a pod from the index. Returns False if the index does not contain it."""
        uid = queued.pod.uid
        if self._pods.pop(uid, None) is None:
            return False
        for plugin in queued.rejected_by:
            pods = self._by_plugin[plugin]
            del pods[uid]
            if not pods:
                del self._by_plugin[plugin]
        return True

    def has(self, queued: QueuedPod) -> bool:
        """True if this entry of the scheduling queue is among the unschedulable pods."""
        return queued.pod.uid in self._pods

    def oldest(self) -> QueuedPod | None:
        """Return the unschedulable pod that has waited for the longest time, or None."""
        return next(iter(self._pods.values()), None)

    def rejected_by(self, plugins: Iterable[str]) -> list[QueuedPod]:
        """Return the unschedulable pods that at least one of the plugins in `plugins` rejected."""
        if not self._pods:
            return []
        found: dict[str, QueuedPod] = {}
        for plugin in plugins:
            found.update(self._by_plugin.get(plugin, {}))
        return list(found.values())
