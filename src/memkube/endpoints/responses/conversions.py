"""Conversion of objects and lists to Table, PartialObjectMetadata and PartialObjectMetadataList."""

from collections.abc import Sequence
from datetime import datetime

from memkube.apimachinery.errors import ApiError, bad_request, unclassified
from memkube.apimachinery.field_errors import invalid_typed
from memkube.apimachinery.model import Document
from memkube.endpoints.requests.negotiation import Representation
from memkube.endpoints.responses.encodings import Encodings, JoinedRows, Pieces, RowWriter, partial_metadata_rows
from memkube.endpoints.responses.lists import ListParts, joined
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import ObjectList, StoredObject
from memkube.time.turns import Turns

_META = "meta.k8s.io"
_ROWS_AT_ONCE = 250


def list_parts(resource: Resource, objects: ObjectList, joined_rows: JoinedRows | None = None) -> ListParts:
    """Return a list whose items are the stored bytes of objects.

    As in Kubernetes, items of custom kinds contain apiVersion and kind; other items do not. If `joined_rows` is given,
    it caches lists that are read repeatedly.
    """
    metadata, tail = list_metadata(objects), {}
    head = {"kind": resource.kind_of_lists, "apiVersion": resource.api_version, "metadata": metadata}
    if resource.structural is not None:
        # As in kube-apiserver, the top-level fields of lists of custom objects are sorted by name.
        head, tail = (
            {"apiVersion": resource.api_version},
            {"kind": resource.kind_of_lists, "metadata": {"continue": "", **metadata}},
        )

    def pieces() -> Pieces:
        if resource.structural is None:
            return Pieces(b"{", [stored.item_tail for stored in objects.items], b"")
        return Pieces(b"", [stored.data for stored in objects.items], b"")

    return ListParts(head, "items", joined_rows.pieces(objects.items, pieces) if joined_rows else pieces(), tail=tail)


def list_metadata(objects: ObjectList) -> Document:
    """Return the metadata of a list: its revision, the next page's continue token, and how many objects remain."""
    metadata: Document = {"resourceVersion": str(objects.revision)} if objects.revision else {}
    if objects.continue_token:
        metadata["continue"] = objects.continue_token
    if objects.remaining is not None:
        metadata["remainingItemCount"] = objects.remaining
    return metadata


def partial_metadata_parts(resource: Resource, objects: ObjectList, version: str) -> ListParts:
    """Convert a list of objects to a PartialObjectMetadataList of the version `version` of meta.k8s.io."""
    head = {
        "kind": "PartialObjectMetadataList",
        "apiVersion": f"{_META}/{version}",
        "metadata": list_metadata(objects),
    }
    return ListParts(head, "items", partial_metadata_rows(objects.items, version, resource), empty="null")


class TableWriter:
    """Converts objects of one resource to Tables, which kubectl prints (KEP-20)."""

    def __init__(
        self, resource: Resource, representation: Representation, include: str, now: datetime, encodings: Encodings
    ) -> None:
        if include not in ("", "None", "Metadata", "Object"):
            why = "must be 'Metadata', 'Object', 'None', or empty"
            raise bad_request(
                f"Unable to convert to Table as requested: {invalid_typed('includeObject', include, why)}"
            )
        self._version = representation.version
        self._order = resource.lists.row_order
        self._rows = RowWriter(resource, representation.version, include or "Metadata", now)
        self._columns = encodings.columns(resource)
        self._joined = encodings.joined_tables
        self._rows_of_none = resource.printer.rows_of_none

    async def parts(self, items: Sequence[StoredObject], metadata: Document) -> ListParts:
        """Return a Table with a row for each object of `items`, and with `metadata` as the metadata of the Table.

        A long Table is encoded in batches of rows; between the batches, other requests can run.
        """
        about, listed = self._rows.shared, items
        if about is not None and (known := self._joined.known(listed, about, self._rows.instant)):
            return ListParts(self._head(metadata, self._columns), "rows", known, self._rows_of_none)
        turns, rows, order = Turns(), [], self._order
        if order is not None:
            items = sorted(items, key=lambda stored: order(stored.document))
        for first in range(0, len(items) or 1, _ROWS_AT_ONCE):
            await turns.give()
            rows.append(self._rows.rows(items[first : first + _ROWS_AT_ONCE]))
        pieces = joined(rows)
        if about is not None:
            pieces = self._joined.keep(listed, pieces, about, self._rows.valid_until(items))
        return ListParts(self._head(metadata, self._columns), "rows", pieces, self._rows_of_none)

    def of_one(self, stored: StoredObject, metadata: Document, *, columns: bool = True) -> ListParts:
        """Return a Table with one row, for the object `stored`, and with `metadata` as the metadata of the Table.

        If `columns` is false, the Table has no column definitions.
        """
        return ListParts(self._head(metadata, self._columns if columns else None), "rows", self._rows.rows([stored]))

    def _head(self, metadata: Document, columns: Sequence[Document] | None) -> Document:
        return {
            "kind": "Table",
            "apiVersion": f"{_META}/{self._version}",
            "metadata": metadata,
            "columnDefinitions": columns,
        }


def wrong_shape(kind: str, resource: Resource, internal_name: str, *, is_list: bool) -> ApiError:
    """Return the error for a list that is requested as a single PartialObjectMetadata, or the other way round.

    `kind` is the requested kind: PartialObjectMetadata or PartialObjectMetadataList. `is_list` is True if the requested
    objects are a list. `internal_name` is the internal Go type of the objects, such as ``core.Pod``. The error has the
    code 406; for a single object of a custom kind, it has the code 500.
    """
    if resource.structural is not None and not is_list:
        return unclassified("content is not a list")
    internal = f"*{internal_name}{'List' if is_list else ''}"
    if resource.structural is not None:
        internal = "*unstructured.UnstructuredList"
    what = "is a list" if is_list else "is not a list"
    return ApiError(406, "NotAcceptable", f"you requested {kind}, but the requested object {what} ({internal})")
