"""An object as it is kept: JSON data, and the bytes that every reader shares."""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import orjson

from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document

if TYPE_CHECKING:
    from memkube.registry.objects.dependents import Dependents

_version = re.compile(rb'"metadata":\{(?:"[a-zA-Z]+":"[^"\\]*",)*"resourceVersion":"([0-9]*)"').match
"""Where the resourceVersion stands: in metadata that comes first, behind plain strings alone."""
_UNSETTLED = b" "
_head = re.compile(rb'\{"kind":"[^"\\]*","apiVersion":"[^"\\]*",').match
"""What is encoded apart from the rest."""
_OWNERS, _FINALIZERS = b'"ownerReferences":', b'"finalizers":'
"""Without these in its bytes an object depends on no others; its document need not be looked into."""
_MOST_AWAKE: Final = 500
_MOST_AWAKE_BYTES: Final = 4 * 1024 * 1024
_MOST_SHARED_LABELS: Final = 4096


@lru_cache(maxsize=4096)
def _shared(head: bytes) -> bytes:
    """The same bytes for all objects of a type."""
    return head


@lru_cache(maxsize=4096)
def _type_head(kind: str, api_version: str) -> bytes:
    """How an object begins as JSON: with its kind and apiVersion, which the items of most lists go without."""
    return b'{"kind":%s,"apiVersion":%s,' % (orjson.dumps(kind), orjson.dumps(api_version))


@lru_cache(maxsize=4096)
def _kind(head: bytes) -> str:
    """The kind that such a head tells."""
    kind: str = orjson.loads(head[:-1] + b"}")["kind"]
    return kind


class StoredObject:
    """One revision of an object. Neither the document nor the bytes ever change.

    It is encoded once, without kind and apiVersion. A revision that rests keeps its bytes alone, one that dozes its
    bytes and its labels; they read the document from the bytes when it is asked for after all.
    """

    __slots__ = ("__weakref__", "_awake", "_document", "_head", "_labels", "_tail", "message", "shown", "unsettled")

    def __init__(self, document: Document) -> None:
        self._document: Document | None = document
        self._head = b""
        self._tail: bytes | None = None
        self._labels: dict[str, str] | None = None
        self._awake: Awake | None = None
        self.shown: object = None
        """What those who show the object keep with it; theirs alone."""
        self.unsettled = False
        """The next update is written even if it changes nothing: see :attr:`Strategy.settles_later`."""
        self.message: bytes | None = None
        """The object in protobuf, kept by those who show it so."""

    @classmethod
    def from_data(cls, data: bytes, revision: int, awake: "Awake | None" = None) -> "StoredObject":
        """The object that was encoded as `data`, as of a revision; it is read when somebody asks for its document."""
        head = _head(data)
        found = None if head is None else _version(data, head.end())
        if head is None or found is None:
            document = orjson.loads(data)
            metadata = {**document["metadata"], "resourceVersion": str(revision)}
            return cls({**document, "metadata": metadata})
        version = b"%d" % revision
        if found[1] == version:
            tail = data[head.end() :]
        else:
            tail = b"%s%s%s" % (data[head.end() : found.start(1)], version, data[found.end(1) :])
        return cls._of_bytes(_shared(head[0]), tail, awake, unsettled=False)

    @classmethod
    def from_tail(cls, kind: str, api_version: str, tail: bytes) -> "StoredObject":
        """The object of this :attr:`item_tail`; it is read when somebody asks for its document."""
        return cls._of_bytes(_type_head(kind, api_version), tail, None, unsettled=False)

    @classmethod
    def _of_bytes(cls, head: bytes, tail: bytes, awake: "Awake | None", *, unsettled: bool) -> "StoredObject":
        stored = cls.__new__(cls)
        stored._document = stored.shown = stored.message = stored._labels = None
        stored._head, stored._tail, stored._awake, stored.unsettled = head, tail, awake, unsettled
        return stored

    @property
    def document(self) -> Document:
        """The object as JSON data, shared between all readers."""
        document = self._document
        if document is None:
            document = self._document = orjson.loads(self.data)
            if self._awake is not None:
                self._awake.add(self)
        return document

    @property
    def item_tail(self) -> bytes:
        """The object as JSON without kind and apiVersion, behind its opening brace; encoded once."""
        return self._encoded() if self._tail is None else self._tail

    @property
    def data(self) -> bytes:
        """The object as JSON."""
        tail = self.item_tail
        return self._head + tail

    @property
    def kind(self) -> str:
        """Its kind, told without reading the document."""
        return _kind(self._head) if self._document is None else str(self._document["kind"])

    @property
    def name(self) -> str:
        """metadata.name."""
        name: str = self.document["metadata"].get("name", "")
        return name

    @property
    def namespace(self) -> str:
        """metadata.namespace, empty for cluster-scoped objects."""
        namespace: str = self.document["metadata"].get("namespace", "")
        return namespace

    @property
    def uid(self) -> str:
        """metadata.uid."""
        uid: str = self.document["metadata"].get("uid", "")
        return uid

    @property
    def resource_version(self) -> str:
        """metadata.resourceVersion."""
        version: str = self.document["metadata"].get("resourceVersion", "")
        return version

    @property
    def labels(self) -> dict[str, str]:
        """metadata.labels."""
        if self._document is None and self._labels is not None:
            return self._labels
        labels: dict[str, str] = self.document["metadata"].get("labels") or {}
        return labels

    def with_version(self, document: Document, revision: int) -> "StoredObject":
        """The object as `document`, which differs from it in its resourceVersion alone.

        It takes over what has been encoded already.
        """
        stored = StoredObject(document)
        stored.unsettled = self.unsettled
        if self._tail is not None and (found := _version(self._tail)) is not None:
            stored._head = self._head
            stored._tail = b"%s%d%s" % (self._tail[: found.start(1)], revision, self._tail[found.end(1) :])
        return stored

    def asleep_at(self, revision: int, awake: "Awake | None") -> "StoredObject | None":
        """The object with another resourceVersion, where that can be told without reading the document."""
        if self._document is not None or self._tail is None or (found := _version(self._tail)) is None:
            return None
        tail = b"%s%d%s" % (self._tail[: found.start(1)], revision, self._tail[found.end(1) :])
        return StoredObject._of_bytes(self._head, tail, awake, unsettled=self.unsettled)

    def stay_awake_in(self, awake: "Awake") -> None:
        """Has `awake` decide how long its document is kept."""
        self._awake = awake
        awake.add(self)

    def doze(self) -> None:
        """Lets go of the document alone: what it is shown as, and its labels, are asked for more often."""
        if self._document is not None and self._tail is not None:
            if self._awake is not None:
                self._labels = self._awake.shared_labels(self.labels)
            self._document = None

    def rest(self) -> None:
        """Lets go of what can be made again from the bytes."""
        if self._tail is not None:
            self._document = self._labels = self.shown = self.message = None

    def _encoded(self) -> bytes:
        document = self.document
        body = {key: value for key, value in document.items() if key not in ("kind", "apiVersion")}
        self._head = _type_head(document["kind"], document["apiVersion"])
        tail = self._tail = to_json(body)[1:]
        return tail


