"""One revision of an object: JSON data, and encoded JSON that all readers share."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar
from weakref import ref

import orjson

from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document

T = TypeVar("T")
_version = re.compile(rb'"metadata":\{(?:"[a-zA-Z]+":"[^"\\]*",)*"resourceVersion":"([0-9]*)"').match
"""Function that finds the resourceVersion in an object's JSON.

It returns None if metadata is not the first field, or if fields other than plain strings precede the resourceVersion.
"""
_uid = re.compile(rb'"metadata":\{(?:"[a-zA-Z]+":"[^"\\]*",)*"uid":"([^"\\]*)"').match
"""Function that finds the uid in an object's JSON, if only plain strings precede it, as those of all stored objects."""
_head = re.compile(rb'\{"kind":"[^"\\]*","apiVersion":"[^"\\]*",').match
"""Function that finds kind and apiVersion at the beginning of an object's JSON."""
_MOST_DOCUMENTS: Final = 500
_MOST_BYTES: Final = 4 * 1024 * 1024
_MOST_SHARED_LABELS: Final = 4096


@lru_cache(maxsize=4096)
def _shared(head: bytes) -> bytes:
    """Return one shared copy of kind and apiVersion, the first bytes of the JSON of all objects of a type.

    Sharing these bytes saves memory.
    """
    return head


@lru_cache(maxsize=4096)
def _type_head(kind: str, api_version: str) -> bytes:
    """Return the beginning of an object's JSON: an opening brace, its kind and its apiVersion."""
    return b'{"kind":%s,"apiVersion":%s,' % (orjson.dumps(kind), orjson.dumps(api_version))


@lru_cache(maxsize=4096)
def _kind(head: bytes) -> str:
    """Return the kind from the first bytes of an object's JSON."""
    kind: str = orjson.loads(head[:-1] + b"}")["kind"]
    return kind


