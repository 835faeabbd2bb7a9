"""Encoded forms of objects, which are made once and used for all clients."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import floor
from typing import Final, NamedTuple
from weakref import ref

from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.endpoints.requests.negotiation import PROTOBUF
from memkube.endpoints.responses.messages import ObjectMessages, watch_frame
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.table import Elapsed, Row, TablePrinter
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.watch_events import INITIAL_EVENTS_END, WatchEvent

_META: Final = b"meta.k8s.io"
_NEVER: Final = float("inf")
_READY_BYTES: Final = 4 * 1024 * 1024
"""Maximum size in bytes of all cached encoded watch events."""
_FEWEST_JOINED: Final = 8
_JOINED_BYTES: Final = 16 * 1024 * 1024
"""Maximum size in bytes of all cached joined rows."""


class Encodings:
    """Encoded forms of objects that all requests of an application share.

    They are discarded when the served resources change.
    """

    def __init__(self) -> None:
        self._columns: dict[int, tuple[Resource, Sequence[Document]]] = {}
        self._lines: dict[tuple[StoredObject, str, str], bytes] = {}
        self._size = 0
        self.joined_rows = JoinedRows()
        self.joined_tables = JoinedRows()

    def columns(self, resource: Resource) -> Sequence[Document]:
        """Return the column definitions of a resource's Tables."""
        known = self._columns.get(id(resource))
        if known is None:
            columns = [column._asdict() for column in resource.printer.columns]
            # The cache entry refers to the resource, so that Python does not use the resource's id for another object.
            known = self._columns[id(resource)] = (resource, columns)
        return known[1]

    def event_frame(self, event: WatchEvent, messages: ObjectMessages, version: str = "") -> bytes:
        """Encode a watch event as a protobuf frame, which is cached.

        `messages` encodes objects of the event's kind. If `version` is a version of meta.k8s.io, the object is
        converted to PartialObjectMetadata.
        """
        key = (event.object, event.type, f"{PROTOBUF};{version}")
        frame = self._lines.get(key)
        if frame is None:
            stored = event.object
            written = messages.metadata(stored, version) if version else messages.object(stored)
            frame = self._keep(key, watch_frame(event.type, written))
        return frame

    def event_line(self, event: WatchEvent, version: str = "", resource: Resource | None = None) -> bytes:
        """Encode a watch event as a line of JSON, which is cached for all watchers.

        If `version` is a version of meta.k8s.io, the object is converted to PartialObjectMetadata.
        """
        key = (event.object, event.type, version)
        line = self._lines.get(key)
        if line is None:
            written = partial_metadata(event.object, version, resource) if version else event.object.data
            line = self._keep(key, event_line(event.type, written))
        return line

    def _keep(self, key: tuple[StoredObject, str, str], written: bytes) -> bytes:
        self._lines[key] = written
        self._size += len(written)
        while self._size > _READY_BYTES:
            self._size -= len(self._lines.pop(next(iter(self._lines))))
        return written


def event_line(event_type: str, written: bytes) -> bytes:
    """Return the JSON line of a watch event of the type `event_type`; `written` is its object as JSON text."""
    return b'{"type":"%s","object":%s}\n' % (event_type.encode(), written)


class Pieces(NamedTuple):
    """Encoded rows of a list or Table, without the bytes with which every row begins and ends.

    The whole row N is ``before + rows[N] + after``.
    """

    before: bytes
    rows: list[bytes]
    after: bytes

    @property
    def separator(self) -> bytes:
        """The bytes between two neighbouring items of `rows` in the list."""
        return b"%s,%s" % (self.after, self.before)


