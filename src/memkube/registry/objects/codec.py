"""Encoding and decoding of objects for storage engines."""

from typing import Final

from memkube.registry.objects.dependents import Dependents
from memkube.registry.objects.stored import DocumentCache, StoredObject

_UNSETTLED: Final = b" "
_OWNERS, _FINALIZERS = b'"ownerReferences":', b'"finalizers":'
"""The keys ``ownerReferences`` and ``finalizers`` in JSON.

If an object's JSON contains neither key, the object has no owners and finalizers, and the JSON need not be parsed.
"""


class ObjectCodec:
    """Encodes objects as JSON for the storage, and decodes them: see :class:`memkube.storage.interface.Codec`."""

    def __init__(self, dependents: Dependents | None = None) -> None:
        self._cache = DocumentCache()
        self._dependents = dependents

    def stamp(self, value: StoredObject, revision: int) -> StoredObject:
        """Return a copy of the object with `revision` as its resourceVersion.

        If the object has owner references or finalizers, this method also records that the garbage collector is needed
        (:class:`~memkube.registry.objects.dependents.Dependents`).
        """
        stored = value.with_revision_unparsed(revision, self._cache)
        if stored is None:
            stored = value.with_revision(revision)
            stored.cache_document_in(self._cache)
        if self._dependents is not None and not self._dependents.may_exist:
            tail = stored.item_tail
            metadata = stored.document["metadata"] if _OWNERS in tail or _FINALIZERS in tail else ()
            if "ownerReferences" in metadata or "finalizers" in metadata:
                self._dependents.note_write(stored)
        return stored

    def close(self) -> None:
        """Free the cached documents, after the storage has stopped."""
        self._cache.clear()

    def revision(self, value: StoredObject) -> int:
        """Return the resourceVersion of the object."""
        return int(value.resource_version)

    def encode(self, value: StoredObject) -> bytes:
        """Return the object as JSON.

        For some objects, the next update must be written even if it changes nothing (:attr:`StoredObject.unsettled`).
        To keep this fact in the storage, a space is appended to their JSON.
        """
        return value.data + _UNSETTLED if value.unsettled else value.data

    def decode(self, data: bytes, revision: int) -> StoredObject:
        """Return the object that :meth:`encode` encoded, with resourceVersion `revision`."""
        stored = StoredObject.from_data(data.removesuffix(_UNSETTLED), revision, self._cache)
        stored.unsettled = data.endswith(_UNSETTLED)
        return stored

    def size(self, value: StoredObject) -> int:
        """Return the size of the encoded object in bytes."""
        return len(value.item_tail)

    def release(self, value: StoredObject) -> None:
        """Free everything about the object that can be computed again from its JSON."""
        value.drop_caches()
