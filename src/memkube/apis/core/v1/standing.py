"""Makes the server recreate the Service, the endpoints and the ServiceCIDR called ``kubernetes`` after a deletion."""

from typing import Final

from memkube.registry.declarations.interface import Stores
from memkube.registry.objects.stored import StoredObject

_NAME: Final = "kubernetes"
_NAMESPACES: Final = ("", "default")


STANDING_RESOURCES: Final = (
    ("", "v1", "services"),
    ("", "v1", "endpoints"),
    ("discovery.k8s.io", "v1", "endpointslices"),
    ("networking.k8s.io", "v1", "servicecidrs"),
)
"""Resources of which the server always keeps an object with the name ``kubernetes``."""


def is_standing(stored: StoredObject) -> bool:
    """True if the server recreates this Service, Endpoints, EndpointSlice or ServiceCIDR after a deletion.

    `stored` must be an object of one of the STANDING_RESOURCES: only its name and namespace are checked.
    """
    return stored.name == _NAME and stored.namespace in _NAMESPACES


def report_deletion(stores: Stores, last: StoredObject) -> None:
    """Make the server recreate a deleted object if `is_standing` is true for the object.

    `last` is the last revision of the object before its deletion.
    """
    if is_standing(last):
        stores.kind_services.on_kubernetes_service_deleted()
