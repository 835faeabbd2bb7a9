"""Computes and writes the EndpointSlices of a Service (``endpointslice/reconciler.go``)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from memkube.apimachinery.field_errors import aggregate_message
from memkube.apimachinery.model import Document
from memkube.controllers.endpoint_slices.known_slices import KnownSlices
from memkube.controllers.endpoint_slices.packing import pack
from memkube.controllers.endpoint_slices.slice_writer import ReconcileFailed, SliceWriter
from memkube.controllers.endpoint_slices.slices import (
    MANAGED_BY,
    SERVICE_NAME,
    DesiredEndpoints,
    Plan,
    PortsKey,
    Slice,
    endpoint_key,
    name_prefix,
    ports_key,
    sorted_ports,
)
from memkube.controllers.endpoint_slices.topology_cache import ZONE, TopologyCache, no_more_hints, remove_hints_from
from memkube.controllers.endpoint_slices.traffic_distribution import DISTRIBUTIONS, add_hints
from memkube.controllers.endpoints.controller import HEADLESS, is_headless
from memkube.controllers.endpoints.endpoint_pods import IPV4, IPV6, EndpointPod
from memkube.controllers.endpoints.selected_pods import in_parts
from memkube.controllers.endpoints.trigger_times import LAST_CHANGE
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

MANAGER: Final = "endpointslice-controller.k8s.io"
"""Value of the label ``endpointslice.kubernetes.io/managed-by`` of the EndpointSlices of this controller."""
_RESERVED: Final = frozenset({SERVICE_NAME, MANAGED_BY, HEADLESS})
_NODES: Final = ("", "v1", "nodes")
_HINTS_ANNOTATIONS: Final = ("service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode")


class _Groups:
    """The desired endpoints of a Service in one IP family, in groups of endpoints with the same port numbers."""

    def __init__(self, service: StoredObject, family: str, nodes: Informer) -> None:
        self._service = service
        self._family = family
        self._nodes = nodes
        spec = service.document["spec"]
        self._ports: Sequence[Document] = spec.get("ports") or []
        self._publishes_all = spec.get("publishNotReadyAddresses", False)
        self._by_numbers: dict[tuple[int | None, ...], DesiredEndpoints] = {}
        self.by_ports: dict[PortsKey, DesiredEndpoints] = {}

    def add(self, pods: Iterable[EndpointPod]) -> list[str]:
        """Add pods as endpoints of the Service. Returns a message for each pod whose node does not exist."""
        errors = []
        for pod in pods:
            if not pod.is_endpoint(includes_terminating=True):
                continue
            group, node = self._group(pod), self._nodes.get("", pod.node)
            if node is None and not self._publishes_all:
                where = f"Service {self._service.namespace}/{self._service.name}"
                errors.append(f"skipping Pod {pod.name} for {where}: Node {pod.node} Not Found")
                continue
            endpoint = _endpoint(pod, node, self._service, self._family)
            if endpoint["addresses"]:
                group.endpoints[endpoint_key(endpoint)] = endpoint
        return errors

    def _group(self, pod: EndpointPod) -> DesiredEndpoints:
        """Return the group for a pod: the endpoints whose pods have the same numbers for the ports of the Service."""
        numbers = tuple([pod.port(port) for port in self._ports])
        group = self._by_numbers.get(numbers)
        if group is None:
            ports = sorted_ports(list(_ports(self._ports, numbers)))
            group = self._by_numbers[numbers] = self.by_ports.setdefault(ports_key(ports), DesiredEndpoints(ports))
        return group


class EndpointSliceReconciler:
    """Keeps the pods of a Service as endpoints in EndpointSlices, which are separate for each IP family."""

    def __init__(self, runtime: Runtime, known: KnownSlices, topology: TopologyCache, events: EventRecorder) -> None:
        self._nodes = runtime.informers.of(*_NODES)
        self._writer = SliceWriter(runtime, known, "Service")
        self._topology = topology
        self._events = events

    async def reconcile(
        self, service: StoredObject, pods: Sequence[EndpointPod], existing: Sequence[StoredObject], trigger_time: str
    ) -> None:
        """Create, update and delete the EndpointSlices of a Service.

        `existing` are the slices that the controller manages now. `trigger_time` is the time of the change that caused
        the writes, for the annotation ``endpoints.kubernetes.io/last-change-trigger-time``. If it is empty, written
        slices have no such annotation.

        Raises ReconcileFailed if a write fails or the node of a pod does not exist.
        """
        slices, errors, outdated = [*map(Slice.of, existing)], list[str](), list[Slice]()
        families = _address_types(service.document["spec"])
        key = service.namespace, service.name
        for each in slices:
            if each.address_type not in families:
                self._topology.remove_hints(key, each.address_type)
                outdated.append(each)
        for family in families:
            of_family = [each for each in slices if each.address_type == family]
            plan = Plan()
            errors += await self._plan(service, pods, of_family, family, plan)
            reports = self._hint(service, family, plan, plan.unchanged(of_family))
            for each in (*plan.create, *plan.update):
                each.annotations.pop(LAST_CHANGE, None)
                each.annotations |= {LAST_CHANGE: trigger_time} if trigger_time else {}
            errors += await self._write(service, _with_replacements(service, plan))
            for report in reports:
                await self._events.record(service, report)
        for each in outdated:
            errors += await self._write(service, Plan(delete=[each]))
        if errors:
            raise ReconcileFailed(aggregate_message(errors))

    async def _write(self, service: StoredObject, plan: Plan) -> list[str]:
        try:
            await self._writer.write(service, plan)
        except ReconcileFailed as error:
            return [str(error)]
        return []

    async def _plan(
        self, service: StoredObject, pods: Sequence[EndpointPod], slices: Sequence[Slice], family: str, plan: Plan
    ) -> list[str]:
        """Plan the EndpointSlices of a Service in one IP family, by adding them to `plan`.

        Returns a message for each pod whose node does not exist.
        """
        owned: dict[PortsKey, list[Slice]] = {}
        for each in slices:
            if _is_owned(each, service):
                owned.setdefault(each.key, []).append(each)
            else:
                plan.delete.append(each)
        desired, errors = _Groups(service, family, self._nodes), list[str]()
        async for part in in_parts(pods):
            errors += desired.add(part)
        labels = partial(_labels, service)
        for ports, wanted in desired.by_ports.items():
            new_slice = partial(_new_slice, service, family, wanted.ports)
            plan.add(pack(owned.pop(ports, []), wanted.endpoints, labels, new_slice))
        plan.delete += [each for rest in owned.values() for each in rest]
        if len(plan.delete) == len(slices) and not plan.create:
            placeholder = _new_slice(service, family, [])
            if len(plan.delete) == 1 and _is_placeholder(plan.delete[0], placeholder):
                plan.delete.clear()
            else:
                plan.create.append(placeholder)
        return errors

    def _hint(self, service: StoredObject, family: str, plan: Plan, unchanged: list[Slice]) -> list[Report]:
        """Set or remove topology hints in the planned EndpointSlices of a Service. Returns the Events to record.

        `family` is the address type of the slices. `unchanged` are slices that need no write so far. If their hints
        must change, they are added to the updates of `plan`.
        """
        key = service.namespace, service.name
        if _wants_topology_hints(service):
            report = self._topology.add_hints(key, family, plan, unchanged)
            return [report] if report is not None else []
        reports = [no_more_hints(family)] if self._topology.has_hints(key) else []
        self._topology.remove_hints(key, family)
        distribution = service.document["spec"].get("trafficDistribution")
        if distribution in DISTRIBUTIONS:
            add_hints(distribution, plan, unchanged)
        else:
            remove_hints_from(plan, unchanged)
        return reports


def _with_replacements(service: StoredObject, plan: Plan) -> Plan:
    """Replace pairs of a planned creation and a planned deletion by an update of the EndpointSlice to be deleted.

    Only EndpointSlices that `service` owns are updated in this way. Returns the changed plan.
    """
    create, update, delete = [*plan.create], [*plan.update], list[Slice]()
    for each in plan.delete:
        if create and each.address_type == create[-1].address_type and _is_owned(each, service):
            replacement = create.pop()
            replacement.replaces = each.stored
            update.append(replacement)
        else:
            delete.append(each)
    return Plan(create, update, delete)


def _is_owned(each: Slice, service: StoredObject) -> bool:
    assert each.stored is not None
    references = each.stored.document["metadata"].get("ownerReferences") or []
    owner = (service.uid, "Service", "v1")
    return any((reference["uid"], reference["kind"], reference["apiVersion"]) == owner for reference in references)


def _new_slice(service: StoredObject, family: str, ports: list[Document]) -> Slice:
    owner = {"apiVersion": "v1", "kind": "Service", "name": service.name, "uid": service.uid}
    made = Slice(family, ports, {}, prefix=name_prefix(service.name))
    made.owner = {**owner, "controller": True, "blockOwnerDeletion": True}
    made.labels = _labels(service, made)[0]
    return made


def _labels(service: StoredObject, each: Slice) -> tuple[dict[str, str], bool]:
    """Return the labels that the EndpointSlice `each` should have, and True if its labels must be written.

    They must be written if the labels that `each` has copied from the Service differ from the Service's present labels.
    """
    wanted = {name: value for name, value in service.labels.items() if name not in _RESERVED}
    differ = {name: value for name, value in each.labels.items() if name not in _RESERVED} != wanted
    headless = {HEADLESS: ""} if is_headless(service) else {}
    return {**wanted, **headless, SERVICE_NAME: service.name, MANAGED_BY: MANAGER}, differ


def _is_placeholder(each: Slice, placeholder: Slice) -> bool:
    return not each.endpoints and not each.ports and each.labels == placeholder.labels


def _address_types(spec: Document) -> list[str]:
    families = [family for family in (IPV4, IPV6) if family in (spec.get("ipFamilies") or [])]
    if families:
        return families
    cluster_ip = spec.get("clusterIP", "")
    if cluster_ip not in ("", "None"):
        return [IPV6 if ":" in cluster_ip else IPV4]
    return [IPV4, IPV6]


def _ports(service_ports: Sequence[Document], numbers: Sequence[int | None]) -> Iterator[Document]:
    """Yield the ports of a Service as ports of an EndpointSlice, with the port numbers of a pod.

    Ports whose number is None are left out: the pod does not declare their named target port.
    """
    for port, number in zip(service_ports, numbers, strict=True):
        if number is not None:
            made = {"name": port.get("name", ""), "protocol": port.get("protocol", ""), "port": number}
            yield {**made, "appProtocol": port["appProtocol"]} if port.get("appProtocol") is not None else made


def _endpoint(pod: EndpointPod, node: StoredObject | None, service: StoredObject, family: str) -> Document:
    publishes_all = service.document["spec"].get("publishNotReadyAddresses", False)
    ready = publishes_all or (pod.is_ready and not pod.is_terminating)
    endpoint: Document = {
        "addresses": [address for each, address in pod.addresses if each == family],
        "conditions": {"ready": ready, "serving": pod.is_ready, "terminating": pod.is_terminating},
        "targetRef": {"kind": "Pod", "namespace": pod.namespace, "name": pod.name, "uid": pod.uid},
    }
    zone = "" if node is None else node.labels.get(ZONE, "")
    optional = {"hostname": pod.hostname_in(service.name), "nodeName": pod.node, "zone": zone}
    return endpoint | {name: value for name, value in optional.items() if value}


def _wants_topology_hints(service: StoredObject) -> bool:
    annotations: Mapping[str, str] = service.document["metadata"].get("annotations") or {}
    value = next((annotations[name] for name in _HINTS_ANNOTATIONS if name in annotations), "")
    return value in ("Auto", "auto")
