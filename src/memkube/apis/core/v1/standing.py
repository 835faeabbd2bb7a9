"""Service ``kubernetes`` and its Endpoints, which the server recreates after a deletion."""

from typing import Final

from memkube.registry.declarations.interface import StandingObjects, Stores
from memkube.registry.objects.stored import StoredObject

_NAME: Final = "kubernetes"
_NAMESPACES: Final = ("", "default")


def tell_of_deletion(stores: Stores, last: StoredObject) -> None:
    """Notify the component that manages these objects if one of them was deleted."""
    standing = stores.provided(StandingObjects)
    if standing is not None and last.name == _NAME and last.namespace in _NAMESPACES:
        standing.missed()
