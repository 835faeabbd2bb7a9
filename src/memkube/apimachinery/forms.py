"""Conversion of JSON data into objects: Pydantic models for built-in kinds, schema-checked data for custom kinds."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

import orjson
from pydantic import ValidationError

from memkube.apimachinery.decoding.decode import decode_document, duplicate_fields
from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import may_have_duplicates, read_tree, refuse_infinity
from memkube.apimachinery.decoding.unstructured import convert_document
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.v1.unstructured import Unstructured
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.schema import StructSchema, struct_of

if TYPE_CHECKING:
    from memkube.apimachinery.structural import StructuralSchema

_TOO_DEEP: Final = "exceeded max depth"
"""Error message for data that is nested too deeply for a model, such as schemas within schemas."""
M = TypeVar("M", bound=ApiModel)
M_co = TypeVar("M_co", bound=ApiModel, covariant=True)
_INHERITED: Final = ("kind", "apiVersion", "metadata")


@dataclass(frozen=True)
class Decoded(Generic[M_co]):
    """A decoded object, and the errors that strict field validation found in it, in Kubernetes' order and wording."""

    value: M_co
    strict_errors: list[str] = field(default_factory=list)


class Form(Protocol[M_co]):
    """Decoder of JSON data into the objects of one kind."""

    @property
    def struct(self) -> StructSchema:
        """Schema of the objects that this decoder returns."""

    def decode(self, data: Any, body: bytes | None = None) -> Decoded[M_co]:
        """Decode the JSON data of one object. Return the object and the errors of strict field validation.

        `body` is the JSON text from which `data` was parsed, or None if no such text exists. It is used to find
        duplicate keys and the exact digits of numbers. Raises DecodeError for errors that Kubernetes reports even if
        fieldValidation is Ignore.
        """

    def convert(self, document: Document) -> Decoded[M_co]:
        """Convert JSON data to an object, by the rules of apimachinery's ``runtime/converter.go``.

        This method is for data that was not parsed from a body, such as the result of a patch. Raises DecodeError with
        the converter's messages, which differ from those of the JSON decoder.
        """


@dataclass(frozen=True)
class ModelForm(Generic[M]):
    """Decodes objects into instances of a Pydantic model."""

    model: type[M]

    @cached_property
    def struct(self) -> StructSchema:
        return struct_of(self.model)

    def decode(self, data: Any, body: bytes | None = None) -> Decoded[M]:
        try:
            return self._decoded(data, body)
        except RecursionError:
            raise DecodeError(_TOO_DEEP) from None

    def convert(self, document: Document) -> Decoded[M]:
        try:
            return self._converted(document)
        except RecursionError:
            raise DecodeError(_TOO_DEEP) from None

    def _decoded(self, data: Any, body: bytes | None) -> Decoded[M]:
        if body is None or not may_have_duplicates(body, data):
            try:
                return Decoded(self.model.model_validate(data))
            except ValidationError:
                pass
        document, strict_errors = decode_document(self.struct, data if body is None else read_tree(body))
        return Decoded(self.model.model_validate(document), strict_errors)

    def _converted(self, document: Document) -> Decoded[M]:
        try:
            return Decoded(self.model.model_validate(document))
        except ValidationError:
            fitted, strict_errors = convert_document(self.struct, document)
            return Decoded(self.model.model_validate(fitted), strict_errors)


def unknown_in_version(data: Document) -> list[str]:
    """Return the errors of strict field validation for an object in an unknown API version: every field is unknown."""
    return [f'unknown field "{name}"' for name in sorted(data) if name not in _INHERITED]


def decode_custom_metadata(data: Document, body: bytes | None) -> tuple[Document | None, list[str]]:
    """Return the decoded metadata of a custom object, and the strict decoding errors that do not depend on its schema.

    The errors are duplicate fields in the JSON text `body`, and unknown fields in the metadata. The metadata is None if
    it is absent. Raises DecodeError for a value of a wrong type.

    As in Kubernetes, the metadata of a custom object is decoded separately; field names in its error messages are
    therefore relative to metadata.
    """
    strict_errors = duplicate_fields(body) if body is not None else []
    if data.get("metadata") is None:
        return None, strict_errors
    metadata, found = decode_document(struct_of(ObjectMeta), data["metadata"])
    if metadata.get("managedFields") == []:
        # An empty managedFields list stops field tracking for built-in kinds, but not for custom kinds: Kubernetes
        # serialises their metadata without empty values and parses it again, which loses the list. So remove it here.
        del metadata["managedFields"]
    if len(found) > 1:
        # Report the unknown fields sorted by name: Kubernetes decodes the metadata twice, and returns the errors of the
        # second decoding, which reads the keys in sorted order.
        in_order = orjson.loads(orjson.dumps(data["metadata"], option=orjson.OPT_SORT_KEYS))
        _, found = decode_document(struct_of(ObjectMeta), in_order)
    return metadata, strict_errors + [f'unknown field "metadata.{text.split(chr(34))[1]}"' for text in found]


@dataclass(frozen=True)
class StructuralForm:
    """Decodes custom objects, and removes the fields that the CRD's structural schema does not declare.

    Values of wrong types are kept; validation against the schema reports them later.
    """

    schema: "StructuralSchema"

    @property
    def struct(self) -> StructSchema:
        return self.schema.struct

    def decode(self, data: Any, body: bytes | None = None) -> Decoded[Unstructured]:
        plain = self.schema.is_plain(data)
        if not plain and body is not None:
            refuse_infinity(data, body)
        kept, unknown = (data, []) if plain else self.schema.prune(self.schema.within_int64(data))
        inherited = {name: data[name] for name in ("apiVersion", "kind") if name in data}
        metadata, strict_errors = decode_custom_metadata(data, body)
        if metadata is not None:
            inherited["metadata"] = metadata
        strict_errors += [f'unknown field "{path}"' for path in unknown]
        content = {name: value for name, value in kept.items() if name not in _INHERITED}
        return Decoded(Unstructured.from_document({**inherited, **content}), strict_errors)

    def convert(self, document: Document) -> Decoded[Unstructured]:
        """Convert the result of a server-side apply, which already matches the schema, to an object.

        Null values are kept, because validation reports them later.
        """
        metadata, _ = decode_document(struct_of(ObjectMeta), document.get("metadata") or {})
        return Decoded(Unstructured.from_document({**self.schema.with_whole_numbers(document), "metadata": metadata}))
