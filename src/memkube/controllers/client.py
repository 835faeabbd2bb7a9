"""How controllers write: through the stores, as any client does, under the name of their manager."""

from collections.abc import Callable

from memkube.apimachinery.errors import not_found
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.admission import Attributes
from memkube.registry.context import WriteContext
from memkube.registry.deletion import Deletion
from memkube.registry.options import ListOptions
from memkube.registry.ownership import own_changes, writer_of
from memkube.registry.registry import Registry
from memkube.registry.resource import Resource
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
        obj.kind, obj.apiVersion = resource.kind, resource.api_version
        obj.metadata.namespace = namespace
        resource.strategy.default(obj)
        context = self._context(namespace)
        own_changes(None, obj, resource, writer_of(resource, context, self._registry.backend.clock))
        return await self._registry.store(resource).create(obj, context)

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
        context = self._context(current.namespace)
        part = resource.subresource(subresource)
        writer = writer_of(resource, context, self._registry.backend.clock, part)

        async def build(newest: StoredObject | None) -> ApiObject:
            if newest is None:
                raise not_found(resource.group_resource, current.name)
            new = resource.model.from_document(newest.document)
            change(new)
            own_changes(newest, new, resource, writer)
            return new

        store = self._registry.store(resource)
        stored, _ = await store.update(current.name, build, context, subresource=part, uid=current.uid)
        return stored

    async def post(self, resource: Resource, subresource: str, obj: ApiObject, namespace: str) -> None:
        """Hands an object to a subresource that takes one (``binding``, ``eviction``). Raises ApiError."""
        part = resource.subresource(subresource)
        assert part is not None
        assert part.create is not None
        context, name = self._context(namespace), obj.metadata.name
        admission = self._registry.backend.admission
        attributes = Attributes(resource, subresource, "CREATE", namespace, name, obj, None, context)
        await admission.mutate(attributes)
        await admission.validate(attributes)
        await part.create(self._registry, name, obj, context)

    async def delete(self, resource: Resource, namespace: str, name: str, options: DeleteOptions) -> Deletion:
        """Deletes an object, or leaves it terminating. Raises ApiError."""
        return await self._registry.store(resource).delete(name, options, self._context(namespace))

    async def delete_collection(self, resource: Resource, namespace: str, options: DeleteOptions) -> None:
        """Deletes every object of a resource in a namespace. Raises ApiError."""
        store = self._registry.store(resource)
        await store.delete_collection(ListOptions(), options, self._context(namespace))

    def _context(self, namespace: str) -> WriteContext:
        return WriteContext(namespace=namespace, manager=self._manager)
