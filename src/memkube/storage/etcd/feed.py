"""What keeps a copy of an etcd's values up: a list, and a watch that is taken up again wherever it was cut off."""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from memkube.storage.errors import StorageClosed, StorageError, StorageFailed, StorageUnavailable
from memkube.storage.etcd.client import Compacted, EtcdClient, WatchRequests
from memkube.storage.etcd.messages import message

_PAGE: Final = 2_000
_PAUSE: Final = 0.1
_DELETED: Final = 1
_EVERYTHING: Final = b"\0"
_HIDDEN: Final = "/."
"""Behind the prefix, what begins with this is no object: no group's name begins with a dot."""
COMPACTION_KEY: Final = "/.compaction"
_LOGGER: Final = logging.getLogger("memkube.storage")
_TELLS_PROGRESS: Final = ((3, 4, 31), (3, 5, 13))
"""Releases of etcd from which on word of progress never overtakes events (etcd issue 15220)."""


class EtcdKeys:
    """How keys are written in etcd."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._start = prefix.encode()
        self.first = self._start + b"/"
        self.past = self._start + b"0"
        """The first key that is behind all of them."""

    def written(self, key: str) -> bytes:
        """A key as etcd has it; keys that begin without a slash lie apart."""
        return self._start + (key if key.startswith("/") else _HIDDEN + key).encode()

    def read(self, written: bytes) -> str | None:
        """The key that is written so; None for one that is not ours."""
        if not written.startswith(self.first):
            return None
        key = written[len(self._start) :].decode()
        if key == COMPACTION_KEY:
            return None
        return key.removeprefix(_HIDDEN)


class Change(NamedTuple):
    """A key that was written, or deleted."""

    revision: int
    key: str
    data: bytes | None
    """None: it is gone."""


class Copy(Protocol):
    """What is kept up."""

    @property
    def seen(self) -> int:
        """The revision that it has come to."""

    def begin(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        """Begins with what there was at a revision: revisions and data by key."""

    def take(self, changes: Sequence[Change], revision: int) -> None:
        """Makes the changes of some revisions, all of them, and has come to `revision` then."""

    def begin_again(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        """Goes on with what there is at a revision; what led there is lost."""


class EtcdFeed:
    """Tells a copy everything that happens in etcd, in order, once.

    Where the release of etcd does not tell progress reliably, all keys are watched, so that there is an event for each
    revision: what a reader waits for always comes.
    """

    def __init__(self, client: EtcdClient, keys: EtcdKeys, copy: Copy) -> None:
        self._client = client
        self._keys = keys
        self._copy = copy
        self._asks_progress = False
        self._requests = WatchRequests()

    async def load(self, version: str, changes: int) -> None:
        """Begins so many changes before the newest one, as far as etcd remembers them. Raises StorageError."""
        release = tuple(int(part) for part in version.split("-", maxsplit=1)[0].split("."))
        self._asks_progress = any(release[:2] == known[:2] and release >= known for known in _TELLS_PROGRESS)
        self._asks_progress |= release >= (3, 6)
        newest = await self._newest()
        if not self._asks_progress:
            await self._check_all_may_be_watched(version)
        while True:
            base = await self._oldest(max(newest - changes, 1), newest)
            try:
                self._copy.begin(await self._list(base), base)
            except Compacted:
                newest = await self._newest()
            else:
                return

    async def _check_all_may_be_watched(self, version: str) -> None:
        """Raises StorageFailed."""
        everything = message("RangeRequest")(key=_EVERYTHING, range_end=_EVERYTHING, count_only=True)
        try:
            await self._client.call("range", everything)
        except StorageFailed as error:
            raise StorageFailed(f"{error} (of etcd {version} all keys have to be watched)") from None

    async def run(self) -> None:
        """Follows what happens until it is cancelled or the client is closed."""
        is_lost = False
        while True:
            try:
                await self._follow()
            except Compacted:
                await self._load_again()
            except StorageClosed:
                return
            except StorageError as error:
                if not is_lost:
                    _LOGGER.warning("the watch on etcd is interrupted: %s", error)
                is_lost = True
            except Exception:
                _LOGGER.exception("the watch on etcd is interrupted")
            else:
                is_lost = False
            await asyncio.sleep(_PAUSE)

    def ask_progress(self) -> None:
        """Has etcd tell how far it has come, where nothing that is watched may have happened."""
        if self._asks_progress:
            self._requests.put(message("WatchRequest")(progress_request=message("WatchProgressRequest")()))

    async def _follow(self) -> None:
        keys, create = self._keys, message("WatchCreateRequest")
        first, past = (keys.first, keys.past) if self._asks_progress else (_EVERYTHING, _EVERYTHING)
        wanted = create(key=first, range_end=past, start_revision=self._copy.seen + 1)
        self._requests = WatchRequests()
        self._requests.put(message("WatchRequest")(create_request=wanted))
        await self._client.watch(self._requests, self._take)

    def _take(self, response: Any) -> None:
        if response.canceled:
            raise Compacted if response.compact_revision else StorageFailed(response.cancel_reason)
        events = response.events
        if events:
            self._copy.take(list(self._changes(events)), events[-1].kv.mod_revision)
        elif self._asks_progress and not response.created:
            self._copy.take((), response.header.revision)

    def _changes(self, events: Sequence[Any]) -> Iterator[Change]:
        read, seen = self._keys.read, self._copy.seen
        for event in events:
            kv = event.kv
            key = read(kv.key)
            if key is not None and kv.mod_revision > seen:
                yield Change(kv.mod_revision, key, None if event.type == _DELETED else kv.value)

    async def _load_again(self) -> None:
        """What was to be told next is forgotten in etcd."""
        _LOGGER.warning(
            "etcd has forgotten what happened behind revision %d: everything is read again", self._copy.seen
        )
        while True:
            try:
                revision = await self._newest()
                self._copy.begin_again(await self._list(revision), revision)
            except Compacted:
                continue
            except StorageUnavailable:
                await asyncio.sleep(_PAUSE)
                continue
            return

    async def _newest(self) -> int:
        revision: int = (await self._range(0, self._keys.first, 1)).header.revision
        return revision

    async def _oldest(self, least: int, most: int) -> int:
        """The oldest revision between these that etcd has not forgotten."""
        # Mostly nothing is forgotten.
        middle = least
        while least < most:
            try:
                await self._range(middle, self._keys.first, 1)
            except Compacted:
                least = middle + 1
            else:
                most = middle
            middle = (least + most) // 2
        return most

    async def _list(self, revision: int) -> dict[str, tuple[int, bytes]]:
        """All values at a revision, and those of their last changes. Raises Compacted."""
        found: dict[str, tuple[int, bytes]] = {}
        start = self._keys.first
        while True:
            page = await self._range(revision, start, _PAGE, self._keys.past)
            for kv in page.kvs:
                if (key := self._keys.read(kv.key)) is not None:
                    found[key] = kv.mod_revision, kv.value
            if not page.more:
                return found
            start = page.kvs[-1].key + b"\0"

    async def _range(self, revision: int, start: bytes, limit: int, past: bytes = b"") -> Any:
        request = message("RangeRequest")(key=start, range_end=past, limit=limit, revision=revision)
        return await self._client.call("range", request)
