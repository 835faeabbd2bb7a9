"""Reflector: keeps this server's copy of etcd's values up to date, by a list and a watch.

After an interruption, the watch resumes where it stopped.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from memkube.apimachinery.go_strings import go_bytes, go_string
from memkube.storage.errors import StorageClosed, StorageError, StorageFailed, StorageUnavailable
from memkube.storage.etcd.client import Compacted, EtcdClient, WatchRequests
from memkube.storage.etcd.messages import message

_PAGE: Final = 2_000
_PAUSE: Final = 0.1
_DELETED: Final = 1
_EVERYTHING: Final = b"\0"
_HIDDEN: Final = "/."
"""Part of the etcd keys of values that are not objects, between the key prefix and the storage key.

Keys of objects cannot contain this part: no API group begins with a dot.
"""
COMPACTION_KEY: Final = "/.compaction"
_LOGGER: Final = logging.getLogger("memkube.storage")
_PROGRESS_RELEASES: Final = ((3, 4, 31), (3, 5, 13))
"""First releases of etcd 3.4 and 3.5 whose progress notifications never precede earlier events (etcd issue 15220)."""


class EtcdKeys:
    """Converts between the keys of the storage interface and the keys in etcd, which have a prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._start = prefix.encode()
        self.first = self._start + b"/"
        self.past = self._start + b"0"
        """The smallest key that sorts after all keys with the prefix."""

    def encode(self, key: str) -> bytes:
        """Return the etcd key for a storage key.

        Keys of objects begin with a slash. Other storage keys get an additional prefix, so that they are never listed
        as objects.
        """
        return self._start + go_bytes(key if key.startswith("/") else _HIDDEN + key)

    def decode(self, written: bytes) -> str | None:
        """Return the storage key for an etcd key; None for keys of other programs and the record of compactions."""
        if not written.startswith(self.first):
            return None
        key = go_string(written[len(self._start) :])
        if key == COMPACTION_KEY:
            return None
        return key.removeprefix(_HIDDEN)


class Change(NamedTuple):
    """A change or deletion of one key, as a watch on etcd reports it."""

    revision: int
    key: str
    data: bytes | None
    """The encoded value; None if the key was deleted."""


