"""The interface that every storage engine implements.

A storage maps keys (``/group/plural/namespace/name``) to values. One counter numbers all changes: each change gets the
next revision, and a value has the revision of its last change. History is available until it is compacted: lists can be
read at an older revision, and watches can resume from one.

    entry = await storage.create("/pods/default/web", value)
    page = await storage.list("/pods/", limit=500)
    watcher = storage.watch("/pods/", after=page.revision)
    events = await watcher.next(timeout=60)
"""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from memkube.storage.errors import KeyExists

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
V_contra = TypeVar("V_contra", contravariant=True)
EventType: TypeAlias = Literal["created", "updated", "deleted"]


# This dataclass is not frozen: creating a frozen one takes four times as long, and each write creates one.
@dataclass(slots=True)
class Event(Generic[V_co]):
    """One change of a value. It must not be modified.

    For a deletion, ``value`` is the last value, with the revision of the deletion.
    """

    revision: int
    type: EventType
    key: str
    value: V_co
    previous: V_co | None


class Page(NamedTuple, Generic[V]):
    """A page of a list: values sorted by key, all as of ``revision``."""

    values: Sequence[V]
    revision: int
    keys: Sequence[str]
    """The keys of the values, in the same order."""
    remaining: int
    """Number of values after this page, including values that do not match the selectors."""


class SharedValues(list[V]):
    """The list of all values under a prefix.

    An engine returns the same list until a value under the prefix changes. Unlike a plain list, it can be the key of a
    WeakKeyDictionary, in which callers cache what they compute from it.
    """


@dataclass(slots=True)
class Emptiness:
    """Tells whether a prefix certainly has no values, by the attribute `known`, which the engine keeps up to date."""

    known: bool = False
    """True if no values exist under the prefix.

    False if values exist, or if the engine does not know whether they exist.
    """


class Saved(NamedTuple, Generic[V_co]):
    """A snapshot of all values at one revision. It refers to the values of the storage, which are immutable."""

    lineage: str
    """ID of the storage that assigned the revisions. Revisions of different storages cannot be compared."""
    revision: int
    values: Mapping[str, V_co]
    """Values of the snapshot, by key."""
    ends: Mapping[str, datetime] = MappingProxyType({})
    """Expiration time of each value with a limited lifetime, by key."""


class Index(Hashable, Protocol[V_contra]):
    """Definition of an index: maps each value under a prefix to a string, by which lists find the value.

    Equal definitions share one index.
    """

    @property
    def prefix(self) -> str:
        """Prefix of the keys whose values are indexed. It ends with a slash."""

    def of(self, value: V_contra) -> str | None:
        """Return the string under which the index lists a value; None to leave the value out of the index.

        For the same value, the result must always be the same.
        """


@dataclass(frozen=True, slots=True)
class MatchValue(Generic[V]):
    """A condition on a value, which an index can evaluate (apiserver ``storage.MatchValue``)."""

    index: Index[V]
    value: str
    negated: bool = False
    """True to match the values whose string in the index differs from `value`.

    The index must not leave out any value then.
    """

    def matches(self, value: V) -> bool:
        """Return True if `value` satisfies the condition."""
        return (self.index.of(value) == self.value) is not self.negated


class Codec(Protocol[V]):
    """Sets and reads the revision of values, and encodes values for engines that store bytes."""

    def stamp(self, value: V, revision: int) -> V:
        """Return the value with `revision` as its revision. It can be `value` itself, modified in place."""

    def revision(self, value: V) -> int:
        """Return the revision of a value, which :meth:`stamp` has set."""

    def encode(self, value: V) -> bytes:
        """Encode a value.

        The result need not contain the revision: an engine may encode a value before it knows the revision.
        """

    def decode(self, data: bytes, revision: int) -> V:
        """Decode the result of :meth:`encode`, and set the revision of the decoded value."""

    def size(self, value: V) -> int:
        """Return the approximate size of a value in bytes. It counts towards the size limit of the history."""

    def release(self, value: V) -> None:
        """Free caches of a value that can be computed again from its encoded form.

        Called after the value has been replaced or deleted.
        """


class HistoryBounds(NamedTuple):
    """Limits of the history. If a limit is exceeded, the oldest changes are compacted."""

    changes: int = 20_000
    size: int = 128 * 1024 * 1024
    """Maximum total size in bytes (:meth:`Codec.size`) of the values that the changes wrote and replaced."""


class Watcher(Protocol[V_co]):
    """A watch of the changes under a prefix: a position in the history.

    The watch ends when the watcher is garbage collected.
    """

    @property
    def revision(self) -> int:
        """Revision up to which the watcher has read all changes."""

    async def next(self, timeout: float | None = None) -> Sequence[Event[V_co]]:
        """Return the changes since the previous call, oldest first. Wait up to `timeout` seconds if there are none.

        Returns an empty sequence on timeout. Raises RevisionCompacted if changes were compacted before they were read,
        and StorageClosed after the storage was closed.
        """

    def read(self) -> Sequence[Event[V_co]]:
        """Return the changes that :meth:`next` would return without waiting; possibly none.

        Raises the same errors as :meth:`next`.
        """

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        """Call `callback` once, as soon as :meth:`next` may return changes.

        This is cheaper than a task that waits in :meth:`next`. Do not call :meth:`next` before the callback; after it,
        there may still be no changes. The callback is not called if the storage is closed. Call :meth:`interrupt`
        before you discard a watcher with a registered callback.
        """

    def interrupt(self) -> None:
        """End a waiting :meth:`next` as if it had timed out, and unregister the callback, if any."""


