"""The contract of every storage engine.

A storage maps keys (``/group/plural/namespace/name``) to values. Each change takes the next revision of one
counter, so that revisions order all changes; a value carries the revision of its last change. History is kept
for a while: lists can be read at an older revision and watches resumed from one, until it is compacted.

    entry = await storage.create("/pods/default/web", value)
    page = await storage.list("/pods/", limit=500)
    watcher = storage.watch("/pods/", after=page.revision)
    events = await watcher.next(timeout=60)
"""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from memkube.storage.errors import KeyExists

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
V_contra = TypeVar("V_contra", contravariant=True)
EventType: TypeAlias = Literal["created", "updated", "deleted"]


# Not frozen: a frozen dataclass takes four times as long to create, and each write creates one.
@dataclass(slots=True)
class Event(Generic[V_co]):
    """One change, which must not be modified.

    The ``value`` of a deletion is the last value, with the revision of the deletion.
    """

    revision: int
    type: EventType
    key: str
    value: V_co
    previous: V_co | None


@dataclass(frozen=True, slots=True)
class Page(Generic[V]):
    """Values in the order of their keys, all as of ``revision``."""

    values: Sequence[V]
    revision: int
    keys: Sequence[str]
    """The keys of the values, in the same order."""
    remaining: int
    """Number of values after this page, including those that do not match."""


class SharedValues(list[V]):
    """The list of all values under a prefix. An engine returns the same list until a value under the prefix changes.

    Callers may cache results that they derive from the list with the list as a weak key: unlike plain lists, it can be
    referenced weakly.
    """


@dataclass(slots=True)
class Emptiness:
    """Tells whether a prefix is empty. The engine that returned this object keeps it up to date."""

    known: bool = False
    """True if there are no values under the prefix. False if there are some, or if the engine has not looked."""


@dataclass(frozen=True, slots=True)
class Saved(Generic[V_co]):
    """A snapshot: all values as of one revision. Values are immutable, so they are shared and not copied."""

    lineage: str
    """ID of the storage that assigned the revisions. Revisions of different lineages cannot be compared."""
    revision: int
    values: Mapping[str, V_co]
    """The values by their keys."""
    ends: Mapping[str, datetime] = field(default_factory=dict)
    """The instants at which values with a limited lifetime expire, by key."""


class Index(Hashable, Protocol[V_contra]):
    """A function from values to strings by which values under one prefix can be found.

    Equal indices are interchangeable.
    """

    @property
    def prefix(self) -> str:
        """The prefix of the indexed keys; ends with a slash."""

    def of(self, value: V_contra) -> str | None:
        """Return the indexed string of a value, or None if the value is not in the index. Must be deterministic."""


@dataclass(frozen=True, slots=True)
class MatchValue(Generic[V]):
    """A condition on values that an index can answer (``storage.MatchValue`` in apiserver)."""

    index: Index[V]
    value: str
    negated: bool = False
    """True to match the values that differ from ``value``. The index must not return None then."""

    def matches(self, value: V) -> bool:
        """Return True if a value satisfies the condition."""
        return (self.index.of(value) == self.value) is not self.negated


class Codec(Protocol[V]):
    """Reads and sets the revision of a value, and encodes values for engines that write outside the process."""

    def stamp(self, value: V, revision: int) -> V:
        """Return the value with `revision` as its revision. May modify and return the given value."""

    def revision(self, value: V) -> int:
        """Return the revision of a stored value."""

    def encode(self, value: V) -> bytes:
        """Encode a value. Its revision need not be included: an engine may encode before it knows the revision."""

    def decode(self, data: bytes, revision: int) -> V:
        """Decode the output of :meth:`encode` into a value with this revision."""

    def size(self, value: V) -> int:
        """Return the approximate number of bytes of a value, which counts towards the bound on history."""

    def release(self, value: V) -> None:
        """Free what can be made again from the encoded value. Called when the value has been replaced."""


@dataclass(frozen=True, slots=True)
class HistoryBounds:
    """Bounds on history. The oldest changes beyond a bound are compacted."""

    changes: int = 20_000
    size: int = 128 * 1024 * 1024
    """Maximum number of bytes of the values that the changes wrote and replaced, by :meth:`Codec.size`."""


class Watcher(Protocol[V_co]):
    """A cursor in the history. The watch ends when the watcher is garbage collected."""

    @property
    def revision(self) -> int:
        """The watcher has read all changes up to this revision."""

    async def next(self, timeout: float | None = None) -> Sequence[Event[V_co]]:
        """Return the changes since the last call, oldest first, waiting for one for at most `timeout` seconds.

        Returns an empty sequence on timeout. Raises RevisionCompacted if changes were compacted before they were read,
        and StorageClosed once the storage is closed.
        """

    def read(self) -> Sequence[Event[V_co]]:
        """Return what `next` would return without waiting, or an empty sequence. Raises as `next` does."""

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        """Call `callback` once when `next` may have something to return. Cheaper than a task that waits in `next`.

        Do not call `next` before the callback is called; it may then still find nothing. The callback is not called
        once the storage is closed. To drop the watcher while a callback is registered, call `interrupt`.
        """

    def interrupt(self) -> None:
        """End a pending wait as if it had timed out, and unregister a pending callback. No effect without either."""


