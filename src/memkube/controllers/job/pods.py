"""The pods of Jobs: their state and completion indexes (``pkg/controller/job/indexed_job_utils.go``)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.apis.batch.v1.jobs.types import Job
from memkube.controllers.framework.informer import Informer
from memkube.controllers.workloads.owners import controller_reference, controller_uid
from memkube.controllers.workloads.pod_state import is_ready, is_terminating
from memkube.registry.objects.stored import StoredObject

FINALIZER: Final = "batch.kubernetes.io/job-tracking"
"""Tracking finalizer: it keeps a pod until the Job controller has counted the pod."""
INDEX: Final = "batch.kubernetes.io/job-completion-index"
FAILURES: Final = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURES: Final = "batch.kubernetes.io/job-index-ignored-failure-count"
_INT32: Final = 2**31


@dataclass(frozen=True, slots=True, eq=False)
class JobPod:
    """The parts of a pod that the Job controller needs.

    They are decoded once for each revision of a pod, and kept. The storage would decode pods again and again, because a
    Job may have more pods than the storage keeps decoded.
    """

    stored: StoredObject
    uid: str
    controller: str
    """UID of the pod's controller; empty without a controller."""
    phase: str
    is_tracked: bool
    """True if the pod has the tracking finalizer, so that the Job has not counted it yet."""
    is_terminating: bool
    is_ready: bool
    index: int | None
    """Completion index of the pod, or None if the Job is not indexed."""
    failures: int
    """Number of pods with the same completion index that failed before this one."""
    ignored_failures: int
    """Number of pods with the same completion index that failed before and whose failure the failure policy ignored."""

    @classmethod
    def of(cls, stored: StoredObject) -> "JobPod":
        """Decode the parts of a pod that the Job controller needs."""
        document = stored.document
        metadata = document["metadata"]
        return cls(
            stored,
            metadata["uid"],
            controller_uid(stored),
            document["status"].get("phase", ""),
            _is_tracked(stored),
            is_terminating(stored),
            is_ready(stored),
            _number(metadata, INDEX),
            _number(metadata, FAILURES) or 0,
            _number(metadata, IGNORED_FAILURES) or 0,
        )

    @property
    def has_ended(self) -> bool:
        """True if the pod is in the phase Succeeded or Failed."""
        return self.phase in ("Succeeded", "Failed")

    @property
    def is_active(self) -> bool:
        """True if the Job counts the pod as active: it has neither succeeded nor failed, and is not terminating."""
        return not self.has_ended and not self.is_terminating

    @property
    def is_terminating_and_running(self) -> bool:
        """True if the pod is terminating and in the phase Pending or Running."""
        return self.is_terminating and not self.has_ended

    @property
    def all_failures(self) -> int:
        """Number of pods with the same completion index that failed before this one, including ignored failures."""
        return self.failures + self.ignored_failures

    def is_failed(self, job: Job) -> bool:
        """True if the Job counts the pod as failed.

        A terminating pod counts as failed too, unless the Job replaces only ended pods (see `replaces_only_ended`).
        """
        if self.phase == "Failed":
            return True
        return self.is_terminating and self.phase != "Succeeded" and not replaces_only_ended(job)


class JobPods:
    """The newest known revisions of the pods of Jobs, in decoded form.

    Create this index before other users subscribe to the informer, so that it is updated before they are called.
    """

    def __init__(self, pods: Informer) -> None:
        self._known: dict[StoredObject, JobPod] = {}
        pods.subscribe(self._on_pod)

    def of(self, stored: StoredObject) -> JobPod:
        """Return the parts of a pod that the Job controller needs. For a pod of a Job they are cached."""
        return self._known.get(stored) or JobPod.of(stored)

    def is_tracked(self, stored: StoredObject) -> bool:
        """Return True if a pod, whether it belongs to a Job or not, has the tracking finalizer."""
        known = self._known.get(stored)
        return _is_tracked(stored) if known is None else known.is_tracked

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None:
            self._known.pop(old, None)
        if new is not None:
            reference = controller_reference(new.document)
            if reference is not None and reference["kind"] == "Job":
                self._known[new] = JobPod.of(new)


def _is_tracked(pod: StoredObject) -> bool:
    return FINALIZER in (pod.document["metadata"].get("finalizers") or ())


def replaces_only_ended(job: Job) -> bool:
    """True if a Job replaces terminating pods only after they have ended.

    It has ``podReplacementPolicy: Failed`` or a ``podFailurePolicy``, with which no other replacement policy is valid.
    """
    return job.spec.podReplacementPolicy == "Failed" or job.spec.podFailurePolicy is not None


