"""Service ``kubernetes`` and its Endpoints, which the server recreates after a deletion."""

from typing import Final

from memkube.registry.declarations.interface import Stores
from memkube.registry.objects.stored import StoredObject

_NAME: Final = "kubernetes"
_NAMESPACES: Final = ("", "default")


def report_deletion(stores: Stores, last: StoredObject) -> None:
    """Have the server recreate the object if it is one of these."""
    if last.name == _NAME and last.namespace in _NAMESPACES:
        stores.kind_services.on_kubernetes_service_deleted()