class Storage(Protocol[V]):
    """A storage engine. Each method is atomic and may suspend; later reads see its changes.

    Other processes may write to the same store. Reads that begin after such a write was acknowledged see it; watchers
    see it when the engine learns of it.

    An engine may be given lifetimes for values under some prefixes (``Lifetimes``), counted from a value's last change.
    The engine deletes an expired value, and watchers see the deletion.
    """

    @property
    def seen(self) -> int:
        """The newest revision known to this process; watchers have been given all changes up to it.

        Other processes may have written since: see `current_revision`.
        """

    @property
    def restored(self) -> int:
        """The revision of the last restore, or 0. A writer can compare it to detect that a restore came between."""

    @property
    def restorable(self) -> bool:
        """True if the engine implements `restore`."""

    async def start(self) -> None:
        """Prepare the storage for use. Called once, on the event loop that uses it, before any other method.

        Raises StorageUnusable if the storage cannot be opened.
        """

    async def current_revision(self) -> int:
        """Return the revision of the newest change of any process. `seen` is at least this revision afterwards."""

    async def create(self, key: str, value: V) -> V:
        """Store a value under a new key, and return it with its revision. Raises KeyExists if the key exists."""

    async def create_all(self, values: Mapping[str, V]) -> int:
        """Store values under new keys, one after the other, and return the number of values stored.

        The value of a key that exists is not changed.
        """

    async def get(self, key: str, *, at_least: int | None = None) -> V:
        """Return the newest value, or with `at_least` the value at that revision or any later one (0: at any revision).

        Raises KeyNotFound if there is no value, and RevisionInFuture if `at_least` is later than the newest revision.
        """

    def list_cached(self, prefix: str) -> Sequence[V] | None:
        """Return the values that `list` would return for a prefix if they are cached and current, else None."""

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
        """Return an object that tells from now on whether a prefix, which ends with a slash, is empty.

        With an `at_least` of 0 it tells of the changes known to this process; other processes may have written since.
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
        """Return at most `limit` values (0: all) whose keys start with `prefix` and are not less than `start`.

        The values are as of `revision` (0: the newest, or as described for `at_least` in `get`). Values that do not
        match all of `matching` may be left out, because an engine may use an index. Raises RevisionCompacted and
        RevisionInFuture if the values at that revision are not available.
        """

    async def update(self, key: str, change: Callable[[V], Awaitable[V | None]]) -> V:
        """Replace a value with the one that `change` returns, and return the new value with its revision.

        `change` runs again on the newer value if another write came between. If it returns None or the value that it
        was given, nothing is written and the stored value is returned. An exception of `change` ends the update.
        Raises KeyNotFound, and StorageRestored if a restore came between.
        """

    async def delete(self, key: str, check: Callable[[V], Awaitable[None]] | None = None) -> V:
        """Delete a value, and return it with the revision of the deletion.

        `check` may raise to refuse the deletion, and runs again if another write came between. Raises KeyNotFound if
        there is no value, and StorageRestored if a restore came between.
        """

    def watch(
        self, prefix: str, *, after: int, survives_restore: bool = False, matching: MatchValue[V] | None = None
    ) -> "Watcher[V]":
        """Return a watcher of all changes under `prefix` after revision `after`, which may be in the past.

        Changes of values that match neither before nor after the change may be left out.

        With `survives_restore`, a watcher that has read everything when values are restored continues with the
        changes that the restore made.
        """

    async def compact(self, revision: int) -> None:
        """Forget the history up to and including `revision`. Current values are not affected."""

    async def save(self) -> Saved[V]:
        """Return a snapshot of all values."""

    async def restore(self, saved: Saved[V]) -> int:
        """Replace all values by those of a snapshot of this storage or of another one.

        Revisions continue after all that were used here and after the snapshot's: the restore takes the next revision,
        and each value that it changes takes another one. History before them is compacted. A value of this storage's
        own lineage keeps its revision, which no other value has ever had. Revisions of other lineages are moved behind
        all that were used here; the offset is returned. A storage without history takes over the lineage of the
        snapshot.
        """

    async def size(self) -> Mapping[str, int]:
        """Return the number of bytes on disk by the name of each store; empty for storage in memory."""

    def close(self) -> None:
        """End all watches. No reads or writes may follow."""

    async def stop(self) -> None:
        """Close the storage, cancel its tasks and wait until they have ended."""


async def create_each(storage: Storage[V], values: Mapping[str, V]) -> int:
    """Implement :meth:`Storage.create_all` with one write for each value."""
    count = 0
    for key, value in values.items():
        with suppress(KeyExists):
            await storage.create(key, value)
            count += 1
    return count
