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


# Not frozen: that would make each write's event four times as dear.
@dataclass(slots=True)
class Event(Generic[V_co]):
    """One change, which nobody alters. A deletion's ``value`` is the last one, stamped with the deletion's revision."""

    revision: int
    type: EventType
    key: str
    value: V_co
    previous: V_co | None


@dataclass(frozen=True, slots=True)
class Page(Generic[V]):
    """Values in order of their keys, as they all were at ``revision``."""

    values: Sequence[V]
    revision: int
    keys: Sequence[str]
    """The keys of the values, in the same order."""
    remaining: int
    """How many values follow this page, those that do not match among them."""


class SharedValues(list[V]):
    """Values of a whole prefix that an engine returns again, the same list, until something under the prefix changes.

    Readers may keep what they make of it for as long as it lives: it takes weak references, as plain lists do not.
    """


@dataclass(slots=True)
class Emptiness:
    """Whether a prefix has nothing under it, as the engine that has given it out keeps saying."""

    known: bool = False
    """Nothing is there. Where this is false there may be something, or nobody has looked."""


@dataclass(frozen=True, slots=True)
class Saved(Generic[V_co]):
    """All values as they were at one revision. Values never change, so they are shared, not copied."""

    lineage: str
    """The storage whose revisions these are: what they mean to any other one nobody knows."""
    revision: int
    values: Mapping[str, V_co]
    """The values by their keys."""
    ends: Mapping[str, datetime] = field(default_factory=dict)
    """When those go that live for a while, by their keys."""


class Index(Hashable, Protocol[V_contra]):
    """What values under one prefix can be found by. Two that are equal are the same one."""

    @property
    def prefix(self) -> str:
        """Where the values are, whole parts of keys."""

    def of(self, value: V_contra) -> str | None:
        """What finds a value; None for one that is never found. It is always the same for the same value."""


@dataclass(frozen=True, slots=True)
class MatchValue(Generic[V]):
    """What values are looked for (the reference's ``storage.MatchValue``)."""

    index: Index[V]
    value: str
    negated: bool = False
    """All others are looked for; the index must find every value then."""

    def holds(self, value: V) -> bool:
        """Whether a value is one of them."""
        return (self.index.of(value) == self.value) is not self.negated


class Codec(Protocol[V]):
    """How values carry their revision, and how an engine that leaves the process writes them."""

    def stamp(self, value: V, revision: int) -> V:
        """The value as of `revision`; the one given may be changed and returned."""

    def revision(self, value: V) -> int:
        """The revision that a stamped value carries."""

    def encode(self, value: V) -> bytes:
        """The value. Whatever revision these bytes tell counts for nothing: an engine may write before it knows it."""

    def decode(self, data: bytes, revision: int) -> V:
        """The value that :meth:`encode` wrote, stamped."""

    def size(self, value: V) -> int:
        """About how many bytes the value takes up, for history to be bounded by."""

    def release(self, value: V) -> None:
        """Free what can be made again from the encoded value. Called when the value has been replaced."""


@dataclass(frozen=True, slots=True)
class HistoryBounds:
    """How much of the past is kept; what is older is compacted."""

    changes: int = 20_000
    size: int = 128 * 1024 * 1024
    """Bytes of the values that the changes have written and replaced, by :meth:`Codec.size`."""


class Watcher(Protocol[V_co]):
    """A place in the history. Dropping it ends the watch."""

    @property
    def revision(self) -> int:
        """Everything up to this revision has been seen."""

    async def next(self, timeout: float | None = None) -> Sequence[Event[V_co]]:
        """The changes since the last call, oldest first; waits for one up to `timeout` seconds.

        Empty when none came. Raises RevisionCompacted when the history was forgotten faster than it was read,
        and StorageClosed once the storage is closed.
        """

    def read(self) -> Sequence[Event[V_co]]:
        """What `next` would return without waiting; empty where it would wait. Raises what `next` raises."""

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        """Calls `callback`, once and soon, when `next` may have something; it costs less than a task that waits.

        Nothing may call `next` before that, which may find nothing after all. Not called once the storage is closed.
        Whoever drops the watcher without having called `next` since then interrupts it, so that the storage forgets it.
        """

    def interrupt(self) -> None:
        """Ends a wait that is under way, of `next` as if its time were up; without one, does nothing."""


