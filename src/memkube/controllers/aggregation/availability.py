"""Maintains the condition Available of APIServices, and routes their groups and versions to extension API servers.

Sources: kube-aggregator's ``controllers/status`` and ``apiserver/{apiserver,handler_discovery}.go``.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apis.apiregistration.v1.apiservices.local_services import local_condition
from memkube.controllers.aggregation.checks import (
    Finding,
    answer_fault,
    is_available,
    is_known,
    service_fault,
    with_condition,
)
from memkube.controllers.aggregation.inquiries import inquire
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries, TryAgain
from memkube.hooks.configuration import ClientConfig, ServiceReference
from memkube.hooks.services import ServicePort
from memkube.registry.declarations.delegation import Delegate, Priority, PublishedDocuments
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

_API_SERVICES: Final = ("apiregistration.k8s.io", "v1", "apiservices")
_SERVICE_NAME: Final = "kubernetes.io/service-name"
_CHECK_SECONDS: Final = 30.0
_REFRESH: Final = timedelta(minutes=1)
_LOCAL: Final = local_condition("")


class ApiServiceAvailability:
    """Checks an APIService when it or its Service changes, and each extension API server at least every 30 seconds."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client_of("kube-apiserver")
        self._api_services = runtime.informers.of(*_API_SERVICES)
        self._services = runtime.informers.of("", "v1", "services")
        self._slices = runtime.informers.of("discovery.k8s.io", "v1", "endpointslices")
        self._queue = runtime.queue("api services", self._sync_own)
        # Check extension API servers in a separate queue: this may be slow, and local APIServices must not wait for it.
        self._others = runtime.queue(
            "api services of others", self._sync, retries=Retries(longest_delay=_CHECK_SECONDS)
        )
        self._published: dict[str, PublishedDocuments] = {}
        self._asked: dict[str, tuple[ClientConfig, bool, datetime]] = {}
        self._first: set[str] = set()
        """Names of the APIServices that existed at the start, and whose discovery document was not fetched yet."""
        self._api_services.subscribe(self._on_api_service)
        self._services.subscribe(self._on_service)
        self._slices.subscribe(self._on_slice)
        listeners = runtime.parts.listeners
        runtime.closing.append(listeners.on_change(lambda service: self._recheck(service.namespace, service.name)))

    def unsynced(self) -> list[str]:
        return sorted(self._first)

    def _on_api_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None and old is not None:
            self._published.pop(old.name, None)
            self._asked.pop(old.name, None)
        self._delegate()
        if new is not None and "service" in new.document["spec"]:
            if _API_SERVICES[2] in self._runtime.informers.unsynced():
                self._first.add(new.name)
            self._others.add(new.name)
        elif new is not None and not is_known(new.document, _LOCAL):
            self._queue.add(new.name)

    def _delegate(self) -> None:
        """Make routing and discovery use the current APIServices.

        The APIServices determine which extension API server serves each group and version, and in which order discovery
        lists groups and versions.
        """
        delegates, priorities = {}, {}
        for stored in self._api_services:
            spec = stored.document["spec"]
            version = (spec.get("group", ""), spec["version"])
            priorities[version] = Priority(spec["groupPriorityMinimum"], spec["versionPriority"])
            if "service" in spec:
                documents = self._published.get(stored.name, PublishedDocuments())
                delegates[version] = Delegate(_config_of(spec), is_available(stored.document), documents)
        self._runtime.catalog.delegate(delegates, priorities)

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        stored = new or old
        assert stored is not None
        self._recheck(stored.namespace, stored.name)

    def _on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        stored = new or old
        assert stored is not None
        self._recheck(stored.namespace, stored.labels.get(_SERVICE_NAME, ""))

    def _recheck(self, namespace: str, service: str) -> None:
        for stored in self._api_services:
            asked = stored.document["spec"].get("service")
            if asked is not None and (asked.get("namespace"), asked.get("name")) == (namespace, service):
                self._asked.pop(stored.name, None)
                self._others.add(stored.name)

    async def _sync_own(self, name: str) -> None:
        known = self._api_services.get("", name)
        if known is not None and known.document["spec"].get("service") is None:
            await self._write_condition(known, local_condition(written_now(self._runtime.clock)))

    async def _sync(self, name: str) -> None:
        """Check the availability of one APIService, and fetch the documents of its extension API server.

        Raises TryAgain if that server does not respond, or returns no discovery document.
        """
        known = self._api_services.get("", name)
        if known is None or known.document["spec"].get("service") is None:
            self._first.discard(name)
            return
        spec = known.document["spec"]
        fault = await self._fault(spec)
        await self._inquire(name, spec, available=fault is None)
        self._first.discard(name)
        reason, message = fault or ("Passed", "all checks passed")
        condition = {
            "type": "Available",
            "status": "False" if fault is not None else "True",
            "lastTransitionTime": written_now(self._runtime.clock),
            "reason": reason,
            "message": message,
        }
        await self._write_condition(known, condition)
        if reason == "FailedDiscoveryCheck" or name not in self._asked:
            raise TryAgain
        self._others.add_after(name, _CHECK_SECONDS)

    async def _write_condition(self, known: StoredObject, condition: Document) -> None:
        resource = self._runtime.catalog.find(*_API_SERVICES)
        if resource is None or is_known(known.document, condition):
            return

        def change(api_service: Any) -> None:
            conditions = with_condition(api_service.status.to_document().get("conditions") or [], condition)
            api_service.status = type(api_service.status).from_document({"conditions": conditions})

        try:
            await self._client.update(resource, known, change, subresource="status")
        except ApiError as error:
            if error.reason not in ("NotFound", "Conflict"):
                raise

    async def _fault(self, spec: Document) -> Finding | None:
        reference = spec["service"]
        namespace, name = reference["namespace"], reference["name"]
        if self._runtime.parts.listeners.get(ServicePort(namespace, name, reference["port"])) is None:
            service = self._services.get(namespace, name)
            fault = service_fault(spec, service, self._slices_of(service))
            if fault is not None:
                return fault
        group, version = spec.get("group", ""), spec["version"]
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        return await answer_fault(self._runtime.parts.hook_client, _config_of(spec), path)

    async def _inquire(self, name: str, spec: Document, *, available: bool) -> None:
        """Fetch the discovery and OpenAPI documents of an extension API server, so that this server publishes them.

        `name` and `spec` belong to the APIService. `available` is True if the extension API server responds. If
        documents were fetched recently, they are only fetched again if the configuration of the connection or
        `available` has changed since then, or if the discovery document was missing.
        """
        config, now = _config_of(spec), self._runtime.clock.now()
        asked = self._asked.get(name)
        if asked is not None and asked[:2] == (config, available) and now - asked[2] < _REFRESH:
            return
        version = (spec.get("group", ""), spec["version"])
        documents = await inquire(self._runtime.parts.hook_client, config, *version, available=available)
        if documents.discovery is None:
            self._asked.pop(name, None)
        else:
            self._asked[name] = (config, available, now)
        if self._published.get(name) != documents:
            self._published[name] = documents
            self._delegate()

    def _slices_of(self, service: StoredObject | None) -> list[Document]:
        if service is None:
            return []
        there = self._slices.in_namespace(service.namespace).values()
        return [stored.document for stored in there if stored.labels.get(_SERVICE_NAME) == service.name]


def _config_of(spec: Document) -> ClientConfig:
    reference = spec["service"]
    return ClientConfig(
        service=ServiceReference(reference["namespace"], reference["name"], port=reference["port"]),
        ca_bundle=decode_base64(spec.get("caBundle") or ""),
        insecure=spec.get("insecureSkipTLSVerify", False),
    )
