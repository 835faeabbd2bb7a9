"""Counts each ended pod of a Job exactly once (``trackJobStatusAndRemoveFinalizers``, KEP-2307).

The controller first lists an ended pod in ``uncountedTerminatedPods``, then removes the pod's finalizer, and then
counts the pod. If the controller is interrupted, the next reconciliation continues.
"""

from collections.abc import Iterable
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.batch.v1.jobs.types import Job
from memkube.controllers.job.pod_manager import Tools
from memkube.controllers.job.pods import JobPod
from memkube.controllers.job.policies import (
    COMPLETE,
    FAILED,
    FAILURE_TARGET,
    SUCCESS_CRITERIA_MET,
    condition,
    ensure,
    found_true,
    verdict_on,
)
from memkube.controllers.job.progress import Progress
from memkube.registry.declarations.resource import Resource

_MOST_UNCOUNTED: Final = 500


class Tracking:
    """Counts the ended pods of one Job, and writes the Job's status."""

    def __init__(self, tools: Tools, resource: Resource, progress: Progress) -> None:
        self._tools = tools
        self._resource = resource
        self._progress = progress
        self._tracked = {pod.uid for pod in progress.tracked_pods}
        self._changed = False

    async def track(self, *, changed: bool) -> bool:
        """Count the Job's ended pods, and end the Job if required. Returns True if the Job has ended.

        `changed` is True if the status must be written in any case. Raises ApiError if a write fails.
        """
        progress = self._progress
        self._changed = changed
        self._settle_counted()
        leaving, everything = self._note_ended()
        if progress.is_indexed:
            self._note_indexes()
        self._note_ending()
        if self._changed:
            await self._write()
        await self._untrack(leaving)
        ended = everything and self._end()
        if self._changed:
            await self._write()
        return ended

    def _note_ended(self) -> tuple[list[JobPod], bool]:
        """List ended pods in the Job's ``uncountedTerminatedPods``.

        Returns the pods whose finalizer may be removed after the status is written, and True if all ended pods are
        among them.
        """
        leaving, noted = list[JobPod](), 0
        uncounted, new_indexes = self._progress.uncounted, list[int]()
        pods = [pod for pod in self._progress.tracked_pods if self._can_remove_finalizer(pod)]
        if self._progress.is_indexed:
            pods.sort(key=lambda pod: -1 if pod.index is None else pod.index)
        everything = True
        for pod in pods:
            leaving.append(pod)
            if pod.phase == "Succeeded" and pod.uid not in self._progress.known_failed:
                self._note_success(pod, new_indexes)
            elif self._counts_as_failed(pod):
                uncounted.failed = [*uncounted.failed, pod.uid]
                self._changed = True
            noted = len(new_indexes) + len(uncounted.succeeded) + len(uncounted.failed)
            if noted >= _MOST_UNCOUNTED:
                everything = False
                break
        self._progress.succeeded_indexes = self._progress.succeeded_indexes.with_each(new_indexes)
        return leaving, everything

    def _can_remove_finalizer(self, pod: JobPod) -> bool:
        progress = self._progress
        if progress.is_being_deleted or progress.ended is not None or pod.phase == "Succeeded":
            return True
        if not pod.is_failed(progress.job):
            return False
        return all(pod.uid != delayed.uid for delayed in progress.delayed.values())

    def _note_success(self, pod: JobPod, new_indexes: list[int]) -> None:
        progress, uncounted = self._progress, self._progress.uncounted
        if progress.is_indexed:
            index = progress.counted_index(pod)
            if index is not None and index not in progress.old_indexes:
                new_indexes.append(index)
                self._changed = True
        elif pod.uid not in progress.known_succeeded:
            uncounted.succeeded = [*uncounted.succeeded, pod.uid]
            self._changed = True

    def _counts_as_failed(self, pod: JobPod) -> bool:
        progress = self._progress
        ending = progress.ended is not None and progress.ended.type != SUCCESS_CRITERIA_MET
        if not (pod.is_failed(progress.job) or ending) or pod.uid in progress.known_failed:
            return False
        if progress.is_indexed and progress.counted_index(pod) is None:
            return False
        return verdict_on(pod.stored, progress.job).counts

    def _note_indexes(self) -> None:
        progress, status = self._progress, self._progress.job.status
        completed = str(progress.succeeded_indexes)
        failed = str(progress.failed_indexes) if progress.limits_indexes else None
        if (completed, failed) != (status.completedIndexes, status.failedIndexes):
            self._changed = True
        status.succeeded = len(progress.succeeded_indexes)
        status.completedIndexes, status.failedIndexes = completed, failed

    def _note_ending(self) -> None:
        """Set the condition FailureTarget or SuccessCriteriaMet.

        The final condition is only planned here, because it is set after all pods have ended.
        """
        progress, status = self._progress, self._progress.job.status
        ending = progress.ended
        if ending is None:
            return
        if ending.type == FAILURE_TARGET:
            status.conditions = [*status.conditions, ending]
            self._changed = True
            progress.ended = condition(FAILED, ending.reason, ending.message, progress.written)
        elif ending.type == SUCCESS_CRITERIA_MET:
            if found_true(status, SUCCESS_CRITERIA_MET) is None:
                status.conditions = [*status.conditions, ending]
                self._changed = True
            progress.ended = condition(COMPLETE, ending.reason, ending.message, progress.written)

    async def _untrack(self, pods: Iterable[JobPod]) -> None:
        failure: ApiError | None = None
        for pod in pods:
            try:
                await self._tools.untrack(pod.stored)
            except ApiError as error:
                if error.reason != "NotFound":
                    failure = failure or error
                    continue
            self._tracked.discard(pod.uid)
        self._settle_counted()
        if failure is not None:
            if self._changed:
                await self._write()
            raise failure

    def _settle_counted(self) -> None:
        """Count the pods in ``uncountedTerminatedPods`` whose finalizer was removed, and remove them from the list."""
        status, uncounted = self._progress.job.status, self._progress.uncounted
        succeeded = [uid for uid in uncounted.succeeded if uid in self._tracked]
        failed = [uid for uid in uncounted.failed if uid in self._tracked]
        counted = len(uncounted.succeeded) - len(succeeded), len(uncounted.failed) - len(failed)
        if any(counted):
            status.succeeded, status.failed = status.succeeded + counted[0], status.failed + counted[1]
            uncounted.succeeded, uncounted.failed = succeeded, failed
            self._changed = True

    def _end(self) -> bool:
        progress, status, uncounted = self._progress, self._progress.job.status, self._progress.uncounted
        ended = progress.ended
        if ended is None or uncounted.succeeded or uncounted.failed or progress.terminating:
            return False
        ensure(status, ended)
        if ended.type == COMPLETE:
            status.completionTime = ended.lastTransitionTime
        self._changed = True
        return True

    async def _write(self) -> None:
        """Write the Job's status.

        Raises ApiError if the write fails: 409 if the Job was changed after it was read.
        """
        progress, resource = self._progress, self._resource

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Job)
            obj.status = progress.job.status.model_copy(deep=True)

        client, known = self._tools.runtime.client, self._tools.owners
        progress.stored = await client.update_revision(resource, progress.stored, change, subresource="status")
        self._tools.unseen.wrote(known.get((progress.stored.namespace, progress.stored.name)), progress.stored)
        self._changed = False
