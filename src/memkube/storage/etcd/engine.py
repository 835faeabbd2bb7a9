"""The etcd engine, which several servers can share. A watch on etcd keeps a copy of all values in this process.

Revisions are etcd's, writes are transactions on the mod revision of one key, and lifetimes are leases. Reads, lists and
watches use the copy, as in MemoryStorage. A consistent read first gets etcd's revision, with one request for all
waiting readers, and waits until the copy has reached this revision (KEP-2340). A write is acknowledged when the watch
has reported it, so that the writer's next read sees the write.
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
from memkube.storage.etcd.leases import Leases, compact_regularly
from memkube.storage.etcd.messages import message
from memkube.storage.etcd.options import EtcdOptions
from memkube.storage.etcd.progress import WatchProgress
from memkube.storage.etcd.reflector import Change, EtcdKeys, EtcdReflector
from memkube.storage.etcd.transactions import RecordCall, Transactions
from memkube.storage.interface import Codec, Emptiness, Event, HistoryBounds, MatchValue, Page, Saved, V, create_each
from memkube.storage.lifetimes import Lifetimes
from memkube.storage.memory import MemoryStorage

_START_SECONDS: Final = 60.0
"""Seconds after which the start fails if this server's copy of etcd is not yet up to date."""


class EtcdStorage(MemoryStorage[V]):
    """A storage engine that keeps the values in etcd. It must be used on one event loop.

    While etcd does not answer, writes and consistent reads raise StorageUnavailable. Other reads and watches continue
    with this server's copy of the values.
    """

    def __init__(
        self,
        options: EtcdOptions,
        codec: Codec[V],
        history: HistoryBounds | None = None,
        lifetimes: Lifetimes | None = None,
        note: RecordCall | None = None,
    ) -> None:
        """Create the engine without connecting to etcd.

        `codec` converts values to bytes and back. `history` limits the changes that this server keeps, and `lifetimes`
        says which values expire. `note` is called after each write, to measure it (:data:`RecordCall`). Raises OSError
        if a TLS file cannot be read.
        """
        super().__init__(codec, history, lifetimes)
        # Expired values need no timer in this process: etcd's leases delete them.
        self._expiry = None
        self._changes_kept = (history or HistoryBounds()).changes
        self._keys_in_etcd = EtcdKeys(options.prefix)
        self._client = EtcdClient(options)
        self._reflector = EtcdReflector(self._client, self._keys_in_etcd, self)
        self._progress = WatchProgress(self._client, self._keys_in_etcd.first, self._reflector.request_progress)
        leases = Leases(self._client, lifetimes)
        self._transactions = Transactions(self._client, self._keys_in_etcd, leases, self._progress, note)
        self._compaction_seconds = options.compaction_seconds
        self._tasks: list[asyncio.Task[None]] = []
        self._writing: dict[str, list[tuple[bytes, V]]] = {}

    @property
    def restorable(self) -> bool:
        return False

    async def start(self) -> None:
        try:
            await self._begin()
        except BaseException:
            await self.stop()
            raise

    async def _begin(self) -> None:
        status = await self._client.open()
        self._lineage = f"etcd:{status.header.cluster_id:x}:{self._keys_in_etcd.prefix}"
        try:
            await self._reflector.load(status.version, self._changes_kept)
        except StorageFailed as error:
            raise StorageUnusable(f"etcd refused the request: {error}") from None
        begun = asyncio.get_running_loop().create_task
        self._tasks.append(begun(self._reflector.run()))
        if self._compaction_seconds:
            self._tasks.append(begun(compact_regularly(self._client, self._keys_in_etcd, self._compaction_seconds)))
        await self._progress.wait_until(await self._progress.newest(), _START_SECONDS)

    async def current_revision(self) -> int:
        return await self._progress.wait_until_newest()

    async def get(self, key: str, *, at_least: int | None = None) -> V:
        if at_least is None:
            await self._progress.wait_until_newest()
        elif at_least > self._log.revision:
            await self._catch_up(at_least)
        try:
            return self._values[key]
        except KeyError:
            raise KeyNotFound(key, self._log.revision) from None

    def list_cached(self, prefix: str) -> Sequence[V] | None:
        """Return None: other servers may have changed values since a list was cached."""
        return None

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
        """Return an object whose attribute `known` is True while this server's copy has no values under a prefix.

        The copy may lack writes of other servers. Unless `at_least` is 0, `known` is therefore always False.
        """
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
        if revision:
            at_least = revision
        if at_least is None or at_least > self._log.revision:
            await self._catch_up(at_least or 0)
        return await super().list(prefix, limit=limit, start=start, revision=revision, matching=matching)

    async def create(self, key: str, value: V) -> V:
        created = await self._write(key, value, 0)
        if created is None:
            await self.current_revision()
            raise KeyExists(key)
        return created

    async def create_all(self, values: Mapping[str, V]) -> int:
        return await create_each(self, values)

    async def update(self, key: str, change: Callable[[V], Awaitable[V | None]]) -> V:
        """Replace the value of a key in etcd by the result of `change`, and return the new value.

        `change` is first called with the value in this server's copy of etcd. If the copy proves to be outdated, it is
        called again with the value in etcd.
        """
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
        """Delete a key, if etcd still has the value that this server knows, and return the deleted value.

        If etcd has another value, retry with it. `check` is called with the value before each attempt.
        """
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
        """Compact the history of etcd, and of this server's copy. The copies of other servers keep their history."""
        await super().compact(revision)
        try:
            await self._client.call("compact", message("CompactionRequest")(revision=min(revision, self.seen)))
        except Compacted:
            return

    async def save(self) -> Saved[V]:
        """Return a snapshot of all values. It contains no expiration times, because etcd's leases have them."""
        await self.current_revision()
        return await super().save()

    async def restore(self, saved: Saved[V]) -> int:
        """Raise RestoreRefused, because other servers may write to etcd at the same time.

        Besides, etcd limits the size of a transaction.
        """
        raise RestoreRefused("cannot restore a snapshot into etcd: other servers may write to it at the same time")

    async def size(self) -> Mapping[str, int]:
        """Return the size of the etcd member's database in bytes, keyed by a label of kube-apiserver's metric for it.

        The result is empty if etcd does not answer.
        """
        try:
            status = await self._client.call("status", message("StatusRequest")())
        except StorageError:
            return {}
        return {"etcd-0": status.dbSize}

    def check(self) -> None:
        """Try to connect to etcd over TCP. Raises StorageUnusable if no member accepts the connection."""
        self._client.check()

    async def stop(self) -> None:
        self.close()
        for task in self._tasks:
            task.cancel()
        self._client.close()
        self._progress.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def load(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        decode = self._codec.decode
        self._replace_all({key: decode(data, changed) for key, (changed, data) in values.items()})
        self._log.start_at(revision)
        self._progress.advance(revision)

    def apply(self, changes: Sequence[Change], revision: int) -> None:
        for change in changes:
            event = self._event(change)
            if event is not None:
                self._apply(event)
        self._log.advance_to(revision)
        self._progress.advance(self._log.revision)

    def reload(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        revision_of, decode = self._codec.revision, self._codec.decode
        found: dict[str, V] = {}
        for key, (changed, data) in values.items():
            known = self._values.get(key)
            is_known = known is not None and revision_of(known) == changed
            found[key] = known if known is not None and is_known else decode(data, changed)
        self._replace_all(found)
        self._log.lose_history(revision)
        self._progress.advance(self._log.revision)

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
        """Return the value of a key: from this server's copy if the copy has the key, otherwise from etcd.

        The second result is True if the value was read from etcd.
        """
        known = self._values.get(key)
        return (await self.get(key), True) if known is None else (known, False)

    async def _write(self, key: str, value: V, expected: int) -> V | None:
        """Store a value, and return it with its new revision.

        Return None if the mod revision of the key is not `expected`.
        """
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
        """Wait until this server's copy has reached etcd's current revision.

        Raises RevisionInFuture if `revision` is higher than etcd's current revision.
        """
        newest = await self.current_revision()
        if revision > newest:
            raise RevisionInFuture(revision, newest)
