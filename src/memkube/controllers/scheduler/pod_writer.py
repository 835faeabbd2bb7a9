"""The scheduler's writes: bindings, status and Events of pods, and deletions of preempted pods."""

from collections.abc import Mapping

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.status import set_condition
from memkube.apis.core.v1.pods.types import Binding, Pod, PodCondition
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.series_recorder import SeriesRecorder
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.registry.declarations.resource import Resource
from memkube.time.clock import written_now


class PodWriter:
    """Writes pods on behalf of the scheduler. Writes to deleted pods are ignored."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client_of("kube-scheduler")
        self._pods = runtime.informers.of("", "v1", "pods")
        self._recorder = SeriesRecorder(runtime, "kube-scheduler")

    async def bind(self, pod: PodInfo, node: str) -> None:
        """Bind a pod to a node. Raises ApiError if the binding is refused."""
        binding = Binding(target=ObjectReference(kind="Node", name=node))
        metadata = binding.metadata
        metadata.namespace, metadata.name, metadata.uid = pod.namespace, pod.name, pod.uid
        await self._client.post(self._resource, "binding", binding, pod.namespace)

    async def report(self, scheduler_name: str, pod: PodInfo, report: Report, related: PodInfo | None = None) -> None:
        """Record an Event about a pod, reported by the scheduler with this name. `related` is a second pod."""
        await self._recorder.record(scheduler_name, pod.stored, report, None if related is None else related.stored)

    async def set_status(self, pod: PodInfo, condition: PodCondition | None, nominated_node: str | None) -> None:
        """Set a condition and the nominated node of a pod. None leaves the present value.

        Does nothing if the pod in the informer's cache has these values already. Raises ApiError if the update fails.
        """
        newest = self._pods.get(pod.namespace, pod.name)
        if newest is not None and _has_status(newest.document, condition, nominated_node):
            return
        now = written_now(self._runtime.clock)

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Pod)
            if condition is not None:
                set_condition(obj.status, condition, now)
            if nominated_node is not None:
                obj.status.nominatedNodeName = nominated_node

        with ignoring_absence():
            await self._client.update(self._resource, pod.stored, change, subresource="status")

    async def annotate(self, pod: PodInfo, annotations: Mapping[str, str]) -> None:
        """Set annotations of a pod. Raises ApiError if the update fails."""

        def change(obj: ApiObject) -> None:
            obj.metadata.annotations.update(annotations)

        with ignoring_absence():
            await self._client.update(self._resource, pod.stored, change)

    async def delete(self, pod: PodInfo) -> None:
        """Delete a pod with the grace period in its spec. Raises ApiError if the deletion fails."""
        with ignoring_absence():
            await self._client.delete(self._resource, pod.namespace, pod.name, DeleteOptions())

    @property
    def _resource(self) -> Resource:
        return self._runtime.registry.find("", "v1", "pods").resource


def _has_status(pod: Document, condition: PodCondition | None, nominated_node: str | None) -> bool:
    """True if the pod has this condition and this nominated node. A parameter that is None is not compared."""
    status = pod["status"]
    if nominated_node is not None and nominated_node != status.get("nominatedNodeName", ""):
        return False
    if condition is None:
        return True
    known: Document = next((each for each in status.get("conditions") or () if each["type"] == condition.type), {})
    wanted = (condition.status, condition.reason, condition.message)
    return wanted == tuple(known.get(field) for field in ("status", "reason", "message"))
