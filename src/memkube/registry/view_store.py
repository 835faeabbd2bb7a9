"""Reads and writes objects through a subresource that has a kind of its own, such as ``scale``."""

from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import ViewSubresource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.store import Store
from memkube.registry.writes.updating import Build, UpdateOptions


class ViewStore(Store):
    """Store that reads and writes objects in the kind of a subresource, such as Scale.

    It supports get, update and patch.
    """

    def __init__(self, objects: Store, subresource: ViewSubresource) -> None:
        super().__init__(subresource.shown, objects.backend, objects.stores)
        self._objects = objects
        self._subresource = subresource

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """Return the newest revision of an object, converted to the kind of the subresource, such as Scale.

        `resource_version` has the same meaning as in :meth:`Store.get`, which raises the same errors.
        """
        return self._shown(await self._objects.get(namespace, name, resource_version))

    async def _update(
        self, name: str, build: Build, context: WriteContext, options: UpdateOptions
    ) -> tuple[StoredObject, bool]:
        """Update the object to which the subresource belongs.

        The function `build` gets the object in the kind of the subresource, for example as a Scale, and returns it
        changed.
        """
        through = options._replace(subresource=self._subresource, upsert=False)
        stored, _ = await self._objects._update(name, build, context, through)
        return self._shown(stored), False

    def _shown(self, stored: StoredObject) -> StoredObject:
        return StoredObject(self._subresource.view.show(stored.document))
