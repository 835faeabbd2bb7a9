"""An engine that several servers share: an etcd, and a copy of it in this process that etcd's watch keeps up.

Revisions are etcd's, writes are transactions on the revision of one key, and what lives for a while has a lease. Reads,
lists and watches are MemoryStorage's: before a read that is to be of the newest state, etcd is asked for its revision,
once for all readers that wait, and then the copy is waited for (KEP-2340). A write is answered when it has come back by
the watch, so that whoever wrote it sees it in whatever he reads next.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from memkube.storage.errors import (
    KeyExists,
    KeyNotFound,
    RestoreRefused,
    RevisionInFuture,
    StorageError,
    StorageFailed,
    StorageUnusable,
)
from memkube.storage.etcd.client import Compacted, EtcdClient
from memkube.storage.etcd.feed import Change, EtcdFeed, EtcdKeys
from memkube.storage.etcd.freshness import Freshness
from memkube.storage.etcd.leases import Leases, compact_regularly
from memkube.storage.etcd.messages import message
from memkube.storage.etcd.options import EtcdOptions
from memkube.storage.etcd.transactions import NoteCall, Transactions
from memkube.storage.interface import Codec, Emptiness, Event, HistoryBounds, MatchValue, Page, Saved, V, create_each
from memkube.storage.lifetimes import Lifetimes
from memkube.storage.memory import MemoryStorage

_START_SECONDS: Final = 60.0
"""How long it may take to go through the history that is kept."""


class EtcdStorage(MemoryStorage[V]):
    """Values in an etcd. Belongs to one event loop; see Storage for the contract.

    Where etcd does not answer, writes and reads of the newest state raise StorageUnavailable. Reads that may be older
    and watches go on with what is known.
    """

    def __init__(
        self,
        options: EtcdOptions,
        codec: Codec[V],
        history: HistoryBounds | None = None,
        lifetimes: Lifetimes | None = None,
        note: NoteCall | None = None,
    ) -> None:
        """`note` is told of each write. Raises OSError where a file for TLS cannot be read."""
        super().__init__(codec, history, lifetimes)
        # Leases end lives, by etcd's own clock.
        self._expiry = None
        self._changes_kept = (history or HistoryBounds()).changes
        self._names = EtcdKeys(options.prefix)
        self._client = EtcdClient(options)
        self._feed = EtcdFeed(self._client, self._names, self)
        self._freshness = Freshness(self._client, self._names.first, self._feed.ask_progress)
        leases = Leases(self._client, lifetimes)
        self._transactions = Transactions(self._client, self._names, leases, self._freshness, note)
        self._compaction_seconds = options.compaction_seconds
        self._tasks: list[asyncio.Task[None]] = []
        self._writing: dict[str, list[tuple[bytes, V]]] = {}

    @property
    def restorable(self) -> bool:
        """See Storage."""
        return False

    async def start(self) -> None:
        """See Storage."""
        try:
            await self._begin()
        except BaseException:
            await self.stop()
            raise

    async def _begin(self) -> None:
        status = await self._client.open()
        self._lineage = f"etcd:{status.header.cluster_id:x}:{self._names.prefix}"
        try:
            await self._feed.load(status.version, self._changes_kept)
        except StorageFailed as error:
            raise StorageUnusable(f"etcd refuses: {error}") from None
        begun = asyncio.get_running_loop().create_task
        self._tasks.append(begun(self._feed.run()))
        if self._compaction_seconds:
            self._tasks.append(begun(compact_regularly(self._client, self._names, self._compaction_seconds)))
        await self._freshness.come_to(await self._freshness.newest(), _START_SECONDS)

    async def current_revision(self) -> int:
        """See Storage."""
        return await self._freshness.caught_up()

    async def get(self, key: str, *, at_least: int | None = None) -> V:
        """See Storage."""
        if at_least is None:
            await self._freshness.caught_up()
        elif at_least > self._log.revision:
            await self._catch_up(at_least)
        try:
            return self._values[key]
        except KeyError:
            raise KeyNotFound(key, self._log.revision) from None

    def whole(self, prefix: str) -> Sequence[V] | None:
        """See Storage. Others may have written meanwhile."""
        return None

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
        """See Storage. Of the newest state it never knows: see whole."""
        return super().emptiness(prefix) if at_least == 0 else Emptiness()

    async def list(
        self,
        prefix: str,
        *,
        limit: int = 0,
        start: str = "",
        revision: int = 0,
        at_least: int | None = None,
        matching: Sequence[MatchValue[V]] = (),
    ) -> Page[V]:
        """See Storage."""
        if revision:
            at_least = revision
        if at_least is None or at_least > self._log.revision:
            await self._catch_up(at_least or 0)
        return await super().list(prefix, limit=limit, start=start, revision=revision, matching=matching)

    async def create(self, key: str, value: V) -> V:
        """See Storage."""
        created = await self._write(key, value, 0)
        if created is None:
            await self.current_revision()
            raise KeyExists(key)
        return created

    async def create_all(self, values: Mapping[str, V]) -> int:
        """See Storage."""
        return await create_each(self, values)

    async def update(self, key: str, change: Callable[[V], Awaitable[V | None]]) -> V:
        """See Storage. It is tried on what is known here, and where that fails on the newest value."""
        before, is_newest = await self._known(key)
        while True:
            try:
                after = await change(before)
            except Exception:
                if is_newest or (newer := await self.get(key)) is before:
                    raise
                before, is_newest = newer, True
                continue
            if after is None or after is before:
                newer = await self.get(key)
                if newer is before:
                    return before
            else:
                written = await self._write(key, after, self._codec.revision(before))
                if written is not None:
                    return written
                newer = await self.get(key)
            before, is_newest = newer, True

    async def delete(self, key: str, check: Callable[[V], Awaitable[None]] | None = None) -> V:
        """See Storage. It is tried on what is known here, and where that fails on the newest value."""
        before, is_newest = await self._known(key)
        while True:
            try:
                if check is not None:
                    await check(before)
            except Exception:
                if is_newest or (newer := await self.get(key)) is before:
                    raise
                before, is_newest = newer, True
                continue
            revision = await self._transactions.remove(key, self._codec.revision(before))
            if revision:
                return self._codec.stamp(before, revision)
            before, is_newest = await self.get(key), True

    async def compact(self, revision: int) -> None:
        """See Storage. What other servers remember is theirs."""
        await super().compact(revision)
        try:
            await self._client.call("compact", message("CompactionRequest")(revision=min(revision, self.seen)))
        except Compacted:
            return

    async def save(self) -> Saved[V]:
        """See Storage. Lives are not saved: they are etcd's."""
        await self.current_revision()
        return await super().save()

    async def restore(self, saved: Saved[V]) -> int:
        """Raises RestoreRefused: no transaction of etcd is large enough, and others write meanwhile."""
        raise RestoreRefused("values in etcd are not replaced all at once: other servers write there too")

    async def size(self) -> Mapping[str, int]:
        """See Storage. It is that of the member that is asked now, called as in the reference."""
        try:
            status = await self._client.call("status", message("StatusRequest")())
        except StorageError:
            return {}
        return {"etcd-0": status.dbSize}

    def check(self) -> None:
        """Returns when etcd can be reached. Raises StorageUnusable."""
        self._client.check()

    async def stop(self) -> None:
        """See Storage."""
        self.close()
        for task in self._tasks:
            task.cancel()
        self._client.close()
        self._freshness.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def begin(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        """See Copy."""
        decode = self._codec.decode
        self._hold({key: decode(data, changed) for key, (changed, data) in values.items()})
        self._log.begin_at(revision)
        self._freshness.reach(revision)

    def take(self, changes: Sequence[Change], revision: int) -> None:
        """See Copy."""
        for change in changes:
            event = self._event(change)
            if event is not None:
                self._apply(event)
        self._log.pass_to(revision)
        self._freshness.reach(self._log.revision)

    def begin_again(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        """See Copy. Watchers are told that their history is gone."""
        revision_of, decode = self._codec.revision, self._codec.decode
        found: dict[str, V] = {}
        for key, (changed, data) in values.items():
            known = self._values.get(key)
            is_known = known is not None and revision_of(known) == changed
            found[key] = known if known is not None and is_known else decode(data, changed)
        self._hold(found)
        self._log.lose(revision)
        self._freshness.reach(self._log.revision)

    def _event(self, change: Change) -> Event[V] | None:
        revision, key, data = change
        before = self._values.get(key)
        if data is None:
            return (
                None if before is None else Event(revision, "deleted", key, self._codec.stamp(before, revision), before)
            )
        own = next((value for written, value in self._writing.get(key, ()) if written == data), None)
        value = self._codec.decode(data, revision) if own is None else self._codec.stamp(own, revision)
        return Event(revision, "created" if before is None else "updated", key, value, before)

    async def _known(self, key: str) -> tuple[V, bool]:
        """A value, and whether it is the newest one."""
        known = self._values.get(key)
        return (await self.get(key), True) if known is None else (known, False)

    async def _write(self, key: str, value: V, expected: int) -> V | None:
        """The stamped value; None where the key's last change is another than the expected one."""
        data = self._codec.encode(value)
        entry = (data, value)
        self._writing.setdefault(key, []).append(entry)
        try:
            revision = await self._transactions.put(key, data, expected)
        finally:
            entries = self._writing[key]
            entries.remove(entry)
            if not entries:
                del self._writing[key]
        if not revision:
            return None
        written = self._values.get(key)
        is_it = written is not None and self._codec.revision(written) == revision
        return written if written is not None and is_it else self._codec.stamp(value, revision)

    async def _catch_up(self, revision: int) -> None:
        """Has come to the newest revision when it returns. Raises RevisionInFuture where that is before this one."""
        newest = await self.current_revision()
        if revision > newest:
            raise RevisionInFuture(revision, newest)
