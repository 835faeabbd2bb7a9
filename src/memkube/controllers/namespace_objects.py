"""Creates the ServiceAccount ``default`` and the ConfigMap ``kube-root-ca.crt`` in every namespace."""

from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.apis.core.v1.namespaces.default_objects import (
    ACCOUNT,
    ANNOTATION,
    CERTIFICATE,
    CERTIFICATE_KEY,
    DESCRIPTION,
)
from memkube.controllers.framework.client import Client
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

_CONFIG_MAPS: Final = ("", "v1", "configmaps")
_SERVICE_ACCOUNTS: Final = ("", "v1", "serviceaccounts")


def is_active(namespace: StoredObject | None) -> bool:
    """Return True if a namespace exists and is not terminating."""
    return namespace is not None and namespace.document["status"].get("phase") == "Active"


async def create_if_missing(client: Client, resource: Resource, obj: ApiObject, namespace: str) -> None:
    """Create an object, unless an object of this name exists, or the namespace is terminating or does not exist.

    Raises ApiError if the creation is refused for another reason.
    """
    try:
        await client.create(resource, obj, namespace)
    except ApiError as error:
        causes = error.details.causes if error.details else ()
        terminating = any(cause.reason == "NamespaceTerminating" for cause in causes)
        if error.reason not in ("AlreadyExists", "NotFound") and not terminating:
            raise


class RootCertificatePublisher:
    """Creates the ConfigMap ``kube-root-ca.crt`` in every namespace, and restores it after a change or deletion."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._data = {CERTIFICATE_KEY: runtime.registry.kind_services.root_certificate}
        self._queue = runtime.queue("root ca", self._sync)
        self._config_maps = runtime.informers.of(*_CONFIG_MAPS)
        self._namespaces = runtime.informers.of("", "v1", "namespaces")
        self._config_maps.subscribe(self._on_config_map)
        self._namespaces.subscribe(self._on_namespace)

    def _on_config_map(self, old: StoredObject | None, _: StoredObject | None) -> None:
        if old is not None and old.name == CERTIFICATE:
            self._queue.add(old.namespace)

    def _on_namespace(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and is_active(new):
            self._queue.add(new.name)

    async def _sync(self, namespace: str) -> None:
        resource = self._runtime.catalog.find(*_CONFIG_MAPS)
        if resource is None:
            return
        current = self._config_maps.get(namespace, CERTIFICATE)
        if current is None:
            config_map = resource.model.from_document(
                {"metadata": {"name": CERTIFICATE, "annotations": {ANNOTATION: DESCRIPTION}}, "data": dict(self._data)}
            )
            await create_if_missing(self._runtime.client, resource, config_map, namespace)
        elif not self._is_right(current):
            await self._runtime.client.update(resource, current, self._set_right)

    def _is_right(self, stored: StoredObject) -> bool:
        annotations = stored.document["metadata"].get("annotations", {})
        return stored.document.get("data") == self._data and bool(annotations.get(ANNOTATION))

    def _set_right(self, config_map: ApiObject) -> None:
        assert isinstance(config_map, ConfigMap)
        config_map.data = dict(self._data)
        config_map.metadata.annotations = {**config_map.metadata.annotations, ANNOTATION: DESCRIPTION}


class ServiceAccountController:
    """Creates the ServiceAccount ``default`` in every namespace, and again after its deletion."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("service account", self._sync)
        self._accounts = runtime.informers.of(*_SERVICE_ACCOUNTS)
        self._namespaces = runtime.informers.of("", "v1", "namespaces")
        self._accounts.subscribe(self._on_account)
        self._namespaces.subscribe(self._on_namespace)

    def _on_account(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and new is None:
            self._queue.add(old.namespace)

    def _on_namespace(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._queue.add(new.name)

    async def _sync(self, namespace: str) -> None:
        resource = self._runtime.catalog.find(*_SERVICE_ACCOUNTS)
        if resource is None or not is_active(self._namespaces.get("", namespace)):
            return
        if self._accounts.get(namespace, ACCOUNT) is None:
            account = resource.model.from_document({"metadata": {"name": ACCOUNT}})
            await create_if_missing(self._runtime.client, resource, account, namespace)