class StoredObject:
    """One immutable revision of an object: the parsed document, the encoded JSON, or both.

    The object is encoded once, without kind and apiVersion. To save memory, the document may be freed; it is parsed
    again from the JSON when it is needed: see :class:`DocumentCache`.
    """

    __slots__ = (
        "__weakref__",
        "_cache",
        "_document",
        "_facts",
        "_head",
        "_labels",
        "_tail",
        "converted_from",
        "message",
        "shown",
        "unsettled",
    )

    def __init__(self, document: Document) -> None:
        self._document: Document | None = document
        self._head = b""
        self._tail: bytes | None = None
        self._labels: dict[str, str] | None = None
        self._cache: DocumentCache | None = None
        self._facts: dict[Callable[[Document], Any], Any] | None = None
        self.shown: object = None
        """Encoded forms of the object, which the encoders of responses cache here."""
        self.unsettled = False
        """True if the next update is written even if it changes nothing: see :attr:`Strategy.settles_later`."""
        self.message: bytes | None = None
        """The object encoded in protobuf, cached by the encoders of responses."""
        self.converted_from: ref[StoredObject] | None = None
        """The object in the version in which it is stored, if its rows of Tables show that version; otherwise None."""

    @property
    def printed(self) -> Document:
        """The JSON data from which the object's row in a Table is made.

        It is in the stored version if the served version lacks some of the fields, otherwise in the served version.
        """
        converted_from = self.converted_from() if self.converted_from is not None else None
        return (converted_from or self).document

    @classmethod
    def from_data(cls, data: bytes, revision: int, cache: "DocumentCache | None" = None) -> "StoredObject":
        """Return the object with this JSON and this resourceVersion. `cache` may free its parsed document later."""
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
        return cls._of_bytes(_shared(head[0]), tail, cache, unsettled=False)

    @classmethod
    def from_tail(cls, kind: str, api_version: str, tail: bytes) -> "StoredObject":
        """Return the object with this kind and apiVersion, and the rest of its JSON, `tail` (see :attr:`item_tail`)."""
        return cls._of_bytes(_type_head(kind, api_version), tail, None, unsettled=False)

    @classmethod
    def _of_bytes(cls, head: bytes, tail: bytes, cache: "DocumentCache | None", *, unsettled: bool) -> "StoredObject":
        stored = cls.__new__(cls)
        stored._document = stored.shown = stored.message = stored._labels = stored.converted_from = None
        stored._facts = None
        stored._head, stored._tail, stored._cache, stored.unsettled = head, tail, cache, unsettled
        return stored

    @property
    def document(self) -> Document:
        """The object as JSON data. All readers share it, so it must not be changed."""
        document = self._document
        if document is None:
            document = self._document = orjson.loads(self.data)
            if self._cache is not None:
                self._cache.add(self)
        return document

    @property
    def item_tail(self) -> bytes:
        """The object's JSON without the opening brace, kind and apiVersion: these fields are omitted in lists.

        It is encoded once.
        """
        return self._encoded() if self._tail is None else self._tail

    @property
    def data(self) -> bytes:
        """The JSON of the whole object, with kind and apiVersion."""
        tail = self.item_tail
        return self._head + tail

    @property
    def kind(self) -> str:
        """The kind, read without parsing the document."""
        return _kind(self._head) if self._document is None else str(self._document["kind"])

    @property
    def name(self) -> str:
        """Value of ``metadata.name``; empty if the object has none. Parses the document, unless it has been parsed."""
        name: str = self.document["metadata"].get("name", "")
        return name

    @property
    def namespace(self) -> str:
        """Value of ``metadata.namespace``; empty for a cluster-scoped object."""
        namespace: str = self.document["metadata"].get("namespace", "")
        return namespace

    @property
    def uid(self) -> str:
        """Value of ``metadata.uid``, read without parsing the document; empty if the object has none."""
        if self._document is None and (found := _uid(self.item_tail)) is not None:
            return found[1].decode()
        uid: str = self.document["metadata"].get("uid", "")
        return uid

    @property
    def resource_version(self) -> str:
        """The revision of this object, as clients see it: a number as text. Empty if the object was never stored."""
        version: str = self.document["metadata"].get("resourceVersion", "")
        return version

    @property
    def labels(self) -> dict[str, str]:
        """Value of ``metadata.labels``, which remains available if the document is freed; empty without labels."""
        if self._document is None and self._labels is not None:
            return self._labels
        labels: dict[str, str] = self.document["metadata"].get("labels") or {}
        return labels

    def fact(self, read: Callable[[Document], T]) -> T:
        """Return `read(document)`, which is computed once, and kept if the document is freed.

        The result should be small, such as a number or a short text, and must not refer to parts of the document.
        """
        facts = self._facts
        if facts is None:
            facts = self._facts = {}
        if read not in facts:
            facts[read] = read(self.document)
        fact: T = facts[read]
        return fact

    def with_revision(self, revision: int) -> "StoredObject":
        """Return a copy with `revision` as its resourceVersion. Encoded parts of the object are reused."""
        document = self.document
        metadata = {**document["metadata"], "resourceVersion": str(revision)}
        stored = StoredObject({**document, "metadata": metadata})
        stored.unsettled = self.unsettled
        if self._tail is not None and (found := _version(self._tail)) is not None:
            stored._head = self._head
            stored._tail = b"%s%d%s" % (self._tail[: found.start(1)], revision, self._tail[found.end(1) :])
        return stored

    def with_revision_unparsed(self, revision: int, cache: "DocumentCache | None") -> "StoredObject | None":
        """Return a copy with `revision` as its resourceVersion, without parsing the JSON.

        `cache` may free the copy's document later, if the document is parsed until then. Return None if this method
        cannot be used: if the document has been parsed already, or if the JSON does not have the resourceVersion at its
        usual position.
        """
        if self._document is not None or self._tail is None or (found := _version(self._tail)) is None:
            return None
        tail = b"%s%d%s" % (self._tail[: found.start(1)], revision, self._tail[found.end(1) :])
        return StoredObject._of_bytes(self._head, tail, cache, unsettled=self.unsettled)

    def cache_document_in(self, cache: "DocumentCache") -> None:
        """Add the object to `cache`, which frees the documents that were parsed longest ago."""
        self._cache = cache
        cache.add(self)

    def drop_document(self) -> None:
        """Free the document, which can be parsed again from the JSON.

        The labels, the results of :meth:`fact` and the encoded JSON remain, because they are needed more often.
        """
        if self._document is not None and self._tail is not None:
            if self._cache is not None:
                self._labels = self._cache.shared_labels(self.labels)
            self._document = None

    def drop_caches(self) -> None:
        """Free the parsed document and all other caches, which can be computed again from the encoded JSON."""
        if self._tail is not None:
            self._document = self._labels = self._facts = self.shown = self.message = None

    def _encoded(self) -> bytes:
        document = self.document
        body = {key: value for key, value in document.items() if key not in ("kind", "apiVersion")}
        self._head = _type_head(document["kind"], document["apiVersion"])
        tail = self._tail = to_json(body)[1:]
        return tail


class DocumentCache:
    """Limits how many parsed documents a storage keeps: the oldest ones are freed first.

    A parsed document takes several times the memory of its JSON, and adds dozens of objects to Python's garbage
    collector.
    """

    def __init__(self, objects: int = _MOST_DOCUMENTS, size: int = _MOST_BYTES) -> None:
        """Allow at most `objects` documents, whose JSON has at most `size` bytes in total."""
        self._objects: deque[StoredObject] = deque()
        self._most, self._most_bytes = objects, size
        self._bytes = 0
        self._labels: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}

    def add(self, stored: StoredObject) -> None:
        """Add an object whose document is parsed. If a limit is exceeded, the oldest documents are freed."""
        objects = self._objects
        objects.append(stored)
        self._bytes += len(stored.item_tail)
        while len(objects) > self._most or self._bytes > self._most_bytes:
            first = objects.popleft()
            self._bytes -= len(first.item_tail)
            first.drop_document()

    def clear(self) -> None:
        """Break the reference cycles between the cache and the objects, after the storage has stopped."""
        self._objects.clear()
        self._labels.clear()

    def shared_labels(self, labels: dict[str, str]) -> dict[str, str]:
        """Return one dict for all objects that have the same labels in the same order, to save memory."""
        if len(self._labels) > _MOST_SHARED_LABELS:
            self._labels.clear()
        return self._labels.setdefault(tuple(labels.items()), labels)


class ObjectList(NamedTuple):
    """The result of a list: objects of one resource, and the revision of the list.

    The revision is 0 if the objects have no resourceVersions.
    """

    items: Sequence[StoredObject]
    revision: int
    continue_token: str = ""
    remaining: int | None = None
    """Number of objects on the pages after this one; None if unknown."""
