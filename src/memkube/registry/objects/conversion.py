"""Objects that are stored in one form and served in another: another version, or another group."""

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
"""Converts objects into another version, possibly by calling a webhook.

Metadata must not change, except labels and annotations. Raises ApiError if an object cannot be converted.
"""


class Conversion(Protocol):
    """The conversions between the stored and the served form."""

    @property
    def to_stored(self) -> Convert:
        """Converts objects from the served form."""

    @property
    def from_stored(self) -> Convert:
        """Converts objects to the served form."""

    @property
    def lasts(self) -> Callable[[Document], bool] | None:
        """Returns True for a stored object whose conversion always has the same result; None if all have."""

    @property
    def is_printed(self) -> bool:
        """True if Tables print the stored form."""


def each(convert: Callable[[Document], Document]) -> Convert:
    """Return the conversion that calls `convert` for each object."""

    async def convert_all(documents: Sequence[Document]) -> Sequence[Document]:
        return [convert(document) for document in documents]

    return convert_all


def renamed(api_version: str) -> Convert:
    """Return the conversion that changes the apiVersion only (strategy None of custom kinds)."""
    return each(lambda document: {**document, "apiVersion": api_version})


class ConvertedStorage(ForwardingStorage[StoredObject]):
    """Converts objects between storage and store: see :class:`memkube.storage.interface.Storage`.

    Each revision of an object is converted once, so that all readers share the bytes. Objects that a webhook converts
    are converted again on every get and list, as in the reference. Saved objects are in their stored form.
    """

    def __init__(
        self, storage: Storage[StoredObject], conversion: Conversion, activity: Activity | None = None
    ) -> None:
        """Create the storage. Conversions for watches are counted as `activity`."""
        super().__init__(storage)
        self._activity = activity or Activity()
        self._conversion = conversion
        self._shown: WeakKeyDictionary[StoredObject, StoredObject] = WeakKeyDictionary()
        self._as_they_are: WeakSet[StoredObject] = WeakSet()

    async def create(self, key: str, value: StoredObject) -> StoredObject:
        return await self._from_stored(await self._storage.create(key, await self._to_stored(value)))

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
        """Return a page of objects. `matching` is ignored, because indices know the stored form only."""
        page = await self._storage.list(prefix, limit=limit, start=start, revision=revision, at_least=at_least)
        return replace(page, values=await self._shown_anew(page.values))

    async def update(self, key: str, change: Callable[[StoredObject], Awaitable[StoredObject | None]]) -> StoredObject:

        async def converted(current: StoredObject) -> StoredObject | None:
            shown = await self._from_stored(current)
            changed = await change(shown)
            if changed is None:
                return None
            stored = await self._to_stored(changed)
            # As in the reference, the stored form decides. An object that was stored under an older schema or in
            # another version is stored again even if the served form is unchanged. A change that the stored form cannot
            # express is not stored.
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
            self._storage.watch(prefix, after=after, survives_restore=survives_restore), self._told
        )

    async def shown(self, values: Sequence[StoredObject]) -> Sequence[StoredObject]:
        """Return stored objects in the served form."""
        missing = [value for value in values if value not in self._shown and value not in self._as_they_are]
        if missing:
            await self._show(missing)
        return [self._shown.get(value, value) for value in values]

    async def _told(self, values: Sequence[StoredObject]) -> Sequence[StoredObject]:
        with self._activity:
            return await self.shown(values)

    async def as_written(self, value: StoredObject) -> StoredObject:
        """Return an object as it would be read after a write. Nothing is written."""
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
                shown = self._shown[value] = StoredObject(document)
                if self._conversion.is_printed:
                    # A strong reference would keep the key of the entry alive.
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
    """Converts the events of a watcher: see :class:`memkube.storage.interface.Watcher`."""

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
        """Return no events, because a conversion may have to wait."""
        return ()

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        self._watcher.call_when_ready(callback)

    def interrupt(self) -> None:
        self._watcher.interrupt()
