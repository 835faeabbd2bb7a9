"""Pods that are held by the finalizer of Jobs and whose Job counts them no more (``syncOrphanPod``)."""

from memkube.apimachinery.errors import ApiError
from memkube.controllers.informer import Informer
from memkube.controllers.job.finished import is_finished, is_managed_elsewhere
from memkube.controllers.job.pod_manager import Tools
from memkube.controllers.job.pods import is_tracked
from memkube.controllers.workloads.owners import controller_reference
from memkube.controllers.workloads.pod_control import PODS
from memkube.controllers.workloads.pod_owners import Key
from memkube.registry.stored import StoredObject


class OrphanedPods:
    """Lets pods go when their Job is finished, or gone, or never was."""

    def __init__(self, tools: Tools, jobs: Informer) -> None:
        self._tools = tools
        self._jobs = jobs
        self._pods = tools.runtime.informers.of(*PODS)
        self._queue = tools.runtime.queue("job orphan pods", self._sync)
        self._pods.subscribe(self._on_pod)
        jobs.subscribe(self._on_job)

    def _on_pod(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and is_tracked(new) and self._is_orphaned(new):
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
        if pod is None or not is_tracked(pod) or not self._is_orphaned(pod):
            return
        try:
            await self._tools.untrack(pod)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
