"""An object as it is kept: JSON data, and the bytes that every reader shares."""

import orjson

from memkube.apimachinery.model import Document


class StoredObject:
    """One revision of an object. Neither the document nor the bytes ever change.

    The document begins with kind and apiVersion, which the items of a list go without; so the bytes are kept
    from behind them.
    """

    __slots__ = ("__weakref__", "_lines", "_tail", "document", "shown")

    def __init__(self, document: Document) -> None:
        self.document = document
        self._tail: bytes | None = None
        self._lines: dict[str, bytes] = {}
        self.shown: object = None
        """What those who show the object keep with it; theirs alone."""

    @property
    def item_tail(self) -> bytes:
        """The object as JSON without kind and apiVersion, behind its opening brace; encoded once."""
        tail = self._tail
        if tail is None:
            body = {key: value for key, value in self.document.items() if key not in ("kind", "apiVersion")}
            tail = self._tail = orjson.dumps(body)[1:]
        return tail

    @property
    def data(self) -> bytes:
        """The object as JSON."""
        document = self.document
        return b'{"kind":"%s","apiVersion":"%s",%s' % (
            document["kind"].encode(),
            document["apiVersion"].encode(),
            self.item_tail,
        )

    def watch_line(self, event: str) -> bytes:
        """The object inside a watch event of type `event`, as one line of JSON, encoded once."""
        line = self._lines.get(event)
        if line is None:
            line = self._lines[event] = b'{"type":"%s","object":%s}\n' % (event.encode(), self.data)
        return line

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
        labels: dict[str, str] = self.document["metadata"].get("labels") or {}
        return labels


class ObjectCodec:
    """How storage engines stamp, write and read objects: see :class:`memkube.storage.interface.Codec`."""

    def stamp(self, value: StoredObject, revision: int) -> StoredObject:
        """The object with this resourceVersion."""
        metadata = {**value.document["metadata"], "resourceVersion": str(revision)}
        return StoredObject({**value.document, "metadata": metadata})

    def encode(self, value: StoredObject) -> bytes:
        """The object as JSON."""
        return value.data

    def decode(self, data: bytes, revision: int) -> StoredObject:
        """The object that :meth:`encode` wrote, as of `revision`."""
        return self.stamp(StoredObject(orjson.loads(data)), revision)
