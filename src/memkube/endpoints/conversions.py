"""Objects and lists converted to what Accept asks for: Table and PartialObjectMetadata(List)."""

from collections.abc import Sequence
from datetime import datetime

import orjson

from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.field_errors import invalid
from memkube.apimachinery.model import Document
from memkube.endpoints.encodings import Encodings, Pieces, RowWriter, partial_metadata_rows
from memkube.endpoints.negotiation import Representation
from memkube.registry.resource import Resource
from memkube.registry.stored import ObjectList, StoredObject

_META = "meta.k8s.io"


ITEM_SEPARATOR = b",{"


def list_pieces(resource: Resource, objects: ObjectList) -> list[bytes]:
    """A list as JSON, to be joined by `ITEM_SEPARATOR`: the bytes that its objects are kept as, nothing else."""
    head = b'{"kind":"%sList","apiVersion":"%s","metadata":%s,"items":[' % (
        resource.kind.encode(),
        resource.api_version.encode(),
        orjson.dumps(list_metadata(objects)),
    )
    if not objects.items:
        return [head + b"]}\n"]
    if resource.structural is None:
        return _enclosed(head + b"{", [stored.item_tail for stored in objects.items])
    # Objects of custom kinds say in a list as well what they are.
    return _enclosed(head + b"{", [stored.type_head[1:] + stored.item_tail for stored in objects.items])


def list_metadata(objects: ObjectList) -> Document:
    """The ListMeta of a list."""
    metadata: Document = {"resourceVersion": str(objects.revision)}
    if objects.continue_token:
        metadata["continue"] = objects.continue_token
    if objects.remaining is not None:
        metadata["remainingItemCount"] = objects.remaining
    return metadata


def partial_metadata_pieces(objects: ObjectList, version: str) -> tuple[bytes, list[bytes]]:
    """The metadata of a list's objects as JSON: a separator, and what it is to be put between."""
    head = b'{"kind":"PartialObjectMetadataList","apiVersion":"%s/%s","metadata":%s,"items":' % (
        _META.encode(),
        version.encode(),
        orjson.dumps(list_metadata(objects)),
    )
    if not objects.items:
        return b"", [head + b"null}\n"]
    return _joined(head + b"[", partial_metadata_rows(objects.items, version))


class TableWriter:
    """Writes objects of one resource as Tables (KEP-20)."""

    def __init__(
        self, resource: Resource, representation: Representation, include: str, now: datetime, encodings: Encodings
    ) -> None:
        if include not in ("", "None", "Metadata", "Object"):
            why = "must be 'Metadata', 'Object', 'None', or empty"
            raise bad_request(f"Unable to convert to Table as requested: {invalid('includeObject', include, why)}")
        self._version = representation.version.encode()
        self._rows = RowWriter(resource.printer, representation.version, include or "Metadata", now)
        self._columns = encodings.columns(resource)

    def pieces(
        self, items: Sequence[StoredObject], metadata: Document, *, columns: bool = True
    ) -> tuple[bytes, list[bytes]]:
        """A Table with a row for each object as JSON: a separator, and what it is to be put between."""
        head = b'{"kind":"Table","apiVersion":"%s/%s","metadata":%s,"columnDefinitions":%s,"rows":[' % (
            _META.encode(),
            self._version,
            orjson.dumps(metadata),
            self._columns if columns else b"null",
        )
        return _joined(head, self._rows.rows(items))


def _joined(head: bytes, pieces: Pieces) -> tuple[bytes, list[bytes]]:
    rows = pieces.rows
    if not rows:
        return b"", [head + b"]}\n"]
    rows[0] = head + pieces.before + rows[0]
    rows[-1] += pieces.after + b"]}\n"
    return pieces.separator, rows


def _enclosed(head: bytes, pieces: list[bytes]) -> list[bytes]:
    if not pieces:
        return [head + b"]}\n"]
    pieces[0] = head + pieces[0]
    pieces[-1] += b"]}\n"
    return pieces


def wrong_shape(kind: str, resource: Resource, *, is_list: bool) -> ApiError:
    """406 where a list is asked for as an object, or the other way round."""
    package = resource.group.split(".")[0] or "core"
    internal = f"*{package}.{resource.kind}{'List' if is_list else ''}"
    what = "is a list" if is_list else "is not a list"
    return ApiError(406, "NotAcceptable", f"you requested {kind}, but the requested object {what} ({internal})")
