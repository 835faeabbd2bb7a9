"""Objects that are kept in one form and served in another: a second version, or a second group."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

from memkube.apimachinery.model import Document
from memkube.registry.objects.stored import StoredObject
from memkube.storage.forwarding import ForwardingStorage
from memkube.storage.interface import Event, MatchValue, Page, Storage, Watcher
from memkube.time.activity import Activity

Convert: TypeAlias = Callable[[Sequence[Document]], Awaitable[Sequence[Document]]]
"""Converts objects, each into one of another version; whoever answers may be outside of this process.

Metadata stays, but for labels and annotations. Raises ApiError where an object cannot be converted.
"""


class Conversion(Protocol):
    """The way between the form that is kept and the one that is served."""

    @property
    def to_stored(self) -> Convert:
        """From the form that is served."""

    @property
    def from_stored(self) -> Convert:
        """To the form that is served."""

    @property
    def lasts(self) -> Callable[[Document], bool] | None:
        """Whether what a stored object is converted into is the same whenever it is read; None where all are."""


def each(convert: Callable[[Document], Document]) -> Convert:
    """A conversion that needs nothing but the object."""

    async def convert_all(documents: Sequence[Document]) -> Sequence[Document]:
        return [convert(document) for document in documents]

    return convert_all


def renamed(api_version: str) -> Convert:
    """The conversion between versions that differ by their names alone (the strategy None of custom kinds)."""
    return each(lambda document: {**document, "apiVersion": api_version})


class ConvertedStorage(ForwardingStorage[StoredObject]):
    """Converts objects on their way: see :class:`memkube.storage.interface.Storage`.

    Each revision of an object is converted once, so that its readers share the bytes here too. What others convert,
    who may change their minds, is converted anew for whoever gets or lists it, as in the reference. What is saved is in
    the form that is kept.
    """

    def __init__(
        self, storage: Storage[StoredObject], conversion: Conversion, activity: Activity | None = None
    ) -> None:
        """Converting what watchers are told counts as `activity`."""
        super().__init__(storage)
        self._activity = activity or Activity()
        self._conversion = conversion
        self._shown: WeakKeyDictionary[StoredObject, StoredObject] = WeakKeyDictionary()
        self._as_they_are: WeakSet[StoredObject] = WeakSet()

    async def create(self, key: str, value: StoredObject) -> StoredObject:
        """See Storage."""
        return await self._from_stored(await self._storage.create(key, await self._to_stored(value)))

    async def get(self, key: str, *, at_least: int | None = None) -> StoredObject:
        """See Storage."""
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
        """See Storage. What matches is known of the form that is served alone, so nothing is looked for."""
        page = await self._storage.list(prefix, limit=limit, start=start, revision=revision, at_least=at_least)
        return replace(page, values=await self._shown_anew(page.values))

    async def update(self, key: str, change: Callable[[StoredObject], Awaitable[StoredObject | None]]) -> StoredObject:
        """See Storage."""

        async def converted(current: StoredObject) -> StoredObject | None:
            shown = await self._from_stored(current)
            changed = await change(shown)
            if changed is None:
                return None
            stored = await self._to_stored(changed)
            # As in the reference, what is stored decides: what was written by an older schema, or in another version,
            # is written anew even where nobody sees a difference, and what no stored field tells is not.
            meant = changed is not shown and changed.document == shown.document
            return current if stored.document == current.document and not meant else stored

        return await self._from_stored(await self._storage.update(key, converted))

    async def delete(self, key: str, check: Callable[[StoredObject], Awaitable[None]] | None = None) -> StoredObject:
        """See Storage."""

        async def converted(current: StoredObject) -> None:
            if check is not None:
                await check(await self._from_stored(current))

        return await self._from_stored(await self._storage.delete(key, converted))

    def watch(
        self,
        prefix: str,
        *,
        after: int,
        survives: bool = False,
        matching: MatchValue[StoredObject] | None = None,
    ) -> Watcher[StoredObject]:
        """See Storage."""
        return _ConvertedWatcher(self._storage.watch(prefix, after=after, survives=survives), self._told)

    async def shown(self, values: Sequence[StoredObject]) -> Sequence[StoredObject]:
        """Stored objects in the form that is served."""
        missing = [value for value in values if value not in self._shown and value not in self._as_they_are]
        if missing:
            await self._show(missing)
        return [self._shown.get(value, value) for value in values]

    async def _told(self, values: Sequence[StoredObject]) -> Sequence[StoredObject]:
        with self._activity:
            return await self.shown(values)

    async def as_written(self, value: StoredObject) -> StoredObject:
        """An object as it would be read if it were written, which it is not."""
        return await self._from_stored(await self._to_stored(value))

    async def _shown_anew(self, values: Sequence[StoredObject]) -> Sequence[StoredObject]:
        lasts = self._conversion.lasts
        known = [value for value in values if value in self._shown and not lasts(value.document)] if lasts else []
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
                self._shown[value] = StoredObject(document)

    async def _to_stored(self, value: StoredObject) -> StoredObject:
        before = value.document
        (document,) = await self._conversion.to_stored([before])
        return value if document is before else StoredObject(document)

    async def _from_stored(self, value: StoredObject) -> StoredObject:
        (shown,) = await self.shown([value])
        return shown


_Shown: TypeAlias = Callable[[Sequence[StoredObject]], Awaitable[Sequence[StoredObject]]]


class _ConvertedWatcher:
    """See :class:`memkube.storage.interface.Watcher`."""

    def __init__(self, watcher: Watcher[StoredObject], shown: _Shown) -> None:
        self._watcher = watcher
        self._shown = shown

    @property
    def revision(self) -> int:
        """See Watcher."""
        return self._watcher.revision

    async def next(self, timeout: float | None = None) -> Sequence[Event[StoredObject]]:
        """See Watcher."""
        events = await self._watcher.next(timeout)
        values = await self._shown([event.value for event in events])
        before = iter(await self._shown([event.previous for event in events if event.previous is not None]))
        return [
            replace(event, value=value, previous=None if event.previous is None else next(before))
            for event, value in zip(events, values, strict=True)
        ]

    def read(self) -> Sequence[Event[StoredObject]]:
        """See Watcher. To convert takes waiting."""
        return ()

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        """See Watcher."""
        self._watcher.call_when_ready(callback)

    def interrupt(self) -> None:
        """See Watcher."""
        self._watcher.interrupt()
