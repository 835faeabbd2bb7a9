"""Objects by their controllers, so that a controller need not look through all of a namespace."""

from memkube.controllers.informer import Informer
from memkube.controllers.workloads.owners import controller_uid
from memkube.registry.stored import StoredObject


class OwnedObjects:
    """The newest known objects of one resource by the uid of their controller; those without one by namespace.

    It has to be made before whoever asks it subscribes to the informer.
    """

    def __init__(self, informer: Informer) -> None:
        self._owned: dict[str, dict[str, StoredObject]] = {}
        self._orphans: dict[str, dict[str, StoredObject]] = {}
        informer.subscribe(self._on_change)

    def of(self, uid: str) -> list[StoredObject]:
        """The objects that the owner of this uid controls."""
        return list(self._owned.get(uid, {}).values())

    def orphans(self, namespace: str) -> list[StoredObject]:
        """The objects of a namespace that nobody controls."""
        return list(self._orphans.get(namespace, {}).values())

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None:
            index, key = self._place(old)
            objects = index.get(key, {})
            objects.pop(old.name, None)
            if not objects:
                index.pop(key, None)
        if new is not None:
            index, key = self._place(new)
            index.setdefault(key, {})[new.name] = new

    def _place(self, stored: StoredObject) -> tuple[dict[str, dict[str, StoredObject]], str]:
        uid = controller_uid(stored)
        return (self._owned, uid) if uid else (self._orphans, stored.namespace)
