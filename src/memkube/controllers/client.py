"""How controllers write: through the stores, as any client does, under the name of their manager."""

from collections.abc import Callable

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.interface import Deletion
from memkube.registry.registry import Registry
from memkube.registry.requests import ListOptions, WriteContext
from memkube.registry.resource import CreateSubresource, Resource
from memkube.registry.stored import StoredObject


class Client:
    """Creates, changes and deletes objects; what it changes belongs to a field manager."""

    def __init__(self, registry: Registry, manager: str) -> None:
        self._registry = registry
        self._manager = manager

    async def get(self, resource: Resource, namespace: str, name: str) -> StoredObject:
        """The newest revision. Raises ApiError 404."""
        return await self._registry.store(resource).get(namespace, name)

    async def create(self, resource: Resource, obj: ApiObject, namespace: str) -> StoredObject:
        """Stores a new object. Raises ApiError."""
        obj.metadata.namespace = namespace
        return await self._registry.store(resource).create(obj, self._context(namespace))

    async def update(
        self,
        resource: Resource,
        current: StoredObject,
        change: Callable[[ApiObject], None],
        *,
        subresource: str = "",
    ) -> StoredObject:
        """Applies `change` to the newest revision of an object, and writes only what differs.

        What `change` raises ends the update. Raises ApiError, 404 and 409 where the object is another by now.
        """
        store, context = self._registry.store(resource), self._context(current.namespace)
        return await store.update(current.name, change, context, subresource=subresource, uid=current.uid)

    async def post(self, resource: Resource, subresource: str, obj: ApiObject, namespace: str) -> None:
        """Hands an object to a subresource that takes one (``binding``, ``eviction``). Raises ApiError."""
        part = resource.subresource(subresource)
        assert isinstance(part, CreateSubresource)
        await self._registry.store(resource).post(part, obj.metadata.name, obj, self._context(namespace))

    async def delete(self, resource: Resource, namespace: str, name: str, options: DeleteOptions) -> Deletion:
        """Deletes an object, or leaves it terminating. Raises ApiError."""
        return await self._registry.store(resource).delete(name, options, self._context(namespace))

    async def delete_collection(self, resource: Resource, namespace: str, options: DeleteOptions) -> None:
        """Deletes every object of a resource in a namespace. Raises ApiError."""
        store = self._registry.store(resource)
        await store.delete_collection(ListOptions(), options, self._context(namespace))

    def _context(self, namespace: str) -> WriteContext:
        return WriteContext(namespace=namespace, manager=self._manager)
