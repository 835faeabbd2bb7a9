"""Reads and writes of objects through a view, such as ``scale``."""

from dataclasses import replace

from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import ViewSubresource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.store import Store
from memkube.registry.writes.updating import Build, UpdateOptions


class ViewStore(Store):
    """Get, update and patch the objects of another store as a view shows them. No other verb is supported."""

    def __init__(self, objects: Store, subresource: ViewSubresource) -> None:
        super().__init__(subresource.shown, objects.backend, objects.stores)
        self._objects = objects
        self._subresource = subresource

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """Return the newest revision of an object, as the view shows it. Raises ApiError as Store.get does."""
        return self._shown(await self._objects.get(namespace, name, resource_version))

    async def _update(
        self, name: str, build: Build, context: WriteContext, options: UpdateOptions
    ) -> tuple[StoredObject, bool]:
        """Update the object behind the view. `build` gets the object as the view shows it, and returns it changed."""
        through = replace(options, subresource=self._subresource, upsert=False)
        stored, _ = await self._objects._update(name, build, context, through)
        return self._shown(stored), False

    def _shown(self, stored: StoredObject) -> StoredObject:
        return StoredObject(self._subresource.view.show(stored.document))
