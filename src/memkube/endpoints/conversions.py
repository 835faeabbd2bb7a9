"""Objects and lists converted to what Accept asks for: Table and PartialObjectMetadata(List)."""

from collections.abc import Sequence
from datetime import datetime

import orjson

from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.field_errors import invalid
from memkube.apimachinery.model import Document
from memkube.endpoints.negotiation import Representation
from memkube.registry.listing import ObjectList
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject
from memkube.registry.watching import INITIAL_EVENTS_END

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
    pieces = [stored.item_tail for stored in objects.items]
    pieces[0] = b"%s{%s" % (head, pieces[0])
    pieces[-1] += b"]}\n"
    return pieces


def list_document(resource: Resource, objects: ObjectList) -> Document:
    """A list as JSON data."""
    return {
        "kind": f"{resource.kind}List",
        "apiVersion": resource.api_version,
        "metadata": list_metadata(objects),
        "items": [_without_type(stored.document) for stored in objects.items],
    }


def list_metadata(objects: ObjectList) -> Document:
    """The ListMeta of a list."""
    metadata: Document = {"resourceVersion": str(objects.revision)}
    if objects.continue_token:
        metadata["continue"] = objects.continue_token
    if objects.remaining is not None:
        metadata["remainingItemCount"] = objects.remaining
    return metadata


def partial_metadata(stored: StoredObject, version: str) -> Document:
    """An object's metadata alone (KEP-20)."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"{_META}/{version}",
        "metadata": stored.document["metadata"],
    }


def partial_metadata_list(objects: ObjectList, version: str) -> Document:
    """The metadata of a list's objects."""
    return {
        "kind": "PartialObjectMetadataList",
        "apiVersion": f"{_META}/{version}",
        "metadata": list_metadata(objects),
        "items": [partial_metadata(stored, version) for stored in objects.items] or None,
    }


class TableWriter:
    """Writes objects of one resource as Tables (KEP-20)."""

    def __init__(self, resource: Resource, representation: Representation, include: str, now: datetime) -> None:
        if include not in ("", "None", "Metadata", "Object"):
            why = "must be 'Metadata', 'Object', 'None', or empty"
            raise bad_request(f"Unable to convert to Table as requested: {invalid('includeObject', include, why)}")
        self._printer = resource.printer
        self._version = representation.version
        self._include = include or "Metadata"
        self._now = now

    def table(self, items: Sequence[StoredObject], metadata: Document, *, columns: bool = True) -> Document:
        """A Table with a row for each object."""
        return {
            "kind": "Table",
            "apiVersion": f"{_META}/{self._version}",
            "metadata": metadata,
            "columnDefinitions": [column.to_document() for column in self._printer.columns] if columns else None,
            "rows": [self._row(stored) for stored in items],
        }

    def _row(self, stored: StoredObject) -> Document:
        row = self._printer.row(stored.document, self._now)
        document: Document = {"cells": row.cells}
        if row.conditions:
            document["conditions"] = row.conditions
        document["object"] = self._object(stored)
        return document

    def _object(self, stored: StoredObject) -> Document | None:
        if self._include == "Metadata" or (self._include == "None" and _ends_initial_events(stored)):
            return partial_metadata(stored, self._version)
        return stored.document if self._include == "Object" else None


def _ends_initial_events(stored: StoredObject) -> bool:
    return INITIAL_EVENTS_END in (stored.document["metadata"].get("annotations") or ())


def wrong_shape(kind: str, resource: Resource, *, is_list: bool) -> ApiError:
    """406 where a list is asked for as an object, or the other way round."""
    package = resource.group.split(".")[0] or "core"
    internal = f"*{package}.{resource.kind}{'List' if is_list else ''}"
    what = "is a list" if is_list else "is not a list"
    return ApiError(406, "NotAcceptable", f"you requested {kind}, but the requested object {what} ({internal})")


def _without_type(document: Document) -> Document:
    return {key: value for key, value in document.items() if key not in ("kind", "apiVersion")}
