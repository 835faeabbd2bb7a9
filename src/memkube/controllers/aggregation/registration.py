"""Creates and deletes APIServices for the versions that CustomResourceDefinitions serve.

Sources: ``pkg/controlplane/controller/crdregistration`` and kube-aggregator's ``controllers/autoregister``. The
APIServices of built-in groups are created when the server starts.
"""

from typing import Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.model import Document
from memkube.apis.apiregistration.v1.apiservices.local_services import MANAGED_LABEL
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.delegation import DEFAULT_PRIORITY
from memkube.registry.objects.stored import StoredObject

_API_SERVICES: Final = ("apiregistration.k8s.io", "v1", "apiservices")
_DEFINITIONS: Final = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_ALWAYS: Final = "true"
_OTHERS: Final = ("AlreadyExists", "Conflict", "NotFound")


class ApiServiceRegistration:
    """Creates, repairs and deletes APIServices with the label of automatic registration, and leaves others alone."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client_of("kube-apiserver")
        self._api_services = runtime.informers.of(*_API_SERVICES)
        self._definitions = runtime.informers.of(*_DEFINITIONS)
        self._queue = runtime.queue("registration of api services", self._sync)
        self._definitions.subscribe(self._on_definition)
        self._api_services.subscribe(self._on_api_service)

    def _on_definition(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for stored in (old, new):
            if stored is not None:
                spec = stored.document["spec"]
                for version in spec["versions"]:
                    self._queue.add((spec["group"], version["name"]))

    def _on_api_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        stored = new or old
        assert stored is not None
        if next(iter(self._definitions), None) is not None:
            spec = stored.document["spec"]
            self._queue.add((spec.get("group", ""), spec["version"]))

    async def _sync(self, version: tuple[str, str]) -> None:
        resource, wanted = self._runtime.catalog.find(*_API_SERVICES), self._wanted(*version)
        if resource is None:
            return
        current = self._api_services.get("", f"{version[1]}.{version[0]}")
        try:
            if current is None:
                if wanted is not None:
                    await self._client.create(resource, resource.model.from_document(wanted), "")
            elif current.labels.get(MANAGED_LABEL) != _ALWAYS:
                return
            elif wanted is None:
                options = DeleteOptions(preconditions=Preconditions(uid=current.uid))
                await self._client.delete(resource, "", current.name, options)
            elif current.document["spec"] != wanted["spec"]:
                await self._client.update(resource, current, lambda obj: _respecify(obj, wanted["spec"]))
        except ApiError as error:
            # Another client has changed the APIService first. The informer's event for that change queues it again.
            if error.reason not in _OTHERS:
                raise

    def _wanted(self, group: str, version: str) -> Document | None:
        for stored in self._definitions:
            spec = stored.document["spec"]
            if spec["group"] == group and any(v["name"] == version and v["served"] for v in spec["versions"]):
                return {
                    "apiVersion": "apiregistration.k8s.io/v1",
                    "kind": "APIService",
                    "metadata": {"name": f"{version}.{group}", "labels": {MANAGED_LABEL: _ALWAYS}},
                    "spec": {
                        "group": group,
                        "version": version,
                        "groupPriorityMinimum": DEFAULT_PRIORITY.group,
                        "versionPriority": DEFAULT_PRIORITY.version,
                    },
                }
        return None


def _respecify(api_service: Any, spec: Document) -> None:
    api_service.spec = type(api_service.spec).from_document(spec)
