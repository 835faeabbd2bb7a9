"""The objects by which a cluster finds its API server: when they are deleted, the server makes them again."""

from typing import Final

from memkube.registry.declarations.interface import StandingObjects, Stores
from memkube.registry.objects.stored import StoredObject

_NAME: Final = "kubernetes"
_NAMESPACES: Final = ("", "default")


def tell_of_deletion(stores: Stores, last: StoredObject) -> None:
    """Tells whoever makes these objects, if this was one of them."""
    standing = stores.provided(StandingObjects)
    if standing is not None and last.name == _NAME and last.namespace in _NAMESPACES:
        standing.missed()
