"""Gives every namespace the certificates that the server is trusted by (``certificates/rootcacertpublisher``)."""

from typing import Final

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.controllers.namespaced_object import create_unless_there, is_active
from memkube.controllers.runtime import Runtime
from memkube.registry.stored import StoredObject

_NAME: Final = "kube-root-ca.crt"
_CONFIG_MAPS: Final = ("", "v1", "configmaps")
_ANNOTATION: Final = "kubernetes.io/description"
_DESCRIPTION: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)
# The server speaks plain HTTP, which nothing certifies.
_DATA: Final = {"ca.crt": ""}


class RootCertificatePublisher:
    """Creates the config map in new namespaces, again where it is deleted, and sets it right where it is changed."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("root ca", self._sync)
        self._config_maps = runtime.informers.of(*_CONFIG_MAPS)
        self._namespaces = runtime.informers.of("", "v1", "namespaces")
        self._config_maps.subscribe(self._on_config_map)
        self._namespaces.subscribe(self._on_namespace)

    def _on_config_map(self, old: StoredObject | None, _: StoredObject | None) -> None:
        if old is not None and old.name == _NAME:
            self._queue.add(old.namespace)

    def _on_namespace(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and is_active(new):
            self._queue.add(new.name)

    async def _sync(self, namespace: str) -> None:
        resource = self._runtime.catalog.find(*_CONFIG_MAPS)
        if resource is None:
            return
        current = self._config_maps.get(namespace, _NAME)
        if current is None:
            await create_unless_there(self._runtime.client, resource, _config_map(), namespace)
        elif not _is_right(current):
            await self._runtime.client.update(resource, current, _set_right)


def _config_map() -> ConfigMap:
    config_map = ConfigMap()
    config_map.metadata.name = _NAME
    _set_right(config_map)
    return config_map


def _is_right(stored: StoredObject) -> bool:
    annotations = stored.document["metadata"].get("annotations", {})
    return stored.document.get("data") == _DATA and bool(annotations.get(_ANNOTATION))


def _set_right(config_map: ApiObject) -> None:
    assert isinstance(config_map, ConfigMap)
    config_map.data = dict(_DATA)
    config_map.metadata.annotations = {**config_map.metadata.annotations, _ANNOTATION: _DESCRIPTION}