class Awake:
    """The objects of one storage whose documents are at hand: those that were written or looked into last.

    A document takes up several times what its bytes do, in dozens of objects that the collector of garbage follows.
    """

    def __init__(self, objects: int = _MOST_AWAKE, size: int = _MOST_AWAKE_BYTES) -> None:
        """So many objects stay awake, of so many bytes together."""
        self._objects: deque[StoredObject] = deque()
        self._most, self._most_bytes = objects, size
        self._bytes = 0
        self._labels: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}

    def add(self, stored: StoredObject) -> None:
        """It has a document; those who got theirs before it doze where there are too many."""
        objects = self._objects
        objects.append(stored)
        self._bytes += len(stored.item_tail)
        while len(objects) > self._most or self._bytes > self._most_bytes:
            first = objects.popleft()
            self._bytes -= len(first.item_tail)
            first.doze()

    def close(self) -> None:
        """Break the reference cycles between this cache and its objects."""
        self._objects.clear()
        self._labels.clear()

    def shared_labels(self, labels: dict[str, str]) -> dict[str, str]:
        """The same for all objects that have these labels, in this order."""
        if len(self._labels) > _MOST_SHARED_LABELS:
            self._labels.clear()
        return self._labels.setdefault(tuple(labels.items()), labels)


@dataclass(frozen=True, slots=True)
class ObjectList:
    """Objects of one resource, as they all were at ``revision``; 0 where they have none."""

    items: Sequence[StoredObject]
    revision: int
    continue_token: str = ""
    remaining: int | None = None
    """How many objects follow, where that is known."""


def stamped(value: StoredObject, revision: int) -> StoredObject:
    """The object with another resourceVersion, which nobody keeps."""
    document = value.document
    metadata = {**document["metadata"], "resourceVersion": str(revision)}
    return value.with_version({**document, "metadata": metadata}, revision)


class ObjectCodec:
    """How a storage engine stamps, writes and reads objects: see :class:`memkube.storage.interface.Codec`."""

    def __init__(self, dependents: "Dependents | None" = None) -> None:
        self._awake = Awake()
        self._dependents = dependents

    def stamp(self, value: StoredObject, revision: int) -> StoredObject:
        """The object with this resourceVersion."""
        stored = value.asleep_at(revision, self._awake)
        if stored is None:
            stored = stamped(value, revision)
            stored.stay_awake_in(self._awake)
        if self._dependents is not None and not self._dependents.known:
            tail = stored.item_tail
            metadata = stored.document["metadata"] if _OWNERS in tail or _FINALIZERS in tail else ()
            if "ownerReferences" in metadata or "finalizers" in metadata:
                self._dependents.look_at(stored)
        return stored

    def close(self) -> None:
        """Free the cache of parsed documents, once the storage has stopped."""
        self._awake.close()

    def revision(self, value: StoredObject) -> int:
        """Its resourceVersion."""
        return int(value.resource_version)

    def encode(self, value: StoredObject) -> bytes:
        """The object as JSON; a blank behind it tells that it is unsettled."""
        return value.data + _UNSETTLED if value.unsettled else value.data

    def decode(self, data: bytes, revision: int) -> StoredObject:
        """The object that :meth:`encode` wrote, as of `revision`."""
        stored = StoredObject.from_data(data.removesuffix(_UNSETTLED), revision, self._awake)
        stored.unsettled = data.endswith(_UNSETTLED)
        return stored

    def size(self, value: StoredObject) -> int:
        """The bytes of its encoding."""
        return len(value.item_tail)

    def rest(self, value: StoredObject) -> None:
        """Leaves the bytes alone."""
        value.rest()
