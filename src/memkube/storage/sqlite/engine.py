"""The SQLite engine: the memory engine, with all changes written to a SQLite file.

Reads and watches are those of MemoryStorage. Writes are queued. All queued writes are committed in one transaction, in
a thread. They become visible and are acknowledged only after the commit, so that no reader sees a change that could be
lost.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from typing import Generic

from memkube.storage.errors import KeyExists, StorageClosed, StorageFailed, StorageRestored
from memkube.storage.interface import Codec, Event, EventType, HistoryBounds, Index, Saved, V, create_each
from memkube.storage.lifetimes import Lifetimes
from memkube.storage.memory import MemoryStorage
from memkube.storage.sqlite.file import Row, SqliteFile


@dataclass(slots=True, eq=False)
class _Write(Generic[V]):
    """A write that waits for the next commit.

    The commit rejects the write unless the key still has the value `before` (None: no value).
    """

    type: EventType
    key: str
    value: V
    before: V | None
    restored: int
    done: asyncio.Future[V | None]
    """Future whose result is the written value with its revision; None if the current value is not `before`."""


class SqliteStorage(MemoryStorage[V]):
    """A storage engine that keeps all values in a SQLite file. It must be used on one event loop.

    With `durable`, acknowledged writes survive a crash of the machine, otherwise only a crash of the process. Writes
    raise StorageFailed if the file cannot be written.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        codec: Codec[V],
        history: HistoryBounds | None = None,
        lifetimes: Lifetimes | None = None,
        indices: Iterable[Index[V]] = (),
        *,
        durable: bool = True,
    ) -> None:
        """Open the file at `path`, and load its values. Raises StorageUnusable if the file cannot be opened.

        `codec`, `history`, `lifetimes` and `indices` are as for MemoryStorage.
        """
        super().__init__(codec, history, lifetimes, self._supersede, indices)
        self._superseded: list[int] = []
        self._queue: list[_Write[V]] = []
        self._committing: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._file = SqliteFile(path, durable=durable)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memkube-sqlite")
        try:
            self._load()
        except BaseException:
            self.close()
            raise

    async def create(self, key: str, value: V) -> V:
        if key in self._values:
            raise KeyExists(key)
        created = await self._written("created", key, value, None, self.restored)
        if created is None:
            raise KeyExists(key)
        return created

    async def create_all(self, values: Mapping[str, V]) -> int:
        return await create_each(self, values)

    async def update(self, key: str, change: Callable[[V], Awaitable[V | None]]) -> V:
        restored = self.restored
        while True:
            before = await self.get(key)
            after = await change(before)
            if after is None or after is before:
                if self._values.get(key) is before:
                    return before
            else:
                written = await self._written("updated", key, after, before, restored)
                if written is not None:
                    return written
            if self.restored != restored:
                raise StorageRestored

    async def delete(self, key: str, check: Callable[[V], Awaitable[None]] | None = None) -> V:
        restored = self.restored
        while True:
            before = await self.get(key)
            if check is not None:
                await check(before)
            deleted = await self._written("deleted", key, before, before, restored)
            if deleted is not None:
                return deleted

    async def compact(self, revision: int) -> None:
        await super().compact(revision)
        async with self._turn:
            await self._in_thread(self._file.write, (), self._take_superseded(), self._facts())

    async def restore(self, saved: Saved[V]) -> int:
        """Replace the values in memory and in the file by those of the snapshot `saved`; see :meth:`Storage.restore`.

        If the file cannot be written, the previous values are restored, with higher revisions, and StorageFailed is
        raised.
        """
        async with self._turn:
            before = await self.save()
            moved = await super().restore(saved)
            codec = self._codec
            rows = [Row(codec.revision(v), "created", key, codec.encode(v)) for key, v in self._values.items()]
            # Record the present revision as compacted, because the file does not contain the events of a restore. After
            # a restart, watchers that have read only some of these events get RevisionCompacted, and must list again.
            facts = {**self._facts(), "compacted": str(self.seen)}
            try:
                await self._in_thread(self._file.replace, rows, facts)
            except StorageFailed:
                await super().restore(before)
                raise
            finally:
                self._take_superseded()
        return moved

    async def size(self) -> Mapping[str, int]:
        return {"sqlite-0": self._file.size()}

    def close(self) -> None:
        """Close the file. Queued writes fail; they may or may not have been written to the file."""
        super().close()
        waiting, self._queue = self._queue, []
        for write in waiting:
            _settle(write, StorageClosed())
        self._thread.shutdown(wait=True)
        self._file.close()

    async def _written(self, type_: EventType, key: str, value: V, before: V | None, restored: int) -> V | None:
        done: asyncio.Future[V | None] = asyncio.get_running_loop().create_future()
        if self._log.closed:
            raise StorageClosed
        self._queue.append(_Write(type_, key, value, before, restored, done))
        if self._committing is None:
            self._committing = asyncio.get_running_loop().create_task(self._commit())
        return await done

    async def _commit(self) -> None:
        """Commit the queued writes. Writes that are queued meanwhile are committed next, until the queue is empty."""
        try:
            while self._queue:
                async with self._turn:
                    batch, self._queue = self._queue, []
                    await self._commit_together(batch)
        finally:
            self._committing = None

    async def _commit_together(self, batch: Sequence[_Write[V]]) -> None:
        try:
            (planned, refused), encode = self._planned(batch), self._codec.encode
            rows = [Row(event.revision, event.type, event.key, encode(event.value)) for _, event in planned]
            if rows:
                await self._in_thread(self._file.write, rows, self._take_superseded(), self._facts())
        except Exception as error:  # All writes of the batch fail with this error.
            for write in batch:
                _settle(write, error)
            return
        for write, event in planned:
            self._apply(event)
            _settle(write, event.value)
        # Reject writes with a conflict only after the commit: until then, the value with which they conflict could
        # still be lost.
        for write in refused:
            _settle(write, None)

    def _planned(self, batch: Sequence[_Write[V]]) -> tuple[list[tuple[_Write[V], Event[V]]], list[_Write[V]]]:
        """Divide a batch into the writes to commit, each with its event, and the writes with a conflict."""
        planned: list[tuple[_Write[V], Event[V]]] = []
        refused: list[_Write[V]] = []
        changed: dict[str, V | None] = {}
        revision = self.seen
        for write in batch:
            key = write.key
            current = changed[key] if key in changed else self._values.get(key)
            if write.before is not None and write.restored != self.restored:
                _settle(write, StorageRestored())
            elif current is not write.before:
                refused.append(write)
            else:
                revision += 1
                event = Event(revision, write.type, key, self._codec.stamp(write.value, revision), current)
                changed[key] = None if write.type == "deleted" else event.value
                planned.append((write, event))
        return planned, refused

    def _load(self) -> None:
        facts = self._file.facts()
        compacted = int(facts.get("compacted", 0))
        self._lineage = facts.get("lineage", self._lineage)
        self._lineages = json.loads(facts.get("lineages", "{}"))
        rows, decode = self._file.rows(), self._codec.decode
        values: dict[str, V] = {}
        self._log.start_at(compacted)
        for row in rows:
            value = decode(row.value, row.revision)
            if row.revision > compacted:
                self._log.append(Event(row.revision, row.type, row.key, value, values.get(row.key)))
            if row.type == "deleted":
                values.pop(row.key, None)
            else:
                values[row.key] = value
        self._replace_all(values)
        if not facts:
            self._file.write((), (), self._facts())

    def _facts(self) -> dict[str, str]:
        return {
            "compacted": str(self._log.compacted),
            "lineage": self._lineage,
            "lineages": json.dumps(self._lineages),
        }

    def _supersede(self, event: Event[V]) -> None:
        """Schedule the deletion of rows that a compacted event makes superfluous.

        The row of the previous value is superfluous. If the event is a deletion, so is the row of the event itself.
        """
        if event.previous is not None:
            self._superseded.append(self._codec.revision(event.previous))
        if event.type == "deleted":
            self._superseded.append(event.revision)

    def _take_superseded(self) -> list[int]:
        taken, self._superseded = self._superseded, []
        return taken

    async def _in_thread(self, work: Callable[..., None], *arguments: object) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)
        except RuntimeError as error:
            raise StorageClosed from error


def _settle(write: _Write[V], outcome: V | Exception | None) -> None:
    if write.done.done():
        return
    if isinstance(outcome, Exception):
        write.done.set_exception(outcome)
    else:
        write.done.set_result(outcome)
