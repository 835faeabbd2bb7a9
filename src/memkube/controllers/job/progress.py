"""The state of a Job, computed from its pods (``syncJobCtx`` of ``job_controller.go``)."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from memkube.apimachinery.time import Time
from memkube.apis.batch.v1.jobs.types import Job, JobCondition, UncountedTerminatedPods
from memkube.controllers.job.pods import Indexes, JobPod, ended_at
from memkube.controllers.job.policies import Backoff, verdict_on
from memkube.registry.objects.stored import StoredObject


class Progress:
    """A Job in one reconciliation, with its pods.

    It counts how many pods are active, ready, terminating, succeeded or failed. When the controller creates or deletes
    pods, these numbers are updated.
    """

    def __init__(self, stored: StoredObject, pods: Iterable[JobPod], backoff: Backoff, now: datetime) -> None:
        self.stored = stored
        self.job = Job.from_document(stored.document)
        self.pods = list(pods)
        self.now = now
        self.written = Time.at(now)
        status = self.job.status
        uncounted = self.uncounted = status.uncountedTerminatedPods or UncountedTerminatedPods()
        status.uncountedTerminatedPods = uncounted
        if status.startTime is None and not self.is_suspended:
            status.startTime = self.written
        self.known_succeeded, self.known_failed = frozenset(uncounted.succeeded), frozenset(uncounted.failed)
        self.tracked_pods = [pod for pod in self.pods if pod.is_tracked]
        self.active_pods = [pod for pod in self.pods if pod.is_active]
        self.active = len(self.active_pods)
        self.ready = sum(pod.is_ready for pod in self.active_pods)
        self.terminating = sum(pod.is_terminating_and_running for pod in self.pods)
        new_succeeded = self._new(self.known_succeeded, lambda pod: pod.phase == "Succeeded")
        new_failed = self._new(self.known_failed, lambda pod: pod.is_failed(self.job))
        counting = sum(verdict_on(pod.stored, self.job).counts for pod in new_failed)
        self.succeeded = status.succeeded + len(new_succeeded) + len(self.known_succeeded)
        self.failed = status.failed + counting + len(self.known_failed)
        self.backoff = backoff.after((pod.stored for pod in new_succeeded), (pod.stored for pod in new_failed))
        self.ended: JobCondition | None = None
        """Condition with which the Job ends in this reconciliation; None if the Job does not end."""
        self.old_indexes, self.succeeded_indexes, self.failed_indexes = Indexes(), Indexes(), Indexes()
        self.delayed: dict[int, JobPod] = {}
        """The last failed pod of each index that will be retried. Such a pod is counted when its replacement is
        created."""
        if self.is_indexed:
            self._read_indexes()

    @property
    def completions(self) -> int:
        """Number of pods that must succeed (``completions``); 0 if the field is not set."""
        return self.job.spec.completions or 0

    @property
    def is_indexed(self) -> bool:
        """True if the Job's completion mode is Indexed."""
        return self.job.spec.completionMode == "Indexed"

    @property
    def limits_indexes(self) -> bool:
        """True if the Job has ``backoffLimitPerIndex``."""
        return self.job.spec.backoffLimitPerIndex is not None

    @property
    def is_suspended(self) -> bool:
        return bool(self.job.spec.suspend)

    @property
    def is_being_deleted(self) -> bool:
        return self.job.metadata.deletionTimestamp is not None

    def counted_index(self, pod: JobPod) -> int | None:
        """Return the completion index of a pod, or None if it has none or the Job's ``completions`` exclude it."""
        return pod.index if pod.index is not None and pod.index < self.completions else None

    def took(self, count: int, ready: int) -> None:
        """Update the numbers of active, ready and terminating pods after pods were deleted.

        `count` active pods were deleted, of which `ready` were ready.
        """
        self.active -= count
        self.terminating += count
        self.ready -= ready

    def _new(self, known: frozenset[str], ended: Callable[[JobPod], bool]) -> list[JobPod]:
        """Return the tracked pods for which `ended` returns True, except those with uids in `known`.

        If the Job is indexed, pods without a valid completion index are left out.
        """
        new = [pod for pod in self.tracked_pods if ended(pod) and pod.uid not in known]
        return [pod for pod in new if self.counted_index(pod) is not None] if self.is_indexed else new

    def _read_indexes(self) -> None:
        status, ended = self.job.status, [pod for pod in self.tracked_pods if pod.phase == "Succeeded"]
        self.old_indexes = Indexes.parse(status.completedIndexes, self.completions)
        self.succeeded_indexes = self.old_indexes.with_each(self._counted_indexes(ended))
        self.succeeded = len(self.succeeded_indexes)
        if self.limits_indexes:
            failed = Indexes.parse(status.failedIndexes or "", self.completions)
            failing = (pod for pod in self.tracked_pods if self._fails_index(pod))
            self.failed_indexes = failed.with_each(self._counted_indexes(failing))
            self._find_delayed()

    def _counted_indexes(self, pods: Iterable[JobPod]) -> Iterator[int]:
        for pod in pods:
            index = self.counted_index(pod)
            if index is not None:
                yield index

    def _fails_index(self, pod: JobPod) -> bool:
        if not pod.is_failed(self.job):
            return False
        verdict = verdict_on(pod.stored, self.job)
        limit = self.job.spec.backoffLimitPerIndex or 0
        return verdict.fails_index or (verdict.counts and pod.failures >= limit)

    def _find_delayed(self) -> None:
        active = {pod.index for pod in self.active_pods}
        for pod in self._new(frozenset(), lambda pod: pod.is_failed(self.job)):
            index = pod.index or 0
            if index in active or index in self.succeeded_indexes or index in self.failed_indexes:
                continue
            last = self.delayed.get(index)
            if last is None or (last.all_failures <= pod.all_failures and _ended_at(pod) >= _ended_at(last)):
                self.delayed[index] = pod


def _ended_at(pod: JobPod) -> datetime:
    return ended_at(pod.stored)
