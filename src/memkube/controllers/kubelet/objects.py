"""Config maps and secrets, as the nodes know them."""

from collections.abc import Callable

from memkube.apimachinery.model import Document
from memkube.controllers.informer import Informer
from memkube.controllers.runtime import Runtime
from memkube.registry.stored import StoredObject


class InformedObjects:
    """The objects that pods may name, kept up to date by watches."""

    def __init__(self, runtime: Runtime) -> None:
        self._config_maps = runtime.informers.of("", "v1", "configmaps")
        self._secrets = runtime.informers.of("", "v1", "secrets")

    def config_map(self, namespace: str, name: str) -> Document | None:
        """See ObjectLookup."""
        return _document(self._config_maps, namespace, name)

    def secret(self, namespace: str, name: str) -> Document | None:
        """See ObjectLookup."""
        return _document(self._secrets, namespace, name)

    def subscribe(self, changed: Callable[[str], None]) -> None:
        """Calls `changed` with the namespace of every object that is created or changed."""

        def handle(_: StoredObject | None, new: StoredObject | None) -> None:
            if new is not None:
                changed(new.namespace)

        self._config_maps.subscribe(handle)
        self._secrets.subscribe(handle)


def _document(informer: Informer, namespace: str, name: str) -> Document | None:
    stored = informer.get(namespace, name)
    return stored.document if stored is not None else None
