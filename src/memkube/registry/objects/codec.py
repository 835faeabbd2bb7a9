"""How storage engines stamp, encode and decode objects."""

from typing import Final

from memkube.registry.objects.dependents import Dependents
from memkube.registry.objects.stored import DocumentCache, StoredObject

_UNSETTLED: Final = b" "
_OWNERS, _FINALIZERS = b'"ownerReferences":', b'"finalizers":'
"""An object without these bytes has no owners and no finalizers; its document need not be parsed."""


class ObjectCodec:
    """Stamps, encodes and decodes objects: see :class:`memkube.storage.interface.Codec`."""

    def __init__(self, dependents: Dependents | None = None) -> None:
        self._cache = DocumentCache()
        self._dependents = dependents

    def stamp(self, value: StoredObject, revision: int) -> StoredObject:
        """Return the object with this resourceVersion."""
        stored = value.with_revision_unparsed(revision, self._cache)
        if stored is None:
            stored = value.with_revision(revision)
            stored.cache_document_in(self._cache)
        if self._dependents is not None and not self._dependents.known:
            tail = stored.item_tail
            metadata = stored.document["metadata"] if _OWNERS in tail or _FINALIZERS in tail else ()
            if "ownerReferences" in metadata or "finalizers" in metadata:
                self._dependents.look_at(stored)
        return stored

    def close(self) -> None:
        """Free the cached documents when the storage has stopped."""
        self._cache.clear()

    def revision(self, value: StoredObject) -> int:
        """Return the resourceVersion of the object."""
        return int(value.resource_version)

    def encode(self, value: StoredObject) -> bytes:
        """Return the object in JSON, with a space after it if it is unsettled."""
        return value.data + _UNSETTLED if value.unsettled else value.data

    def decode(self, data: bytes, revision: int) -> StoredObject:
        """Return the object that :meth:`encode` encoded, with `revision` as its resourceVersion."""
        stored = StoredObject.from_data(data.removesuffix(_UNSETTLED), revision, self._cache)
        stored.unsettled = data.endswith(_UNSETTLED)
        return stored

    def size(self, value: StoredObject) -> int:
        """Return the number of bytes of the encoded object."""
        return len(value.item_tail)

    def release(self, value: StoredObject) -> None:
        """Free everything but the bytes."""
        value.drop_caches()
