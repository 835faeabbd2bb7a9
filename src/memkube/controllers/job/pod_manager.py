"""Creates and deletes the pods of Jobs (``manageJob``), and removes the finalizers of orphaned pods."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.env import EnvVar
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries
from memkube.controllers.job.pods import (
    FAILURES,
    FINALIZER,
    IGNORED_FAILURES,
    INDEX,
    JobPod,
    JobPods,
    ended_at,
    replaces_only_ended,
)
from memkube.controllers.job.policies import Backoff, is_managed_elsewhere, verdict_on
from memkube.controllers.job.progress import Progress
from memkube.controllers.workloads.job_state import is_finished
from memkube.controllers.workloads.owners import controller_reference
from memkube.controllers.workloads.pod_control import PODS, PodControl, is_namespace_terminating, pod_of
from memkube.controllers.workloads.pod_owners import Key, PodOwners
from memkube.controllers.workloads.pod_state import deletion_order
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

API_RETRIES: Final = Retries(first_delay=1.0, longest_delay=60.0, postpones_events=True)
"""Delays before a Job is reconciled again after an error, for example because a quota refuses its pods."""
_ENVIRONMENT: Final = "JOB_COMPLETION_INDEX"
_LONGEST_PREFIX: Final = 58
_BURST: Final = 500
_SHORTEST_WAIT: Final = 1.0


def new_pod(control: PodControl, progress: Progress, resource: Resource, index: int | None) -> Pod:
    """Return a new pod of the Job of `progress`.

    `control` decodes the pod and will create it. `resource` is the resource of Jobs. `index` is the pod's completion
    index, or None if the Job is not indexed.
    """
    # Pods of an indexed Job cannot share a spec, because each pod's index is set in its spec.
    decode = control.decode if index is None else Pod.from_document
    pod = pod_of(progress.stored.document["spec"]["template"], progress.stored, resource, decode)
    if FINALIZER not in pod.metadata.finalizers:
        pod.metadata.finalizers = [*pod.metadata.finalizers, FINALIZER]
    if index is not None:
        _number(pod, progress.stored.name, index)
        if progress.limits_indexes:
            _note_failures(pod, progress, index)
    return pod


def _number(pod: Pod, job: str, index: int) -> None:
    pod.metadata.annotations[INDEX] = pod.metadata.labels[INDEX] = str(index)
    pod.spec.hostname = f"{job}-{index}"
    end = f"-{index}-"
    pod.metadata.generateName = job[: _LONGEST_PREFIX - len(end)] + end
    for container in [*pod.spec.initContainers, *pod.spec.containers]:
        _add_index_variable(container)


def _add_index_variable(container: Container) -> None:
    if all(variable.name != _ENVIRONMENT for variable in container.env):
        source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
        variable = EnvVar.from_document({"name": _ENVIRONMENT, "valueFrom": source})
        container.env = [*container.env, variable]


def _note_failures(pod: Pod, progress: Progress, index: int) -> None:
    failed, counted, ignored = progress.delayed.get(index), 0, 0
    if failed is not None:
        counts = verdict_on(failed.stored, progress.job).counts
        counted, ignored = failed.failures + counts, failed.ignored_failures + (not counts)
    pod.metadata.annotations[FAILURES] = str(counted)
    if ignored:
        pod.metadata.annotations[IGNORED_FAILURES] = str(ignored)


class UnseenWrites:
    """Writes of the Job controller that the informers have not reported yet."""

    def __init__(self, *informers: Informer) -> None:
        self._revisions: dict[str, int] = {}
        for informer in informers:
            informer.subscribe(self._on_change)

    def wrote(self, known: StoredObject | None, written: StoredObject) -> None:
        """Record that the controller has written the object `written`, until an informer reports this revision.

        `known` is the informer's revision of the object before the write; None if the informer had no such object.
        """
        if known is not None and known.uid == written.uid:
            revision = int(written.resource_version)
            if int(known.resource_version) < revision:
                self._revisions[written.uid] = revision

    def any_of(self, uids: Iterable[str]) -> bool:
        """True if the informers have not yet reported the last write of an object whose uid is in `uids`."""
        return bool(self._revisions) and any(uid in self._revisions for uid in uids)

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None
            self._revisions.pop(old.uid, None)
        elif self._revisions.get(new.uid, 0) <= int(new.resource_version):
            self._revisions.pop(new.uid, None)


@dataclass(frozen=True, slots=True)
class Tools:
    """Clients, recorders and queues that all reconciliations of Jobs share."""

    runtime: Runtime
    owners: PodOwners
    control: PodControl
    unseen: UnseenWrites
    pods: JobPods

    async def untrack(self, pod: StoredObject) -> None:
        """Remove the tracking finalizer of a pod that the Job has counted.

        Raises ApiError if the request fails (NotFound if the pod does not exist).
        """

        def change(obj: ApiObject) -> None:
            obj.metadata.finalizers = [each for each in obj.metadata.finalizers if each != FINALIZER]

        written = await self.runtime.client.update(self.control.pods, pod, change)
        self.unseen.wrote(self.runtime.informers.of(*PODS).get(pod.namespace, pod.name), written)


class PodManager:
    """Creates and deletes pods of one Job, and updates the numbers of active, ready and terminating pods."""

    def __init__(self, tools: Tools, resource: Resource, progress: Progress) -> None:
        self._tools = tools
        self._resource = resource
        self._progress = progress
        self._key: Key = progress.stored.namespace, progress.stored.name

    async def delete_active(self) -> ApiError | None:
        """Delete all active pods of a Job that ends. Returns the first error, or None."""
        return await self._delete(self._progress.active_pods, untrack=False)

    async def manage(self) -> ApiError | None:
        """Create or delete pods of the Job until the desired number is active. Returns the first error, or None."""
        progress = self._progress
        if progress.is_suspended:
            return await self._delete(self._surplus(progress.active), untrack=True)
        wanted = self._wanted()
        surplus = self._surplus(max(progress.active - wanted, 0))[:_BURST]
        if surplus:
            return await self._delete(surplus, untrack=True)
        missing = wanted - progress.active - (progress.terminating if replaces_only_ended(progress.job) else 0)
        return await self._fill(min(missing, _BURST)) if missing > 0 else None

    def _wanted(self) -> int:
        progress, parallelism = self._progress, self._progress.job.spec.parallelism or 0
        completions = progress.job.spec.completions
        if completions is None:
            return progress.active if progress.succeeded else parallelism
        return max(min(completions - progress.succeeded, parallelism), 0)

    def _surplus(self, at_least: int) -> list[JobPod]:
        """Return the active pods to delete: at least `at_least` of them, or all if there are fewer.

        If the Job is indexed, the result always includes the active pods without a valid index. Of several active pods
        with the same index, it includes all but one.
        """
        pods, duplicates = self._progress.active_pods, list[JobPod]()
        if self._progress.is_indexed:
            pods, duplicates = self._without_duplicates(pods)
        more = at_least - len(duplicates)
        return duplicates + sorted(pods, key=_deletion_order)[:more] if more > 0 else duplicates

    def _without_duplicates(self, pods: Sequence[JobPod]) -> tuple[list[JobPod], list[JobPod]]:
        kept, duplicates = dict[int, JobPod](), list[JobPod]()
        for pod in pods:
            index = self._progress.counted_index(pod)
            other = None if index is None else kept.get(index)
            if index is None:
                duplicates.append(pod)
            elif other is None:
                kept[index] = pod
            else:
                goes, kept[index] = sorted((other, pod), key=_deletion_order)
                duplicates.append(goes)
        return list(kept.values()), duplicates

    async def _delete(self, pods: Sequence[JobPod], *, untrack: bool) -> ApiError | None:
        failure: ApiError | None = None
        for pod in list(pods):
            try:
                with self._tools.owners.deleting(self._key, pod.stored):
                    if untrack and pod.is_tracked:
                        await self._tools.untrack(pod.stored)
                    await self._tools.control.delete(pod.stored, self._progress.stored)
            except ApiError as error:
                if error.reason != "NotFound":
                    failure = failure or error
                    continue
            self._progress.took(1, int(pod.is_ready))
        return failure

    async def _fill(self, missing: int) -> ApiError | None:
        """Create up to `missing` pods of the Job. Returns the first error, or None.

        During a back-off, create no pods, and queue the Job for the end of the back-off.
        """
        progress = self._progress
        wait = 0.0 if progress.limits_indexes else progress.backoff.seconds_left(progress.now)
        pending: list[int | None] = [None] * missing
        if not wait and progress.is_indexed:
            found = self._pending_indexes(missing)
            pending = [index for index in found if not self._seconds_left(index)]
            wait = 0.0 if pending else min(map(self._seconds_left, found), default=0.0)
        if wait > 0:
            self._tools.owners.queue.add_after(self._key, max(wait, _SHORTEST_WAIT))
            progress.active = 0
            return None
        return await self._create(pending)

    async def _create(self, indexes: Sequence[int | None]) -> ApiError | None:
        """Create a pod for each completion index in `indexes`, in batches that double in size.

        No further batch begins after an error, so that few requests fail if pods cannot be created. Returns the last
        error, or None.
        """
        done, size, failure = 0, 1, None
        while done < len(indexes) and failure is None:
            for index in indexes[done : done + size]:
                failure = await self._create_one(index) or failure
            done, size = done + size, size * 2
        return failure

    async def _create_one(self, index: int | None) -> ApiError | None:
        progress = self._progress
        try:
            new = new_pod(self._tools.control, progress, self._resource, index)
            pod = await self._tools.control.create(new, progress.stored)
        except ApiError as error:
            # As in Kubernetes, the pod counts as active although the terminating namespace has refused it.
            progress.active += is_namespace_terminating(error)
            return None if is_namespace_terminating(error) else error
        self._tools.owners.expect_creation(self._key, pod)
        progress.active += 1
        return None

    def _pending_indexes(self, count: int) -> list[int]:
        progress = self._progress
        busy = list(progress.active_pods)
        if replaces_only_ended(progress.job):
            busy += [pod for pod in progress.pods if pod.is_terminating_and_running]
        taken = progress.succeeded_indexes | progress.failed_indexes
        taken = taken.with_each(index for pod in busy if (index := pod.index) is not None)
        return list(islice(taken.missing(progress.completions), count))

    def _seconds_left(self, index: int) -> float:
        failed = self._progress.delayed.get(index)
        if failed is None:
            return 0
        return Backoff(failed.all_failures + 1, ended_at(failed.stored)).seconds_left(self._progress.now)


def _deletion_order(pod: JobPod) -> tuple[Any, ...]:
    return deletion_order(pod.stored)


class OrphanedPods:
    """Removes the tracking finalizers of pods whose Job is finished or does not exist."""

    def __init__(self, tools: Tools, jobs: Informer) -> None:
        self._tools = tools
        self._jobs = jobs
        self._pods = tools.runtime.informers.of(*PODS)
        self._queue = tools.runtime.queue("job orphan pods", self._sync, retries=API_RETRIES)
        self._pods.subscribe(self._on_pod)
        jobs.subscribe(self._on_job)

    def _on_pod(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and self._tools.pods.is_tracked(new) and self._is_orphaned(new):
            self._queue.add((new.namespace, new.name))

    def _on_job(self, old: StoredObject | None, new: StoredObject | None) -> None:
        job = new or old
        assert job is not None
        if new is None or is_finished(new):
            for pod in self._tools.owners.pods_of(job):
                self._on_pod(None, pod)

    def _is_orphaned(self, pod: StoredObject) -> bool:
        reference = controller_reference(pod.document)
        if reference is None:
            return True
        if (reference["apiVersion"], reference["kind"]) != ("batch/v1", "Job"):
            return False
        job = self._jobs.get(pod.namespace, reference["name"])
        if job is None or job.uid != reference["uid"]:
            return True
        return is_finished(job) and not is_managed_elsewhere(job)

    async def _sync(self, key: Key) -> None:
        pod = self._pods.get(*key)
        if pod is None or not self._tools.pods.is_tracked(pod) or not self._is_orphaned(pod):
            return
        with ignoring_absence():
            await self._tools.untrack(pod)