class Storage(Protocol[V]):
    """A storage engine. Every method is atomic, may suspend, and changes are seen by the next read.

    Others may write to the same store: what they have written is seen by reads that begin after they were answered,
    and by watchers when word of it comes.

    An engine may be told that values under some prefixes live for a limited time (``Lifetimes``), counted from their
    last change. It removes them then, and watchers see them deleted.
    """

    @property
    def seen(self) -> int:
        """The revision of the newest change that has come here: watchers have been told of all up to it.

        Whether others have written since nobody knows without asking: see `current_revision`.
        """

    @property
    def restored(self) -> int:
        """The revision that the last restore made; 0 without one. Whoever writes may see that none came between."""

    @property
    def restorable(self) -> bool:
        """Whether `restore` can be done."""

    async def start(self) -> None:
        """Called once, on the event loop that it belongs to, before anything is read or written.

        Raises StorageUnusable.
        """

    async def current_revision(self) -> int:
        """The revision of the newest change, whoever made it; `seen` has come to it when this returns."""

    async def create(self, key: str, value: V) -> V:
        """Stores a value under a new key and returns it stamped. Raises KeyExists."""

    async def create_all(self, values: Mapping[str, V]) -> int:
        """Stores values under new keys, one after the other; returns how many.

        Where a key is taken, the value that is there stays.
        """

    async def get(self, key: str, *, at_least: int | None = None) -> V:
        """The newest value; with `at_least`, the value at any revision from that one on (0: whichever is at hand).

        Raises KeyNotFound, and RevisionInFuture where `at_least` has not happened yet.
        """

    def whole(self, prefix: str) -> Sequence[V] | None:
        """What `list` would return of a whole prefix, where that is known without asking or looking; None elsewhere."""

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
        """What tells from now on, without being asked, whether a prefix that ends with a slash is empty.

        With an `at_least` of 0 it tells of what is known here, where others may have written meanwhile.
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
        """Values whose keys begin with `prefix` and are not before `start`: at most `limit` of them (0: all).

        They are shown as they were at `revision` (0: now, or as `get` says of `at_least`). Values that do not match
        all of `matching` may be left out: an engine may look for them by an index. Raises RevisionCompacted and
        RevisionInFuture.
        """

    async def update(self, key: str, change: Callable[[V], Awaitable[V | None]]) -> V:
        """Replace a value with the one that `change` returns, and return the new value, stamped.

        `change` runs again on the newer value if another write came between. If it returns None or the value that it
        was given, nothing is written and the stored value is returned. An exception of `change` ends the update.
        Raises KeyNotFound, and StorageRestored if a restore came between.
        """

    async def delete(self, key: str, check: Callable[[V], Awaitable[None]] | None = None) -> V:
        """Removes a value and returns it stamped with the deletion's revision.

        `check` may refuse by raising, and runs again when another write came between. Raises KeyNotFound, and
        StorageRestored where a restore came between.
        """

    def watch(
        self, prefix: str, *, after: int, survives: bool = False, matching: MatchValue[V] | None = None
    ) -> "Watcher[V]":
        """A reader of every change under `prefix` later than revision `after`, be it past or future.

        Changes of values that do not match, neither before nor after, may be left out.

        One that `survives` and has seen everything when values are restored goes on with what that changed.
        """

    async def compact(self, revision: int) -> None:
        """Forgets the history up to and including `revision`. Current values stay."""

    async def save(self) -> Saved[V]:
        """Everything as it is now."""

    async def restore(self, saved: Saved[V]) -> int:
        """Replaces everything with what was saved, here or in another storage.

        Revisions go on behind all that were ever used here, and behind the saved one: the restore takes the next, and
        each value that it changes one more. History up to the first of those is forgotten. A value of this storage's
        own lineage keeps the revision that it carries, which nothing else has ever carried; revisions of others are
        moved behind all that were used here, by as much as is returned. A storage without history takes over the
        lineage of what it is given.
        """

    async def size(self) -> Mapping[str, int]:
        """How many bytes it takes on disks, by what each store is called; nothing where it is in memory alone."""

    def close(self) -> None:
        """Ends every watch. Nothing new may be read or written."""

    async def stop(self) -> None:
        """Closes it, ends what is under way, and returns when nothing of it is left on the event loop."""


async def create_each(storage: Storage[V], values: Mapping[str, V]) -> int:
    """What :meth:`Storage.create_all` does, with a write for each."""
    count = 0
    for key, value in values.items():
        with suppress(KeyExists):
            await storage.create(key, value)
            count += 1
    return count
