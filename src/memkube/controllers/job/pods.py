"""The pods of a Job: their state and completion indexes (``pkg/controller/job/indexed_job_utils.go``)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from memkube.apis.batch.v1.jobs.types import Job
from memkube.controllers.workloads.pod_state import is_ended, is_terminating
from memkube.registry.objects.stored import StoredObject

FINALIZER: Final = "batch.kubernetes.io/job-tracking"
"""Finalizer that keeps a pod from being deleted until the Job controller has counted it."""
INDEX: Final = "batch.kubernetes.io/job-completion-index"
FAILURES: Final = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURES: Final = "batch.kubernetes.io/job-index-ignored-failure-count"
_INT32: Final = 2**31


def is_tracked(pod: StoredObject) -> bool:
    """True if a pod has the tracking finalizer, so it has not been counted yet."""
    return FINALIZER in (pod.document["metadata"].get("finalizers") or ())


def phase(pod: StoredObject) -> str:
    """Return the phase of a pod."""
    found: str = pod.document["status"].get("phase", "")
    return found


def replaces_only_ended(job: Job) -> bool:
    """True if terminating pods are replaced only after they have ended (``podReplacementPolicy: Failed``)."""
    return job.spec.podReplacementPolicy == "Failed" or job.spec.podFailurePolicy is not None


def is_failed(pod: StoredObject, job: Job) -> bool:
    """True if a pod counts as failed. For most Jobs, a pod does so as soon as it is terminating."""
    if phase(pod) == "Failed":
        return True
    return not replaces_only_ended(job) and is_terminating(pod) and phase(pod) != "Succeeded"


def is_terminating_and_running(pod: StoredObject) -> bool:
    """True if a pod is terminating and its containers may still be running."""
    return is_terminating(pod) and not is_ended(pod)


def index_of(pod: StoredObject) -> int | None:
    """Return the completion index of a pod, or None if it has none."""
    return _number(pod, INDEX)


def failures_of(pod: StoredObject) -> int:
    """Return the number of earlier failed pods of the same index."""
    return _number(pod, FAILURES) or 0


def ignored_failures_of(pod: StoredObject) -> int:
    """Return the number of earlier failed pods of the same index that the failure policy ignored."""
    return _number(pod, IGNORED_FAILURES) or 0


def ended_at(pod: StoredObject) -> datetime:
    """Return the time at which a pod ended, or None if unknown."""
    metadata = pod.document["metadata"]
    found = _last_container_end(pod) or _unready_since(pod)
    if found is not None:
        return found
    if "deletionTimestamp" in metadata:
        grace = timedelta(seconds=metadata.get("deletionGracePeriodSeconds") or 0)
        return datetime.fromisoformat(metadata["deletionTimestamp"]) - grace
    return datetime.fromisoformat(metadata["creationTimestamp"])


def _number(pod: StoredObject, annotation: str) -> int | None:
    text = (pod.document["metadata"].get("annotations") or {}).get(annotation, "")
    if not (text.isascii() and text.removeprefix("+").isdigit()):
        return None
    return int(text) if int(text) < _INT32 else None


def _last_container_end(pod: StoredObject) -> datetime | None:
    """Return the time at which the last container ended, or None if unknown (``getFinishTimeFromContainers``)."""
    status, spec = pod.document["status"], pod.document["spec"]
    sidecars = {c["name"] for c in spec.get("initContainers") or [] if c.get("restartPolicy") == "Always"}
    ends = _ends(status.get("containerStatuses") or [])
    ends_of_sidecars = _ends(each for each in status.get("initContainerStatuses") or [] if each["name"] in sidecars)
    if not all(ends_of_sidecars):
        return None
    # As in Kubernetes, the ends of sidecars count even if a container is running.
    known = [*(ends if all(ends) else []), *ends_of_sidecars]
    return max(map(datetime.fromisoformat, known), default=None)


def _ends(statuses: Iterable[dict[str, Any]]) -> list[Any]:
    """Return the time at which each container ended, or None if it has not."""
    return [((each.get("state") or {}).get("terminated") or {}).get("finishedAt") for each in statuses]


def _unready_since(pod: StoredObject) -> datetime | None:
    for condition in pod.document["status"].get("conditions") or []:
        if condition["type"] == "Ready" and condition["status"] == "False" and condition.get("lastTransitionTime"):
            return datetime.fromisoformat(condition["lastTransitionTime"])
    return None


@dataclass(frozen=True, slots=True)
class Indexes:
    """A set of completion indexes, as sorted and disjoint intervals whose ends are included."""

    intervals: tuple[tuple[int, int], ...] = ()

    @classmethod
    def parse(cls, text: str, completions: int) -> "Indexes":
        """Parse text such as ``1,3-5``. Malformed parts and indexes that are too high are ignored."""
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
        """Return the set with further indexes added."""
        return self | Indexes(tuple((index, index) for index in sorted(set(indexes))))

    def overlap(self, others: "Indexes") -> int:
        """Return the number of indexes in both sets."""
        pairs = ((one, other) for one in self.intervals for other in others.intervals)
        return sum(max(min(a[1], b[1]) - max(a[0], b[0]) + 1, 0) for a, b in pairs)

    def missing(self, completions: int) -> Iterator[int]:
        """Return, in order, the indexes below `completions` that are not in the set."""
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
