"""Conversion of objects between the version or group in which they are stored and that in which clients see them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias
from weakref import WeakKeyDictionary, WeakSet, ref

from memkube.apimachinery.model import Document
from memkube.registry.objects.stored import StoredObject
from memkube.storage.forwarding import ForwardingStorage
from memkube.storage.interface import Event, MatchValue, Page, Storage, Watcher
from memkube.time.activity import Activity

Convert: TypeAlias = Callable[[Sequence[Document]], Awaitable[Sequence[Document]]]
"""Function that converts objects to another version, possibly by calling a webhook.

Of the metadata, it may change only labels and annotations. It raises ApiError if the conversion fails.
"""


class Conversion(Protocol):
    """Functions that convert objects between the version or group in which they are stored and the served one."""

    @property
    def to_stored(self) -> Convert:
        """Function that converts objects from the served version or group to the stored one."""

    @property
    def from_stored(self) -> Convert:
        """Function that converts objects from the stored version or group to the served one."""

    @property
    def may_cache(self) -> Callable[[Document], bool] | None:
        """Function that returns True if the result of converting a stored object may be cached.

        None if all results may be cached, because no webhook converts the objects.
        """

    @property
    def is_printed(self) -> bool:
        """True if Tables are printed from the stored objects, because the served objects lack some of the fields."""

    @property
    def is_lossless(self) -> bool:
        """True if an object that is converted to the stored version and back is the same object again."""


def each(convert: Callable[[Document], Document]) -> Convert:
    """Return a function that converts a list of objects by calling `convert` for each of them."""

    async def convert_all(documents: Sequence[Document]) -> Sequence[Document]:
        return [convert(document) for document in documents]

    return convert_all


def renamed(api_version: str) -> Convert:
    """Return a function that sets the apiVersion of objects and changes nothing else (conversion strategy ``None``)."""
    return each(lambda document: {**document, "apiVersion": api_version})


async def converted_between(document: Document, given: Conversion | None, wanted: Conversion | None) -> Document:
    """Convert an object between two served versions of its kind, by way of the stored version.

    `given` is the conversion between the object's version and the stored version, and `wanted` the one between the
    requested version and the stored version. Either is None if that version is the stored version itself.
    """
    if given is not None:
        document = (await given.to_stored([document]))[0]
    if wanted is not None:
        document = (await wanted.from_stored([document]))[0]
    return document


class ConvertedStorage(ForwardingStorage[StoredObject]):
    """A storage that converts objects on reads and writes: see :class:`memkube.storage.interface.Storage`.

    Callers see objects in the served version. Each revision is converted once, so that all readers share the encoded
    bytes. Only objects that a webhook converts are converted again on every get and list, as in kube-apiserver.
    Snapshots contain the stored version.
    """

    def __init__(
        self, storage: Storage[StoredObject], conversion: Conversion, activity: Activity | None = None
    ) -> None:
        """Convert the objects of `storage` with the functions in `conversion`.

        `activity` counts the conversions for watches as work in progress.
        """
        super().__init__(storage)
        self._activity = activity or Activity()
        self._conversion = conversion
        self._shown: WeakKeyDictionary[StoredObject, StoredObject] = WeakKeyDictionary()
        self._as_they_are: WeakSet[StoredObject] = WeakSet()

    async def create(self, key: str, value: StoredObject) -> StoredObject:
        stored = await self._storage.create(key, await self._to_stored(value))
        if self._conversion.is_lossless:
            return value.with_revision(int(stored.resource_version))
        return await self._from_stored(stored)

    async def get(self, key: str, *, at_least: int | None = None) -> StoredObject:
        (shown,) = await self._shown_anew([await self._storage.get(key, at_least=at_least)])
        return shown

    async def list(
        self,
        prefix: str,
        *,
        limit: int = 0,
        start: str = "",
        revision: int = 0,
        at_least: int | None = None,
        matching: Sequence[MatchValue[StoredObject]] = (),
    ) -> Page[StoredObject]:
        """Return a page of objects, converted to the served version. The parameters are those of ``Storage.list``.

        `matching` is ignored, because its conditions are about objects in the served version, but the indices of the
        storage are about objects in the stored version.
        """
        page = await self._storage.list(prefix, limit=limit, start=start, revision=revision, at_least=at_least)
        return page._replace(values=await self._shown_anew(page.values))

    async def update(self, key: str, change: Callable[[StoredObject], Awaitable[StoredObject | None]]) -> StoredObject:
        return await self._update(key, change, keeps_spec=False)

    async def update_keeping_spec(
        self, key: str, change: Callable[[StoredObject], Awaitable[StoredObject | None]]
    ) -> StoredObject:
        """Update an object as :meth:`update` does, but leave the ``spec`` of the stored version as it is.

        Converting the spec to the served version and back may change it, for example the order of its lists.
        """
        return await self._update(key, change, keeps_spec=True)

    async def _update(
        self, key: str, change: Callable[[StoredObject], Awaitable[StoredObject | None]], *, keeps_spec: bool
    ) -> StoredObject:
        async def converted(current: StoredObject) -> StoredObject | None:
            shown = await self._from_stored(current)
            changed = await change(shown)
            if changed is None:
                return None
            stored = await self._to_stored(changed)
            if keeps_spec and "spec" in current.document:
                stored = StoredObject({**stored.document, "spec": current.document["spec"]})
            # As in kube-apiserver, an update counts as a change if it changes the object in the stored version. An
            # object that was stored under an older schema or in another version is therefore written again even if the
            # served version is unchanged. A change of a field that the stored version lacks is not written.
            meant = changed is not shown and changed.document == shown.document
            return current if stored.document == current.document and not meant else stored

        return await self._from_stored(await self._storage.update(key, converted))

    async def delete(self, key: str, check: Callable[[StoredObject], Awaitable[None]] | None = None) -> StoredObject:

        async def converted(current: StoredObject) -> None:
            if check is not None:
                await check(await self._from_stored(current))

        return await self._from_stored(await self._storage.delete(key, converted))

    def watch(
        self,
        prefix: str,
        *,
        after: int,
        survives_restore: bool = False,
        matching: MatchValue[StoredObject] | None = None,
    ) -> Watcher[StoredObject]:
        return _ConvertedWatcher(
            self._storage.watch(prefix, after=after, survives_restore=survives_restore), self._converted_values
        )

    async def shown(self, values: Sequence[StoredObject]) -> Sequence[StoredObject]:
        """Return stored objects, converted to the served version or group."""
        missing = [value for value in values if value not in self._shown and value not in self._as_they_are]
        if missing:
            await self._show(missing)
        return [self._shown.get(value, value) for value in values]

    async def _converted_values(self, values: Sequence[StoredObject]) -> Sequence[StoredObject]:
        with self._activity:
            return await self.shown(values)

    async def as_written(self, value: StoredObject) -> StoredObject:
        """Return an object as clients would see it after it was stored, for dry runs. Nothing is stored."""
        return await self._from_stored(await self._to_stored(value))

    async def _shown_anew(self, values: Sequence[StoredObject]) -> Sequence[StoredObject]:
        may_cache = self._conversion.may_cache
        known = (
            [value for value in values if value in self._shown and not may_cache(value.document)] if may_cache else []
        )
        if known:
            await self._show(known)
        return await self.shown(values)

    async def _show(self, values: Sequence[StoredObject]) -> None:
        stored = [value.document for value in values]
        documents = await self._conversion.from_stored(stored)
        for value, before, document in zip(values, stored, documents, strict=True):
            if document is before:
                self._as_they_are.add(value)
            else:
                shown = self._shown[value] = StoredObject(document)
                if self._conversion.is_printed:
                    # The stored object is the key of this entry of the cache `_shown`, which drops an entry when
                    # nothing else refers to its key. A strong reference in the entry's value would prevent that, so
                    # use a weak one.
                    shown.converted_from = ref(value)

    async def _to_stored(self, value: StoredObject) -> StoredObject:
        before = value.document
        (document,) = await self._conversion.to_stored([before])
        return value if document is before else StoredObject(document)

    async def _from_stored(self, value: StoredObject) -> StoredObject:
        (shown,) = await self.shown([value])
        return shown


_Shown: TypeAlias = Callable[[Sequence[StoredObject]], Awaitable[Sequence[StoredObject]]]


class _ConvertedWatcher:
    """A watcher that converts the objects of its events: see :class:`memkube.storage.interface.Watcher`."""

    def __init__(self, watcher: Watcher[StoredObject], shown: _Shown) -> None:
        self._watcher = watcher
        self._shown = shown

    @property
    def revision(self) -> int:
        return self._watcher.revision

    async def next(self, timeout: float | None = None) -> Sequence[Event[StoredObject]]:
        events = await self._watcher.next(timeout)
        values = await self._shown([event.value for event in events])
        before = iter(await self._shown([event.previous for event in events if event.previous is not None]))
        return [
            replace(event, value=value, previous=None if event.previous is None else next(before))
            for event, value in zip(events, values, strict=True)
        ]

    def read(self) -> Sequence[Event[StoredObject]]:
        """Return no events: converting them may wait for a webhook, which this method must not do."""
        return ()

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        self._watcher.call_when_ready(callback)

    def interrupt(self) -> None:
        self._watcher.interrupt()