def ended_at(pod: StoredObject) -> datetime:
    """Return the time at which a pod ended: when its last container ended.

    If this is unknown, return the time at which the pod became unready, was deleted, or was created.
    """
    metadata = pod.document["metadata"]
    found = _last_container_end(pod) or _unready_since(pod)
    if found is not None:
        return found
    if "deletionTimestamp" in metadata:
        grace = timedelta(seconds=metadata.get("deletionGracePeriodSeconds") or 0)
        return datetime.fromisoformat(metadata["deletionTimestamp"]) - grace
    return datetime.fromisoformat(metadata["creationTimestamp"])


def _number(metadata: Document, annotation: str) -> int | None:
    text = (metadata.get("annotations") or {}).get(annotation, "")
    if not (text.isascii() and text.removeprefix("+").isdigit()):
        return None
    return int(text) if int(text) < _INT32 else None


def _last_container_end(pod: StoredObject) -> datetime | None:
    """Return the time at which a pod's last container ended (``getFinishTimeFromContainers``).

    Returns None if a sidecar has not ended, or if no end of a container is known.
    """
    status, spec = pod.document["status"], pod.document["spec"]
    sidecars = {c["name"] for c in spec.get("initContainers") or [] if c.get("restartPolicy") == "Always"}
    ends = _ends(status.get("containerStatuses") or [])
    ends_of_sidecars = _ends(each for each in status.get("initContainerStatuses") or [] if each["name"] in sidecars)
    if not all(ends_of_sidecars):
        return None
    # As in Kubernetes, the times at which sidecars ended count even if a main container is still running.
    known = [*(ends if all(ends) else []), *ends_of_sidecars]
    return max(map(datetime.fromisoformat, known), default=None)


def _ends(statuses: Iterable[dict[str, Any]]) -> list[Any]:
    """Return for each container status the time at which the container ended, or None if it has not ended."""
    return [((each.get("state") or {}).get("terminated") or {}).get("finishedAt") for each in statuses]


def _unready_since(pod: StoredObject) -> datetime | None:
    for condition in pod.document["status"].get("conditions") or []:
        if condition["type"] == "Ready" and condition["status"] == "False" and condition.get("lastTransitionTime"):
            return datetime.fromisoformat(condition["lastTransitionTime"])
    return None


@dataclass(frozen=True, slots=True)
class Indexes:
    """A set of completion indexes, stored as sorted, disjoint intervals that include both ends."""

    intervals: tuple[tuple[int, int], ...] = ()

    @classmethod
    def parse(cls, text: str, completions: int) -> "Indexes":
        """Parse completion indexes such as ``1,3-5``. Malformed parts and indexes from `completions` on are ignored."""
        found = []
        for interval in text.split(",") if text else ():
            first, dash, last = interval.partition("-")
            if first.isdecimal() and (last.isdecimal() or not dash) and int(first) < completions:
                found.append((int(first), min(int(last or first), completions - 1)))
        return cls(tuple(_merged(found)))

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.intervals)

    def __contains__(self, index: int) -> bool:
        return any(first <= index <= last for first, last in self.intervals)

    def __str__(self) -> str:
        return ",".join(map(_written, self.intervals))

    def __or__(self, others: "Indexes") -> "Indexes":
        return Indexes(tuple(_merged([*self.intervals, *others.intervals])))

    def with_each(self, indexes: Iterable[int]) -> "Indexes":
        """Return a set of completion indexes that contains those of this set and those in `indexes`."""
        return self | Indexes(tuple((index, index) for index in sorted(set(indexes))))

    def overlap(self, others: "Indexes") -> int:
        """Return the number of completion indexes that both sets contain."""
        pairs = ((one, other) for one in self.intervals for other in others.intervals)
        return sum(max(min(a[1], b[1]) - max(a[0], b[0]) + 1, 0) for a, b in pairs)

    def missing(self, completions: int) -> Iterator[int]:
        """Return the completion indexes below `completions` that are not in this set, in ascending order."""
        start = 0
        for first, last in self.intervals:
            yield from range(start, min(first, completions))
            start = last + 1
        yield from range(start, completions)


def _merged(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(intervals):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged


def _written(interval: tuple[int, int]) -> str:
    first, last = interval
    if first == last:
        return str(first)
    return f"{first}{',' if last == first + 1 else '-'}{last}"