class ReflectorTarget(Protocol):
    """This server's copy of etcd's values, which an EtcdReflector keeps up to date."""

    @property
    def seen(self) -> int:
        """Revision up to which this server's copy of etcd contains all changes."""

    def load(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        """Set the initial values as of `revision`. `values` has the mod revision and the encoded value of each key."""

    def apply(self, changes: Sequence[Change], revision: int) -> None:
        """Apply changes to this server's copy of etcd, which afterwards contains all changes up to `revision`."""

    def reload(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        """Replace all values by those of the later revision `revision`, because the changes up to it were compacted."""


class EtcdReflector:
    """Keeps a copy of etcd's values in this process, by applying every change in order and exactly once.

    With an etcd release whose progress notifications are unreliable, it watches all keys, even those of other programs.
    Every revision then has an event, which wakes the readers that wait for this revision.
    """

    def __init__(self, client: EtcdClient, keys: EtcdKeys, target: ReflectorTarget) -> None:
        self._client = client
        self._keys = keys
        self._target = target
        self._requests_progress = False
        self._requests = WatchRequests()
        self._is_interrupted = False
        """True from an interruption of the watch until the next response: only the first failure is logged."""

    async def load(self, version: str, changes: int) -> None:
        """Load all values as of an older revision, so that the watch then also delivers past changes.

        The revision is the oldest one that is not compacted and at most `changes` below the newest one. `version` is
        that of etcd. Raises StorageError if etcd does not answer or returns an error.
        """
        release = tuple(int(part) for part in version.split("-", maxsplit=1)[0].split("."))
        self._requests_progress = any(release[:2] == known[:2] and release >= known for known in _PROGRESS_RELEASES)
        self._requests_progress |= release >= (3, 6)
        newest = await self._newest()
        if not self._requests_progress:
            await self._check_all_may_be_watched(version)
        while True:
            base = await self._oldest(max(newest - changes, 1), newest)
            try:
                self._target.load(await self._list(base), base)
            except Compacted:
                newest = await self._newest()
            else:
                return

    async def _check_all_may_be_watched(self, version: str) -> None:
        """Raise StorageFailed if etcd does not allow memkube's user to read all keys, even those of other programs.

        With this `version` of etcd, memkube has to watch all keys.
        """
        everything = message("RangeRequest")(key=_EVERYTHING, range_end=_EVERYTHING, count_only=True)
        try:
            await self._client.call("range", everything)
        except StorageFailed as error:
            raise StorageFailed(f"{error} (with etcd {version}, memkube has to watch all keys)") from None

    async def run(self) -> None:
        """Watch etcd, and apply the events to this server's copy of the values.

        Return when the client is closed.
        """
        while True:
            try:
                await self._follow_or_reload()
            except StorageClosed:
                return
            except StorageError as error:
                if not self._is_interrupted:
                    _LOGGER.warning("the watch on etcd is interrupted: %s", error)
                self._is_interrupted = True
            except Exception:
                _LOGGER.exception("the watch on etcd is interrupted")
            await asyncio.sleep(_PAUSE)

    async def _follow_or_reload(self) -> None:
        """Apply the events of a watch on etcd. If etcd has compacted the next events, load all values again."""
        try:
            await self._follow()
        except Compacted:
            await self._reload()

    def request_progress(self) -> None:
        """Ask etcd for a progress notification of the watch.

        Some readers wait until the watch has reached a certain revision. If no key of memkube was changed at this
        revision, the watch gets no event for it; only the notification shows that the watch has reached it.
        """
        if self._requests_progress:
            self._requests.put(message("WatchRequest")(progress_request=message("WatchProgressRequest")()))

    async def _follow(self) -> None:
        keys, create = self._keys, message("WatchCreateRequest")
        first, past = (keys.first, keys.past) if self._requests_progress else (_EVERYTHING, _EVERYTHING)
        wanted = create(key=first, range_end=past, start_revision=self._target.seen + 1)
        self._requests = WatchRequests()
        self._requests.put(message("WatchRequest")(create_request=wanted))
        await self._client.watch(self._requests, self._apply)

    def _apply(self, response: Any) -> None:
        if response.canceled:
            raise Compacted if response.compact_revision else StorageFailed(response.cancel_reason)
        self._is_interrupted = False
        events = response.events
        if events:
            self._target.apply(list(self._changes(events)), events[-1].kv.mod_revision)
        elif self._requests_progress and not response.created:
            self._target.apply((), response.header.revision)

    def _changes(self, events: Sequence[Any]) -> Iterator[Change]:
        read, seen = self._keys.decode, self._target.seen
        for event in events:
            kv = event.kv
            key = read(kv.key)
            if key is not None and kv.mod_revision > seen:
                yield Change(kv.mod_revision, key, None if event.type == _DELETED else kv.value)

    async def _reload(self) -> None:
        """Load all values from etcd again, because etcd has compacted changes that this server has not received."""
        _LOGGER.warning("etcd has compacted the changes after revision %d: reading all values again", self._target.seen)
        while True:
            try:
                revision = await self._newest()
                self._target.reload(await self._list(revision), revision)
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
        """Return the oldest revision from `least` to `most` that etcd has not compacted."""
        # Try the lower bound before the binary search, because usually etcd has compacted none of these revisions.
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
        """Return all values at a revision, with their mod revisions.

        Raises Compacted if etcd has compacted the revision.
        """
        found: dict[str, tuple[int, bytes]] = {}
        start = self._keys.first
        while True:
            page = await self._range(revision, start, _PAGE, self._keys.past)
            for kv in page.kvs:
                if (key := self._keys.decode(kv.key)) is not None:
                    found[key] = kv.mod_revision, kv.value
            if not page.more:
                return found
            start = page.kvs[-1].key + b"\0"

    async def _range(self, revision: int, start: bytes, limit: int, past: bytes = b"") -> Any:
        request = message("RangeRequest")(key=start, range_end=past, limit=limit, revision=revision)
        return await self._client.call("range", request)
