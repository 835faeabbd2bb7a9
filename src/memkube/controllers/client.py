"""How controllers write: through the stores, as any client does, under the name of their manager."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.interface import Deletion
from memkube.registry.registry import Registry
from memkube.registry.requests import ListOptions, WriteContext
from memkube.registry.resource import CreateSubresource, Resource
from memkube.registry.stored import StoredObject

T = TypeVar("T")


class Client:
    """Creates, changes and deletes objects; what it changes belongs to a field manager."""

    def __init__(self, registry: Registry, manager: str) -> None:
        self._registry = registry
        self._faults = registry.faults
        self._manager = manager

    async def get(self, resource: Resource, namespace: str, name: str) -> StoredObject:
        """The newest revision. Raises ApiError 404."""
        work = self._registry.store(resource).get(namespace, name)
        return await (self._hindered(work, "get", resource, namespace, name) if self._faults.present else work)

    async def create(self, resource: Resource, obj: ApiObject, namespace: str) -> StoredObject:
        """Stores a new object. Raises ApiError."""
        obj.metadata.namespace = namespace
        work = self._registry.store(resource).create(obj, self._context(namespace))
        if self._faults.present:
            return await self._hindered(work, "create", resource, namespace, obj.metadata.name)
        return await work

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
        work = store.update(current.name, change, context, subresource=subresource, uid=current.uid)
        if self._faults.present:
            return await self._hindered(work, "update", resource, current.namespace, current.name, subresource)
        return await work

    async def post(self, resource: Resource, subresource: str, obj: ApiObject, namespace: str) -> None:
        """Hands an object to a subresource that takes one (``binding``, ``eviction``). Raises ApiError."""
        part = resource.subresource(subresource)
        assert isinstance(part, CreateSubresource)
        work = self._registry.store(resource).post(part, obj.metadata.name, obj, self._context(namespace))
        if self._faults.present:
            work = self._hindered(work, "create", resource, namespace, obj.metadata.name, subresource)
        await work

    async def delete(self, resource: Resource, namespace: str, name: str, options: DeleteOptions) -> Deletion:
        """Deletes an object, or leaves it terminating. Raises ApiError."""
        work = self._registry.store(resource).delete(name, options, self._context(namespace))
        return await (self._hindered(work, "delete", resource, namespace, name) if self._faults.present else work)

    async def delete_collection(self, resource: Resource, namespace: str, options: DeleteOptions) -> None:
        """Deletes every object of a resource in a namespace. Raises ApiError."""
        store = self._registry.store(resource)
        work = store.delete_collection(ListOptions(), options, self._context(namespace))
        await (self._hindered(work, "deletecollection", resource, namespace) if self._faults.present else work)

    async def _hindered(
        self,
        work: Coroutine[Any, Any, T],
        verb: str,
        resource: Resource,
        namespace: str,
        name: str = "",
        subresource: str = "",
    ) -> T:
        """The work, where the faults let it."""
        from memkube.controllers.hindered import ControllerAsker, hindered  # noqa: PLC0415  for servers with faults

        asker = ControllerAsker(self._manager, verb, resource, namespace, name).of_subresource(subresource)
        return await hindered(self._registry, asker, work)

    def _context(self, namespace: str) -> WriteContext:
        return WriteContext(namespace=namespace, manager=self._manager)
