"""A storage whose revisions count from zero, so that tests can name them although etcd has had earlier revisions."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from memkube.storage.errors import KeyNotFound, RevisionCompacted, RevisionInFuture
from memkube.storage.etcd.engine import EtcdStorage
from memkube.storage.interface import Emptiness, Event, MatchValue, Page, Saved, Watcher
from tests.storage.notes import Note, NoteCodec

T = TypeVar("T")


class ShiftedCodec(NoteCodec):
    """A codec that subtracts a base from the revisions of notes."""

    base = 0

    def stamp(self, value: Note, revision: int) -> Note:
        return replace(value, revision=revision - self.base)

    def revision(self, value: Note) -> int:
        return value.revision + self.base

    def decode(self, data: bytes, revision: int) -> Note:
        return Note(data.decode(), revision - self.base)


class Shifted:
    """A storage that subtracts a base from all revisions. The methods are documented in Storage."""

    def __init__(self, storage: EtcdStorage[Note], codec: ShiftedCodec, base: int) -> None:
        self.inner = storage
        codec.base = self._base = base

    @property
    def seen(self) -> int:
        return self.inner.seen - self._base

    @property
    def restored(self) -> int:
        return self.inner.restored

    @property
    def restorable(self) -> bool:
        return self.inner.restorable

    async def start(self) -> None:
        """Do nothing, because the storage has been started."""

    async def current_revision(self) -> int:
        return await self.inner.current_revision() - self._base

    async def create(self, key: str, value: Note) -> Note:
        return await self.inner.create(key, value)

    async def create_all(self, values: Mapping[str, Note]) -> int:
        return await self.inner.create_all(values)

    async def get(self, key: str, *, at_least: int | None = None) -> Note:
        return await self._handed_out(self.inner.get(key, at_least=self._there(at_least)))

    def list_cached(self, prefix: str) -> Sequence[Note] | None:
        return None

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
        return self.inner.emptiness(prefix, at_least=at_least)

    async def list(
        self,
        prefix: str,
        *,
        limit: int = 0,
        start: str = "",
        revision: int = 0,
        at_least: int | None = None,
        matching: Sequence[MatchValue[Note]] = (),
    ) -> Page[Note]:
        there, least = self._there(revision) or 0, self._there(at_least)
        page = await self._handed_out(
            self.inner.list(prefix, limit=limit, start=start, revision=there, at_least=least, matching=matching)
        )
        return page._replace(revision=page.revision - self._base)

    async def update(self, key: str, change: Callable[[Note], Awaitable[Note | None]]) -> Note:
        return await self._handed_out(self.inner.update(key, change))

    async def delete(self, key: str, check: Callable[[Note], Awaitable[None]] | None = None) -> Note:
        return await self._handed_out(self.inner.delete(key, check))

    def watch(
        self, prefix: str, *, after: int, survives_restore: bool = False, matching: MatchValue[Note] | None = None
    ) -> "ShiftedWatcher":
        there = after + self._base
        return ShiftedWatcher(
            self.inner.watch(prefix, after=there, survives_restore=survives_restore, matching=matching), self._base
        )

    async def compact(self, revision: int) -> None:
        await self.inner.compact(revision + self._base)

    async def save(self) -> Saved[Note]:
        return await self.inner.save()

    async def restore(self, saved: Saved[Note]) -> int:
        return await self.inner.restore(saved)

    async def size(self) -> Mapping[str, int]:
        return await self.inner.size()

    def close(self) -> None:
        self.inner.close()

    async def stop(self) -> None:
        await self.inner.stop()

    def _there(self, revision: int | None) -> int | None:
        return revision + self._base if revision else revision

    async def _handed_out(self, work: Awaitable[T]) -> T:
        return await _shifted(work, self._base)


class ShiftedWatcher:
    """A watcher that subtracts a base from all revisions. The methods are documented in Watcher."""

    def __init__(self, watcher: Watcher[Note], base: int) -> None:
        self._watcher = watcher
        self._base = base

    @property
    def revision(self) -> int:
        return self._watcher.revision - self._base

    async def next(self, timeout: float | None = None) -> Sequence[Event[Note]]:
        events = await _shifted(self._watcher.next(timeout), self._base)
        return [replace(event, revision=event.revision - self._base) for event in events]

    def read(self) -> Sequence[Event[Note]]:
        return [replace(event, revision=event.revision - self._base) for event in self._watcher.read()]

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        self._watcher.call_when_ready(callback)

    def interrupt(self) -> None:
        self._watcher.interrupt()


async def _shifted(work: Awaitable[T], base: int) -> T:
    try:
        return await work
    except KeyNotFound as error:
        raise KeyNotFound(error.key, error.revision - base) from None
    except RevisionCompacted as error:
        raise RevisionCompacted(error.revision - base, error.oldest - base) from None
    except RevisionInFuture as error:
        raise RevisionInFuture(error.revision - base, error.current - base) from None
