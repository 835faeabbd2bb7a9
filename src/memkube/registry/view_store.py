"""Reads and writes of objects in the kind of a subresource, such as ``scale``."""

from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import ViewSubresource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.store import Store
from memkube.registry.writes.updating import Build, UpdateOptions


class ViewStore(Store):
    """Store of objects as a subresource such as ``scale`` shows them. It supports get, update and patch."""

    def __init__(self, objects: Store, subresource: ViewSubresource) -> None:
        super().__init__(subresource.shown, objects.backend, objects.stores)
        self._objects = objects
        self._subresource = subresource

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """Return the newest revision of an object as a subresource such as ``scale`` shows it.

        Raises the errors of :meth:`Store.get`.
        """
        return self._shown(await self._objects.get(namespace, name, resource_version))

    async def _update(
        self, name: str, build: Build, context: WriteContext, options: UpdateOptions
    ) -> tuple[StoredObject, bool]:
        """Update the object behind the subresource.

        `build` gets the object as the subresource shows it, for example as a Scale, and returns the changed one.
        """
        through = options._replace(subresource=self._subresource, upsert=False)
        stored, _ = await self._objects._update(name, build, context, through)
        return self._shown(stored), False

    def _shown(self, stored: StoredObject) -> StoredObject:
        return StoredObject(self._subresource.view.show(stored.document))