class JoinedRows:
    """A cache of encoded lists that are read repeatedly. The rows of each list are joined to one byte string.

    If the cache is full, the lists whose first read was the longest time ago are evicted. Rows that show an age are
    valid until the age changes.
    """

    def __init__(self) -> None:
        self._known: dict[int, _Joined] = {}
        self.size = 0
        """Number of bytes in the cache."""

    def pieces(self, items: Sequence[StoredObject], made: Callable[[], Pieces]) -> Pieces:
        """Return the encoded rows of a list: from the cache, or else from the function `made`, which encodes them.

        From the second read of the list on, the rows are joined to one byte string and cached.
        """
        return self.known(items) or self.keep(items, made())

    def known(self, items: Sequence[StoredObject], about: object = None, instant: float = 0) -> Pieces | None:
        """Return the cached rows of the list `items`; None if the cache has no valid rows.

        `about` identifies the form of the rows, such as the columns of a Table. It must equal the value that was given
        to `keep`. The rows must also be valid at `instant`, in seconds since the epoch.
        """
        known = self._known.get(id(items))
        if known is None:
            self._remember(items)
            return None
        known.is_wanted = True
        return known.pieces if known.about == about and instant < known.valid_until else None

    def keep(
        self, items: Sequence[StoredObject], pieces: Pieces, about: object = None, valid_until: float = _NEVER
    ) -> Pieces:
        """Cache the encoded rows `pieces` of the list `items` if the list is read for at least the second time.

        Returns the rows; cached ones are joined to one byte string. They are valid until `valid_until`, in seconds
        since the epoch. `about` identifies the form of the rows, such as the columns of a Table: the method `known`
        returns them only for the same value.
        """
        known = self._known.get(id(items))
        if known is None or not known.is_wanted:
            return pieces
        length = sum(map(len, pieces.rows)) + len(pieces.separator) * (len(pieces.rows) - 1)
        if length > _JOINED_BYTES:
            return pieces
        known.pieces = Pieces(pieces.before, [pieces.separator.join(pieces.rows)], pieces.after)
        known.about, known.valid_until = about, valid_until
        self._make_room(known, length)
        return known.pieces

    def _remember(self, items: Sequence[StoredObject]) -> None:
        if len(items) < _FEWEST_JOINED:
            return
        key = id(items)
        try:
            self._known[key] = _Joined(ref(items, lambda _: self._forget(key)))
        except TypeError:
            # The list is a plain Python list, to which no weak reference can exist. It is not cached: only the lists in
            # the storage's cache, which are of another type, are encoded repeatedly.
            return

    def _make_room(self, newest: "_Joined", length: int) -> None:
        self.size += length - newest.length
        newest.length = length
        while self.size > _JOINED_BYTES:
            self._forget(next(key for key, known in self._known.items() if known is not newest))

    def _forget(self, key: int) -> None:
        self.size -= self._known.pop(key).length


@dataclass(slots=True)
class _Joined:
    items: ref[Sequence[StoredObject]]
    is_wanted: bool = False
    """True if the list has been read a second time, so that caching its rows is useful."""
    pieces: Pieces | None = None
    length: int = 0
    about: object = None
    """Hashable value for the form of the rows, such as the columns of a Table: see `RowWriter.shared`."""
    valid_until: float = _NEVER


def partial_metadata(stored: StoredObject, version: str, resource: Resource | None) -> bytes:
    """Encode the object `stored` as PartialObjectMetadata of this version of meta.k8s.io (KEP-20)."""
    before, (row,), after = partial_metadata_rows([stored], version, resource)
    return b"%s%s%s" % (before, row, after)


def partial_metadata_rows(items: Sequence[StoredObject], version: str, resource: Resource | None) -> Pieces:
    """Encode each object of `items` as PartialObjectMetadata, whose metadata is a slice of its stored bytes."""
    rows = []
    for stored in items:
        shown = stored.shown
        if not isinstance(shown, _Shown):
            shown = stored.shown = _Shown(stored, resource)
        rows.append(shown.metadata or stored.item_tail[: shown.metadata_end])
    return Pieces(_partial_head(version), rows, b"}")


