"""The Job controller: runs the pods of Jobs until enough have succeeded (``pkg/controller/job``)."""

from typing import Final

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant_or_none
from memkube.controllers.job.decision import completed, ending_condition, is_complete, seconds_to_deadline
from memkube.controllers.job.pod_manager import API_RETRIES, OrphanedPods, PodManager, Tools, UnseenWrites
from memkube.controllers.job.pods import FINALIZER, JobPods
from memkube.controllers.job.policies import (
    COMPLETE,
    SUSPENDED,
    Backoff,
    condition,
    ensure,
    is_managed_elsewhere,
)
from memkube.controllers.job.progress import Progress
from memkube.controllers.job.tracking import Tracking
from memkube.controllers.workloads.job_state import is_finished
from memkube.controllers.workloads.owners import Claims
from memkube.controllers.workloads.pod_control import PODS, PodControl
from memkube.controllers.workloads.pod_owners import Key, OwnerKind, PodOwners
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

# Kubernetes waits a second for further pod events before it reconciles a Job. Here only Jobs with many pods wait,
# because each reconciliation looks at all pods of the Job.
_JOBS: Final = OwnerKind(ResourceName("batch", "v1", "jobs"), "Job", batches_from=100, retries=API_RETRIES)


class JobController:
    """Creates the pods of Jobs, counts the pods that end, and finishes the Jobs."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "job-controller")
        self._backoffs: dict[str, Backoff] = {}
        for saved in runtime.keep("jobs", self._saved):
            self._backoffs[saved["uid"]] = Backoff(saved["failures"], instant_or_none(saved["last"]))
        jobs, pods = runtime.informers.of(*_JOBS.resource), runtime.informers.of(*PODS)
        self._pods = JobPods(pods)
        unseen = UnseenWrites(jobs, pods)
        self._owners = PodOwners(runtime, _JOBS, self._sync)
        self._tools = Tools(runtime, self._owners, PodControl(runtime, self._events), unseen, self._pods)
        self._orphans = OrphanedPods(self._tools, jobs)
        jobs.subscribe(self._on_job)

    def _saved(self) -> list[Document]:
        return [{"uid": uid, "failures": b.failures, "last": b.last} for uid, b in self._backoffs.items()]

    def _on_job(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None and old is not None:
            self._backoffs.pop(old.uid, None)

    async def _sync(self, key: Key) -> None:
        resource, stored = self._owners.resource, self._owners.get(key)
        if resource is None or stored is None or is_managed_elsewhere(stored):
            return
        if is_finished(stored):
            self._backoffs.pop(stored.uid, None)
            return
        if self._owners.must_wait(key):
            return
        # If an informer has not reported this controller's last write yet, wait: its event for the write will queue the
        # Job again.
        known = map(self._pods.of, self._owners.pods_of(stored))
        if self._tools.unseen.any_of((stored.uid, *(pod.uid for pod in known))):
            return
        claims = _PodClaims(self._tools, stored, resource)
        pods = map(self._pods.of, await claims.claim(self._owners.candidates(stored)))
        backoff = self._backoffs.get(stored.uid, Backoff())
        await self._advance(key, resource, Progress(stored, pods, backoff, self._runtime.clock.now()))

    async def _advance(self, key: Key, resource: Resource, progress: Progress) -> None:
        progress.ended = ending_condition(progress)
        before = progress.job.status.model_copy(deep=True)
        changed = False
        manager = PodManager(self._tools, resource, progress)
        if progress.ended is not None:
            failure = await manager.delete_active()
            if failure is not None:
                progress.ended = None
        else:
            if (left := seconds_to_deadline(progress)) is not None:
                self._owners.queue.add_after(key, left)
            failure = None if progress.is_being_deleted else await manager.manage()
            if is_complete(progress):
                progress.ended = completed(progress)
            elif not progress.is_being_deleted:
                changed = await self._note_suspension(progress)
        status = progress.job.status
        status.active, status.ready, status.terminating = progress.active, progress.ready, progress.terminating
        counts = (status.active, status.ready, status.terminating)
        changed = changed or counts != (before.active, before.ready, before.terminating)
        ended = await Tracking(self._tools, resource, progress).track(changed=changed)
        self._backoffs[progress.stored.uid] = progress.backoff
        if ended:
            await self._report_end(progress)
        if failure is not None:
            raise failure

    async def _note_suspension(self, progress: Progress) -> bool:
        """Set the condition Suspended of a Job that was suspended or resumed. Returns True if the condition changed."""
        status, now = progress.job.status, progress.written
        if progress.is_suspended:
            changed = ensure(status, condition(SUSPENDED, "JobSuspended", "Job suspended", now))
            if changed:
                status.startTime = None
                await self._events.record(progress.stored, Report("Normal", "Suspended", "Job suspended"))
            return changed
        changed = ensure(status, condition(SUSPENDED, "JobResumed", "Job resumed", now, "False"))
        if changed:
            status.startTime = now
            await self._events.record(progress.stored, Report("Normal", "Resumed", "Job resumed"))
        return changed

    async def _report_end(self, progress: Progress) -> None:
        ended, spec = progress.ended, progress.job.spec
        assert ended is not None
        if ended.type != COMPLETE:
            await self._events.record(progress.stored, Report("Warning", ended.reason, ended.message))
            return
        if spec.completions is not None and progress.job.status.succeeded > spec.completions:
            message = "Too many succeeded pods running after completion count reached"
            await self._events.record(progress.stored, Report("Warning", "TooManySucceededPods", message))
        await self._events.record(progress.stored, Report("Normal", "Completed", "Job completed"))


class _PodClaims(Claims):
    """Adopts the pods that a Job selects, and adds the tracking finalizer to them."""

    def __init__(self, tools: Tools, job: StoredObject, jobs: Resource) -> None:
        super().__init__(tools.runtime, tools.control.pods, job, jobs, tools.owners.selector(job))
        self._pods = tools.pods

    def controller_of(self, candidate: StoredObject) -> str:
        return self._pods.of(candidate).controller

    def mark(self, obj: ApiObject) -> None:
        if FINALIZER not in obj.metadata.finalizers:
            obj.metadata.finalizers = [*obj.metadata.finalizers, FINALIZER]

    def unmark(self, obj: ApiObject) -> None:
        obj.metadata.finalizers = [each for each in obj.metadata.finalizers if each != FINALIZER]
