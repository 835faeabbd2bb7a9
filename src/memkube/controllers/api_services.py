"""Whether groups and versions that are left to other servers can be had (kube-aggregator's ``controllers/status``).

It belongs to the API server, and runs whichever controllers are chosen. No request is passed on to a service: the
network of the cluster is not there. So no other server is ever found to answer.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apis.apiregistration.v1.apiservices.local_services import local_condition
from memkube.controllers.runtime import Runtime
from memkube.registry.clock import written_now
from memkube.registry.stored import StoredObject

_API_SERVICES: Final = ("apiregistration.k8s.io", "v1", "apiservices")
_SERVICE_NAME: Final = "kubernetes.io/service-name"


class Finding(NamedTuple):
    """Why a group and version cannot be had."""

    reason: str
    message: str


class ApiServiceAvailability:
    """Keeps the condition Available of APIServices, and leaves their groups and versions to whom they name."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client_of("kube-apiserver")
        self._api_services = runtime.informers.of(*_API_SERVICES)
        self._services = runtime.informers.of("", "v1", "services")
        self._slices = runtime.informers.of("discovery.k8s.io", "v1", "endpointslices")
        self._queue = runtime.queue("api services", self._sync)
        self._api_services.subscribe(self._on_api_service)
        self._services.subscribe(self._on_service)
        self._slices.subscribe(self._on_slice)

    def _on_api_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if any(stored is not None and "service" in stored.document["spec"] for stored in (old, new)):
            others = (stored.document["spec"] for stored in self._api_services)
            self._runtime.catalog.delegate((s.get("group", ""), s["version"]) for s in others if "service" in s)
        if new is not None:
            self._queue.add(new.name)

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        stored = new or old
        assert stored is not None
        self._look_again(stored.namespace, stored.name)

    def _on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        stored = new or old
        assert stored is not None
        self._look_again(stored.namespace, stored.labels.get(_SERVICE_NAME, ""))

    def _look_again(self, namespace: str, service: str) -> None:
        for stored in self._api_services:
            asked = stored.document["spec"].get("service")
            if asked is not None and (asked.get("namespace"), asked.get("name")) == (namespace, service):
                self._queue.add(stored.name)

    async def _sync(self, name: str) -> None:
        resource, known = self._runtime.catalog.find(*_API_SERVICES), self._api_services.get("", name)
        if resource is None or known is None:
            return
        condition = self._condition(known.document["spec"])
        if _is_known(known.document, condition):
            return

        def change(api_service: Any) -> None:
            conditions = with_condition(api_service.status.to_document().get("conditions") or [], condition)
            api_service.status = type(api_service.status).from_document({"conditions": conditions})

        try:
            await self._client.update(resource, known, change, subresource="status")
        except ApiError as error:
            if error.reason not in ("NotFound", "Conflict"):
                raise

    def _condition(self, spec: Document) -> Document:
        now = written_now(self._runtime.clock)
        if spec.get("service") is None:
            return local_condition(now)
        service = self._services.get(spec["service"]["namespace"], spec["service"]["name"])
        reason, message = why_unavailable(spec, service, self._slices_of(service))
        return {
            "type": "Available",
            "status": "False",
            "lastTransitionTime": now,
            "reason": reason,
            "message": message,
        }

    def _slices_of(self, service: StoredObject | None) -> list[Document]:
        if service is None:
            return []
        there = self._slices.in_namespace(service.namespace).values()
        return [stored.document for stored in there if stored.labels.get(_SERVICE_NAME) == service.name]


def why_unavailable(spec: Document, service: StoredObject | None, slices: Sequence[Document]) -> Finding:
    """What the reference finds first: no service, no such port, no endpoints, or no answer."""
    namespace, name, port = (spec["service"].get(key) for key in ("namespace", "name", "port"))
    named = f'service/{name} in "{namespace}"'
    if service is None:
        return Finding("ServiceNotFound", f"{named} is not present")
    if service.document["spec"].get("type") == "ClusterIP":
        ports = service.document["spec"].get("ports") or []
        found = next((p for p in ports if p["port"] == port), None)
        if found is None:
            return Finding("ServicePortError", f"{named} is not listening on port {port}")
        if not slices:
            return Finding("EndpointsNotFound", f"cannot find endpointslices for {named}")
        port_name = found.get("name", "")
        if not any(_has_endpoint(each, port_name) for each in slices):
            why = f'endpointslices for {named} have no addresses with port name "{port_name}"'
            return Finding("MissingEndpoints", why)
    url = f"https://{name}.{namespace}.svc:{port}/apis/{spec.get('group', '')}/{spec['version']}"
    why = f"failing or missing response from {url}: the network of the cluster cannot be reached"
    return Finding("FailedDiscoveryCheck", why)


def _has_endpoint(endpoint_slice: Document, port_name: str) -> bool:
    endpoints: Iterable[Document] = endpoint_slice.get("endpoints") or []
    ports: Iterable[Document] = endpoint_slice.get("ports") or []
    ready = any((endpoint.get("conditions") or {}).get("ready") is not False for endpoint in endpoints)
    return ready and any(p.get("name") == port_name and p.get("port") is not None for p in ports)


def _is_known(document: Document, condition: Document) -> bool:
    conditions: Iterable[Document] = document["status"].get("conditions") or []
    return any(_without_time(known) == _without_time(condition) for known in conditions)


def with_condition(conditions: Iterable[Document], condition: Document) -> list[Document]:
    """The conditions with this one in the place of that of its type; the time stays for as long as the status does."""
    merged = [_merged(known, condition) if known["type"] == condition["type"] else known for known in conditions]
    return merged if any(known["type"] == condition["type"] for known in merged) else [*merged, condition]


def _merged(known: Document, condition: Document) -> Document:
    if known["status"] != condition["status"]:
        return condition
    return {**condition, "lastTransitionTime": known["lastTransitionTime"]}


def _without_time(condition: Document) -> Document:
    return {name: value for name, value in condition.items() if name != "lastTransitionTime"}