class Storage(Protocol[V]):
    """A storage engine. Each method is atomic, and its changes are visible to all later reads.

    Other processes may write to the same storage. Reads that begin after such a write was acknowledged see it; watchers
    see it when the engine is notified.

    Values under some prefixes may have a lifetime (``Lifetimes``), counted from their last change. The engine deletes
    expired values, and watchers see the deletions.

    In addition to the errors below, a write raises StorageFailed if the engine cannot carry it out. Writes and reads
    raise StorageUnavailable if an engine in another process does not answer.
    """

    @property
    def seen(self) -> int:
        """The newest revision that this process knows. Watchers can read all changes up to this revision.

        Other processes may have written since: see :meth:`current_revision`.
        """

    @property
    def restored(self) -> int:
        """Revision of the last restore of a snapshot; 0 if there was none.

        A writer compares it before and after a write, to detect a restore during the write.
        """

    @property
    def restorable(self) -> bool:
        """True if the engine can replace all values by those of a snapshot (:meth:`restore`)."""

    async def start(self) -> None:
        """Prepare the storage for use. Call this before any other method, on the event loop that uses the storage.

        Raises StorageUnusable if the storage cannot be opened, and StorageUnavailable if an engine in another process
        stops answering meanwhile.
        """

    async def current_revision(self) -> int:
        """Return the newest revision, including writes of other processes.

        Before it returns, this process reads all changes up to this revision: :attr:`seen` is then at least as high.
        """

    async def create(self, key: str, value: V) -> V:
        """Store a value under a new key, and return it with its revision.

        Raises KeyExists if the key already has a value.
        """

    async def create_all(self, values: Mapping[str, V]) -> int:
        """Store values under new keys, one after another. Return the number of values stored.

        Keys that already have a value are skipped.
        """

    async def get(self, key: str, *, at_least: int | None = None) -> V:
        """Return the newest value of a key.

        With `at_least`, the result may be older, but not older than this revision (0: any revision). This is cheaper.
        Raises KeyNotFound if the key has no value, and RevisionInFuture if `at_least` is higher than the newest
        revision.
        """

    def list_cached(self, prefix: str) -> Sequence[V] | None:
        """Return the values under a prefix, as :meth:`list` does.

        Returns None if the engine has no cached list that is up to date.
        """

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
        """Return an object whose attribute `known` is True only while no values exist under a prefix.

        The prefix must end with a slash. If `at_least` is 0, the engine may overlook values that other processes
        have just written. If it is None, `known` is False as long as such values may exist.
        """

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
        """Return at most `limit` values (0: all) whose keys start with `prefix` and sort at or after `start`.

        The values are as of `revision`. If it is 0, they are the newest ones; with `at_least`, they may be older, but
        not older than this revision. `matching` is a hint: an engine with an index may omit values that do not match
        all of the conditions. Raises RevisionCompacted and RevisionInFuture if the revision is not available.
        """

    async def update(self, key: str, change: Callable[[V], Awaitable[V | None]]) -> V:
        """Replace a value by the result of `change`, and return it with its revision.

        If another write happens at the same time, `change` is called again with the newer value. If `change` returns
        None or the unchanged value, nothing is written, and the stored value is returned. Raises the exceptions of
        `change`, KeyNotFound if the key has no value, and StorageRestored if a snapshot was restored meanwhile.
        """

    async def delete(self, key: str, check: Callable[[V], Awaitable[None]] | None = None) -> V:
        """Delete a value, and return it with the revision of the deletion.

        `check` can raise an exception to prevent the deletion. If another write happens at the same time, `check` is
        called again with the newer value. Raises KeyNotFound if the key has no value, and StorageRestored if a snapshot
        was restored meanwhile.
        """

    def watch(
        self, prefix: str, *, after: int, survives_restore: bool = False, matching: MatchValue[V] | None = None
    ) -> "Watcher[V]":
        """Return a watcher of all changes under `prefix` after the revision `after`, which can be an old one.

        With `matching`, a change may be left out if neither the value before nor the value after it matches. A restore
        ends watchers with RevisionCompacted, except a watcher with `survives_restore` that has read all earlier
        changes: it continues with the changes that the restore makes.
        """

    async def compact(self, revision: int) -> None:
        """Remove the history up to and including `revision`. Current values are not affected."""

    async def save(self) -> Saved[V]:
        """Return a snapshot of all values."""

    async def restore(self, saved: Saved[V]) -> int:
        """Replace all values by those of a snapshot, which may come from another storage.

        The restore gets a revision of its own, above all revisions of this storage and of the snapshot. For watchers,
        each value that it changes is a change with one of the next revisions. Earlier history is compacted.

        Values must not get revisions that other values of this storage have had. Whether the snapshot's values keep
        their revisions depends on the ID of the storage from which the snapshot was taken, its `lineage`. They keep
        them if it was this storage, or if this storage has no history, or if it had none when it restored a snapshot of
        the same lineage that is not older than this one. Otherwise, an offset is added to their revisions, so that they
        are higher than all revisions used so far. Returns the offset, or 0.

        Raises RestoreRefused if the engine cannot restore snapshots (:attr:`restorable`).
        """

    async def size(self) -> Mapping[str, int]:
        """Return the storage's size on disk in bytes, keyed by a label of the metric ``apiserver_storage_size_bytes``.

        Empty for a storage in memory.
        """

    def close(self) -> None:
        """Close the storage, which ends all watches. The storage must not be used afterwards."""

    async def stop(self) -> None:
        """Close the storage, cancel its tasks, and wait until they have ended."""


async def create_each(storage: Storage[V], values: Mapping[str, V]) -> int:
    """Implement :meth:`Storage.create_all` with one write for each value."""
    count = 0
    for key, value in values.items():
        with suppress(KeyExists):
            await storage.create(key, value)
            count += 1
    return count
