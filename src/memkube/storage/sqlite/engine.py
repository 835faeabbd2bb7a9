"""An engine whose values outlive the process: memory in front of a file.

Reads and watches are MemoryStorage's. A write waits in a queue; all that wait are written in one transaction, in a
thread, and are seen and answered when that is done. So nobody sees what could still be lost.
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
    """A change of what was `before`, which is the condition for it; None for a key that must be free."""

    type: EventType
    key: str
    value: V
    before: V | None
    restored: int
    done: asyncio.Future[V | None]
    """The stamped value, or None where something else came between."""


class SqliteStorage(MemoryStorage[V]):
    """Keeps everything in a file. Belongs to one event loop; see Storage for the contract.

    With `durable`, what was answered survives the machine's end; without it, the end of the process. Writes raise
    StorageFailed where the file takes no more.
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
        """Goes on where the file ends. Raises StorageUnusable."""
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
        """See Storage."""
        if key in self._values:
            raise KeyExists(key)
        created = await self._written("created", key, value, None, self.restored)
        if created is None:
            raise KeyExists(key)
        return created

    async def create_all(self, values: Mapping[str, V]) -> int:
        """See Storage."""
        return await create_each(self, values)

    async def update(self, key: str, change: Callable[[V], Awaitable[V | None]]) -> V:
        """See Storage."""
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
        """See Storage."""
        restored = self.restored
        while True:
            before = await self.get(key)
            if check is not None:
                await check(before)
            deleted = await self._written("deleted", key, before, before, restored)
            if deleted is not None:
                return deleted

    async def compact(self, revision: int) -> None:
        """See Storage."""
        await super().compact(revision)
        async with self._turn:
            await self._in_thread(self._file.write, (), self._take_superseded(), self._facts())

    async def restore(self, saved: Saved[V]) -> int:
        """See Storage. Where the file does not take it, everything is as it was before, behind higher revisions."""
        async with self._turn:
            before = await self.save()
            moved = await super().restore(saved)
            codec = self._codec
            rows = [Row(codec.revision(v), "created", key, codec.encode(v)) for key, v in self._values.items()]
            # Changes that a restore makes are not in the file: who saw half of them lists again after a restart.
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
        """See Storage."""
        return {"sqlite-0": self._file.size()}

    def close(self) -> None:
        """See Storage. Writes that were not answered are in the file, or they are not."""
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
        """Writes what waits, and what came meanwhile, until nothing does."""
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
        except Exception as error:  # Each of them waits for an answer.
            for write in batch:
                _settle(write, error)
            return
        for write, event in planned:
            self._apply(event)
            _settle(write, event.value)
        # Not before: what came between could not be seen, and may still have been lost.
        for write in refused:
            _settle(write, None)

    def _planned(self, batch: Sequence[_Write[V]]) -> tuple[list[tuple[_Write[V], Event[V]]], list[_Write[V]]]:
        """The events of those whose condition holds, and the others."""
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
        self._log.begin_at(compacted)
        for row in rows:
            value = decode(row.value, row.revision)
            if row.revision > compacted:
                self._log.append(Event(row.revision, row.type, row.key, value, values.get(row.key)))
            if row.type == "deleted":
                values.pop(row.key, None)
            else:
                values[row.key] = value
        self._hold(values)
        if not facts:
            self._file.write((), (), self._facts())

    def _facts(self) -> dict[str, str]:
        return {
            "compacted": str(self._log.compacted),
            "lineage": self._lineage,
            "lineages": json.dumps(self._lineages),
        }

    def _supersede(self, event: Event[V]) -> None:
        """What a forgotten change has replaced goes from the file, and what says that a key is gone."""
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
