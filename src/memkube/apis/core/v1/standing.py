"""Service ``kubernetes``, its endpoints and ServiceCIDR, which the server recreates after a deletion."""

from typing import Final

from memkube.registry.declarations.interface import Stores
from memkube.registry.objects.stored import StoredObject

_NAME: Final = "kubernetes"
_NAMESPACES: Final = ("", "default")


def report_deletion(stores: Stores, last: StoredObject) -> None:
    """Make the server recreate the deleted object if its name is ``kubernetes``."""
    if last.name == _NAME and last.namespace in _NAMESPACES:
        stores.kind_services.on_kubernetes_service_deleted()
