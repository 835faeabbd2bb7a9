"""PUT requests and changes by code in this process: functions that make the new object from the stored one."""

from collections.abc import Awaitable, Callable

from memkube.apimachinery.errors import not_found
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.registry.declarations.interface import Change
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import Subresource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Collection
from memkube.registry.writes.metadata import (
    check_object_name,
    deduplicate_owners,
    fit_namespace,
    own_changes,
    writer_of,
)


class Replaced:
    """Returns the object in the body of a PUT. Raises ApiError if the name or namespace differs from the URL."""

    def __init__(
        self,
        collection: Collection,
        name: str,
        decode: Callable[[], ApiObject],
        context: WriteContext,
        subresource: Subresource | None,
    ) -> None:
        self._collection = collection
        self._name = name
        self._decode = decode
        self._context = context
        self._writer = writer_of(collection.resource, context, collection.backend.clock, subresource)
        self._first: ApiObject | None = self._received()
        self.uid = self._first.metadata.uid or None
        """The uid in the body, a precondition; None if the body has none."""

    async def __call__(self, current: StoredObject | None) -> ApiObject:
        """Return the object to store."""
        new, self._first = self._first or self._received(), None
        await own_changes(current, new, self._collection.resource, self._writer)
        return new

    def _received(self) -> ApiObject:
        obj = self._decode()
        fit_namespace(obj.metadata, self._collection.namespace_of(self._context))
        check_object_name(obj, self._name)
        deduplicate_owners(obj, self._context)
        self._collection.resource.strategy.default(obj)
        return obj


class Changed:
    """Applies a change function to the newest revision of an object. If `owned` is True, managedFields are updated."""

    def __init__(
        self,
        collection: Collection,
        name: str,
        change: Change,
        context: WriteContext,
        *,
        subresource: Subresource | None = None,
        owned: bool = True,
        check: Callable[[StoredObject], Awaitable[None]] | None = None,
    ) -> None:
        self._collection = collection
        self._name = name
        self._change = change
        self._owned = owned
        self._check = check
        self._writer = writer_of(collection.resource, context, collection.backend.clock, subresource)

    async def __call__(self, current: StoredObject | None) -> ApiObject:
        """Return the changed object. Exceptions of `check` and of the change function are passed on."""
        if current is None:
            raise not_found(self._collection.resource.group_resource, self._name)
        if self._check is not None:
            await self._check(current)
        new = self._collection.instance(current)
        self._change(new)
        if self._owned:
            await own_changes(current, new, self._collection.resource, self._writer)
        return new