class RowWriter:
    """Encodes rows of Tables as JSON. Each row is cached with its object."""

    def __init__(self, resource: Resource, version: str, include: str, now: datetime) -> None:
        """Create the writer.

        `version` is the version of the Table. `include` is the parameter ``includeObject`` (KEP-20): Metadata, Object
        or None. `now` is the time for which ages are computed.
        """
        self._resource = resource
        self._printer = resource.printer
        self._include = include
        self._now = now
        self._version = version
        self._head = _partial_head(version)

    @property
    def instant(self) -> float:
        """The time at which ages are computed, in seconds since the epoch."""
        return self._now.timestamp()

    @property
    def shared(self) -> object:
        """Hashable value that identifies the form of rows, such as their columns; None if the rows cannot be cached.

        Two writers with equal values write equal rows for the same objects, as long as the ages in the rows are equal.
        """
        return (self._printer, self._head) if self._include == "Metadata" else None

    def valid_until(self, items: Sequence[StoredObject]) -> float:
        """Return the time, in seconds since the epoch, until which no age in the rows of these objects changes.

        `rows` must have been called with the same objects just before, because it computes these times.
        """
        return min((shown.valid_until for stored in items if isinstance(shown := stored.shown, _Shown)), default=_NEVER)

    def rows(self, items: Sequence[StoredObject]) -> Pieces:
        """Return the Table row of each object as JSON text."""
        if self._include != "Metadata":
            return Pieces(b"", [self._other_row(stored) for stored in items], b"}")
        now, instant, printer, head = self._now, self._now.timestamp(), self._printer, self._head
        rows = []
        for stored in items:
            shown = stored.shown
            if not isinstance(shown, _Shown):
                shown = stored.shown = _Shown(stored, self._resource)
            if instant >= shown.valid_until or shown.printer is not printer or shown.head is not head:
                shown.print(stored, printer, now, head)
                shown.row = shown.text + (shown.metadata or stored.item_tail[: shown.metadata_end])
            rows.append(shown.row)
        return Pieces(b"", rows, b"}}")

    def _other_row(self, stored: StoredObject) -> bytes:
        """Return a Table row with the whole object or without it, as the parameter ``includeObject`` requires.

        There is one exception: the bookmark that ends the initial events of a watch never lacks its metadata, because
        the metadata has the annotation that marks this bookmark.
        """
        shown = _Shown(stored, self._resource)
        shown.print(stored, self._printer, self._now, b"")
        if self._include == "Object":
            written = stored.data
        elif INITIAL_EVENTS_END in (stored.document["metadata"].get("annotations") or ()):
            written = partial_metadata(stored, self._version, self._resource)
        else:
            written = b"null"
        return shown.text + written


@lru_cache
def _partial_head(version: str) -> bytes:
    return b'{"kind":"PartialObjectMetadata","apiVersion":"%s/%s",' % (_META, version.encode())


class _Shown:
    """Cached parts of the Table row for one revision of an object.

    They include the cells, and the index at which the metadata ends in the object's stored bytes. Cells that show an
    age are formatted again when the age changes.
    """

    __slots__ = ("_parts", "head", "metadata", "metadata_end", "printer", "row", "text", "valid_until")

    def __init__(self, stored: StoredObject, resource: Resource | None) -> None:
        metadata = stored.document["metadata"] if resource is None else resource.metadata_alone(stored.document)
        written = b'"metadata":' + to_json(metadata)
        self.metadata_end = len(written)
        self.metadata = b"" if stored.item_tail.startswith(written) else written
        """The encoded metadata, if the stored bytes do not begin with it; otherwise empty."""
        self.printer: TablePrinter | None = None
        self.head = b""
        self.text = b""
        """The row up to the object's metadata: cells, conditions, and the beginning of the object."""
        self.row = b""
        """The row with the object's metadata; valid until `valid_until`."""
        self.valid_until = _NEVER
        self._parts: Sequence[bytes | Elapsed] = ()

    def print(self, stored: StoredObject, printer: TablePrinter, now: datetime, head: bytes) -> None:
        """Format the cells of the Table row for the object `stored`, with ages as of `now`.

        `printer` determines the columns. `head` is the beginning of the row's field ``object``: a PartialObjectMetadata
        up to its metadata.
        """
        if self.printer is not printer:
            self._parts = _parts(printer.row(stored.printed))
            self.printer = printer
        cells = [part if isinstance(part, bytes) else to_json(part.at(now)) for part in self._parts]
        self.head, self.text = head, b'%s,"object":%s' % (b"".join(cells), head)
        instant = now.timestamp()
        self.valid_until = min([_next_second(part, instant) for part in self._parts])


def _next_second(part: bytes | Elapsed, instant: float) -> float:
    """Return the time, in seconds since the epoch, at which an age in a row changes next after `instant`.

    Return infinity if `part`, a part of the row, is not an age.
    """
    if isinstance(part, bytes) or not part.since:
        return _NEVER
    since = datetime.fromisoformat(part.since).timestamp()
    return since + floor(instant - since) + 1


def _parts(row: Row) -> Sequence[bytes | Elapsed]:
    """Return the JSON text of a Table row up to its field ``object``, as a sequence of bytes and ages.

    Ages are not formatted yet, because they depend on the time of the response.
    """
    parts: list[bytes | Elapsed] = []
    text = b'{"cells":['
    for index, cell in enumerate(row.cells):
        text += b"," if index else b""
        if isinstance(cell, Elapsed):
            parts += (text, cell)
            text = b""
        else:
            text += to_json(cell)
    text += b"]"
    if row.conditions:
        text += b',"conditions":' + to_json(row.conditions)
    return [*parts, text]
