"""Writes the Endpoints of Services that have a selector (``pkg/controller/endpoint``)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.endpoints.types import Endpoints, EndpointSubset
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.endpoints.endpoint_pods import IPV4, IPV6, EndpointPod
from memkube.controllers.endpoints.selected_pods import Key, SelectedPods, in_parts
from memkube.controllers.endpoints.subsets import is_over_capacity, repack, same_subsets, truncate
from memkube.controllers.endpoints.trigger_times import LAST_CHANGE, TriggerTimes
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import EventRecorder, Report, reference_to
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries
from memkube.controllers.workloads.pod_control import is_namespace_terminating
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

_ENDPOINTS: Final = ("", "v1", "endpoints")
_RETRIES: Final = Retries(most=15)
_COMPONENT: Final = "endpoint-controller"
_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_OVER_CAPACITY: Final = "endpoints.kubernetes.io/over-capacity"
_LEADER: Final = "control-plane.alpha.kubernetes.io/leader"
HEADLESS: Final = "service.kubernetes.io/headless"
"""Name of the label that marks Endpoints of Services without a cluster IP."""


class EndpointsController:
    """Computes the Endpoints of a Service again when the Service or one of its pods changes.

    If another client changes Endpoints, this change is overwritten only at the next change of the Service or its pods.
    If another client deletes Endpoints, they are created again at once.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, _COMPONENT)
        self._queue = runtime.queue("endpoint", self._sync, retries=_RETRIES)
        self._selected = SelectedPods(runtime, self._queue.add)
        self._times = TriggerTimes()
        self._endpoints = runtime.informers.of(*_ENDPOINTS)
        self._endpoints.subscribe(self._on_endpoints)
        runtime.started.append(self._check_leftovers)

    def _on_endpoints(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and new is None:
            self._queue.add((old.namespace, old.name))

    def _check_leftovers(self) -> None:
        """Queue all Endpoints, to delete those whose Services were deleted while the controller did not run."""
        for stored in self._endpoints:
            if _LEADER not in (stored.document["metadata"].get("annotations") or {}):
                self._queue.add((stored.namespace, stored.name))

    async def _sync(self, key: Key) -> None:
        resource = self._runtime.catalog.find(*_ENDPOINTS)
        if resource is None:
            return
        service, pods = self._selected.services.get(*key), self._selected.of(key)
        if service is None:
            await self._delete(resource, key)
            self._times.forget(key)
            return
        spec = service.document["spec"]
        if spec.get("type") == "ExternalName" or not spec.get("selector"):
            return
        trigger_time = self._times.next(service, pods)
        parts = [list(_subsets(service, part)) async for part in in_parts(pods)]
        subsets = repack([subset for part in parts for subset in part])
        current = await self._current(resource, key)
        if current is None or not _is_up_to_date(current.document, service.labels, subsets):
            await self._write(resource, service, current, partial(_fill, service, subsets, trigger_time))

    async def _delete(self, resource: Resource, key: Key) -> None:
        with ignoring_absence():
            await self._runtime.client.delete(resource, *key, DeleteOptions())

    async def _current(self, resource: Resource, key: Key) -> StoredObject | None:
        # Read from the storage: the informer may not know this controller's last write of the Endpoints yet.
        try:
            return await self._runtime.client.get(resource, *key)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return None

    async def _write(
        self, resource: Resource, service: StoredObject, current: StoredObject | None, fill: "partial[None]"
    ) -> None:
        namespace, name = service.namespace, service.name
        try:
            if current is None:
                created = Endpoints()
                created.metadata.name = name
                fill(created)
                await self._runtime.client.create(resource, created, namespace)
            else:
                await self._runtime.client.update(resource, current, partial(_change, current, fill))
        except ApiError as error:
            if current is None and error.reason == "Forbidden" and is_namespace_terminating(error):
                return
            verb, what = ("Create", "endpoint for service") if current is None else ("Update", "endpoint")
            message = f"Failed to {verb.lower()} {what} {namespace}/{name}: {error.message}"
            # As in Kubernetes, the Event about a failed creation of Endpoints has no namespace.
            new = ObjectReference(kind="Endpoints", apiVersion="v1", name=name)
            about = new if current is None else reference_to(current)
            await self._events.record(about, Report("Warning", f"FailedTo{verb}Endpoint", message))
            raise


def _change(current: StoredObject, fill: "partial[None]", obj: ApiObject) -> None:
    obj.metadata.resourceVersion = current.resource_version
    fill(obj)


def _fill(service: StoredObject, subsets: Sequence[Document], trigger_time: str, obj: ApiObject) -> None:
    """Set the subsets of an Endpoints object, the labels of its Service, and the controller's annotations."""
    assert isinstance(obj, Endpoints)
    labels = {name: value for name, value in service.labels.items() if name != HEADLESS}
    if is_headless(service):
        labels[HEADLESS] = ""
    obj.metadata.labels = {**labels, _MANAGED_BY: _COMPONENT}
    over = is_over_capacity(subsets)
    annotations = {LAST_CHANGE: trigger_time, _OVER_CAPACITY: "truncated" if over else ""}
    kept = {name: value for name, value in obj.metadata.annotations.items() if name not in annotations}
    obj.metadata.annotations = kept | {name: value for name, value in annotations.items() if value}
    obj.subsets = [EndpointSubset.from_document(each) for each in (truncate(subsets) if over else subsets)]


def is_headless(service: StoredObject) -> bool:
    """True if a Service has no cluster IP."""
    return service.document["spec"].get("clusterIP", "") in ("", "None")


def _is_up_to_date(current: Document, service_labels: Mapping[str, str], subsets: Sequence[Document]) -> bool:
    metadata, known = current["metadata"], current.get("subsets") or []
    labels = dict(metadata.get("labels") or {})
    labels.pop(HEADLESS, None)
    if labels.pop(_MANAGED_BY, "") != _COMPONENT:
        return False
    others = {name: value for name, value in service_labels.items() if name not in (HEADLESS, _MANAGED_BY)}
    if labels != others or len(others) != len(service_labels):
        return False
    if is_over_capacity(known) or _OVER_CAPACITY in (metadata.get("annotations") or {}):
        return False
    return same_subsets(known, subsets) or same_subsets(repack(known), subsets)


def _subsets(service: StoredObject, pods: Sequence[EndpointPod]) -> Iterator[Document]:
    """Yield a subset of Endpoints for each selected pod and each port of the Service."""
    spec = service.document["spec"]
    publishes_all = spec.get("publishNotReadyAddresses", False)
    ports = spec.get("ports") or []
    for pod in pods:
        if not pod.is_endpoint(includes_terminating=publishes_all):
            continue
        address = pod.address(_family(spec, pod))
        if not address:
            continue
        listed = "addresses" if publishes_all or pod.is_ready else "notReadyAddresses"
        subset = {listed: [_address(pod, address, service.name)]}
        if not ports and spec.get("clusterIP") == "None":
            yield subset
        for port in ports:
            number = pod.port(port)
            if number is not None:
                yield {**subset, "ports": [_port(port, number)]}


def _family(spec: Document, pod: EndpointPod) -> str:
    """Return the IP family that all addresses in a Service's Endpoints have.

    It is the first family in `spec`, the Service's spec, or the family of the cluster IP. If the spec has neither, it
    is the family of the first address of `pod`.
    """
    families = spec.get("ipFamilies")
    if families:
        family: str = families[0]
        return family
    cluster_ip = spec.get("clusterIP", "")
    if cluster_ip not in ("", "None"):
        return IPV6 if ":" in cluster_ip else IPV4
    return pod.addresses[0][0] if pod.addresses else IPV4


def _address(pod: EndpointPod, address: str, service: str) -> Document:
    hostname = pod.hostname_in(service)
    named = {"ip": address, "hostname": hostname} if hostname else {"ip": address}
    target = {"kind": "Pod", "namespace": pod.namespace, "name": pod.name, "uid": pod.uid}
    return {**named, "nodeName": pod.node, "targetRef": target}


def _port(service_port: Document, number: int) -> Document:
    fields = ("name", "protocol", "appProtocol")
    port = {name: service_port[name] for name in fields if service_port.get(name) is not None}
    return {"port": number, **port}
