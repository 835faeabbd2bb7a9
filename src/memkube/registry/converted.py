"""Storage as a resource sees it whose objects are kept in another form."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from memkube.registry.resource import StoredForm
from memkube.registry.stored import StoredObject
from memkube.storage.interface import Event, Page, Storage, Watcher


class ConvertedStorage:
    """Converts objects on their way: see :class:`memkube.storage.interface.Storage`.

    Each revision of an object is converted once, so that its readers share the bytes here too.
    """

    def __init__(self, storage: Storage[StoredObject], form: StoredForm) -> None:
        self._storage = storage
        self._form = form
        self._shown: WeakKeyDictionary[StoredObject, StoredObject] = WeakKeyDictionary()

    @property
    def revision(self) -> int:
        """See Storage."""
        return self._storage.revision

    async def create(self, key: str, value: StoredObject) -> StoredObject:
        """See Storage."""
        return self._from_stored(await self._storage.create(key, self._to_stored(value)))

    async def get(self, key: str) -> StoredObject:
        """See Storage."""
        return self._from_stored(await self._storage.get(key))

    async def list(self, prefix: str, *, limit: int = 0, start: str = "", revision: int = 0) -> Page[StoredObject]:
        """See Storage."""
        page = await self._storage.list(prefix, limit=limit, start=start, revision=revision)
        return replace(page, values=[self._from_stored(value) for value in page.values])

    async def update(self, key: str, change: Callable[[StoredObject], Awaitable[StoredObject]]) -> StoredObject:
        """See Storage."""

        async def converted(current: StoredObject) -> StoredObject:
            shown = self._from_stored(current)
            changed = await change(shown)
            return current if changed is shown else self._to_stored(changed)

        return self._from_stored(await self._storage.update(key, converted))

    async def delete(self, key: str, check: Callable[[StoredObject], Awaitable[None]] | None = None) -> StoredObject:
        """See Storage."""

        async def converted(current: StoredObject) -> None:
            if check is not None:
                await check(self._from_stored(current))

        return self._from_stored(await self._storage.delete(key, converted))

    def watch(self, prefix: str, *, after: int) -> Watcher[StoredObject]:
        """See Storage."""
        return _ConvertedWatcher(self._storage.watch(prefix, after=after), self._from_stored)

    async def compact(self, revision: int) -> None:
        """See Storage."""
        await self._storage.compact(revision)

    def close(self) -> None:
        """See Storage."""
        self._storage.close()

    def _to_stored(self, value: StoredObject) -> StoredObject:
        return StoredObject(self._form.to_stored(value.document))

    def _from_stored(self, value: StoredObject) -> StoredObject:
        shown = self._shown.get(value)
        if shown is None:
            shown = self._shown[value] = StoredObject(self._form.from_stored(value.document))
        return shown


class _ConvertedWatcher:
    """See :class:`memkube.storage.interface.Watcher`."""

    def __init__(self, watcher: Watcher[StoredObject], convert: Callable[[StoredObject], StoredObject]) -> None:
        self._watcher = watcher
        self._convert = convert

    @property
    def revision(self) -> int:
        """See Watcher."""
        return self._watcher.revision

    async def next(self, timeout: float | None = None) -> Sequence[Event[StoredObject]]:
        """See Watcher."""
        return [self._converted(event) for event in await self._watcher.next(timeout)]

    def interrupt(self) -> None:
        """See Watcher."""
        self._watcher.interrupt()

    def _converted(self, event: Event[StoredObject]) -> Event[StoredObject]:
        previous = None if event.previous is None else self._convert(event.previous)
        return replace(event, value=self._convert(event.value), previous=previous)
