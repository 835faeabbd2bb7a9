"""The forms that objects are decoded into: a model, or data that fits the structural schema of a custom kind."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

import orjson
from pydantic import ValidationError

from memkube.apimachinery.decoding.decode import Decoded, decode, decode_document, duplicate_fields
from memkube.apimachinery.decoding.unstructured import convert_document
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.v1.unstructured import Unstructured
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.schema import StructSchema, struct_of

if TYPE_CHECKING:
    from memkube.apimachinery.structural import StructuralSchema

M = TypeVar("M", bound=ApiModel)
M_co = TypeVar("M_co", bound=ApiModel, covariant=True)
_INHERITED: Final = ("kind", "apiVersion", "metadata")


class Form(Protocol[M_co]):
    """A form that objects of one kind have in this process."""

    @property
    def struct(self) -> StructSchema:
        """The fields that objects have."""

    def decode(self, data: Any, body: bytes | None = None) -> Decoded[M_co]:
        """The object that `data` describes.

        `body` is the JSON text from which `data` was parsed, None where there is no such text; from it come
        duplicate keys and the digits of numbers. Raises DecodeError for what the reference refuses whatever the
        field validation.
        """

    def convert(self, document: Document) -> Decoded[M_co]:
        """The object that plain data describes, without a detour over JSON text (apimachinery's converter).

        Raises DecodeError, in words of its own.
        """


@dataclass(frozen=True)
class ModelForm(Generic[M]):
    """Instances of a model."""

    model: type[M]

    @cached_property
    def struct(self) -> StructSchema:
        """See Form."""
        return struct_of(self.model)

    def decode(self, data: Any, body: bytes | None = None) -> Decoded[M]:
        """See Form."""
        return decode(self.model, data, body)

    def convert(self, document: Document) -> Decoded[M]:
        """See Form."""
        try:
            return Decoded(self.model.model_validate(document))
        except ValidationError:
            fitted, strict_errors = convert_document(self.struct, document)
            return Decoded(self.model.model_validate(fitted), strict_errors)


def unknown_in_version(data: Document) -> list[str]:
    """What strict decoding complains of in an object of a version that its kind does not have: all that is its own."""
    return [f'unknown field "{name}"' for name in sorted(data) if name not in _INHERITED]


@dataclass(frozen=True)
class StructuralForm:
    """Data of a custom kind: what its schema does not know is pruned; what does not fit is left to validation."""

    schema: "StructuralSchema"

    @property
    def struct(self) -> StructSchema:
        """See Form."""
        return self.schema.struct

    def decode(self, data: Any, body: bytes | None = None) -> Decoded[Unstructured]:
        """See Form."""
        plain = self.schema.is_plain(data)
        kept, unknown = (data, []) if plain else self.schema.prune(self.schema.with_whole_numbers(data))
        inherited = {name: data[name] for name in ("apiVersion", "kind") if name in data}
        strict_errors = duplicate_fields(body) if body is not None else []
        if data.get("metadata") is not None:
            # Read by itself, as the reference does it: errors name fields of metadata alone.
            metadata, found = decode_document(struct_of(ObjectMeta), data["metadata"])
            if metadata.get("managedFields") == []:
                # The reference writes metadata anew, without what is empty, so that this resets nothing.
                del metadata["managedFields"]
            inherited["metadata"] = metadata
            if len(found) > 1:
                # The reference reads metadata again from JSON with sorted keys.
                in_order = orjson.loads(orjson.dumps(data["metadata"], option=orjson.OPT_SORT_KEYS))
                _, found = decode_document(struct_of(ObjectMeta), in_order)
            strict_errors += [f'unknown field "metadata.{text.split(chr(34))[1]}"' for text in found]
        strict_errors += [f'unknown field "{path}"' for path in unknown]
        content = {name: value for name, value in kept.items() if name not in _INHERITED}
        return Decoded(Unstructured.from_document({**inherited, **content}), strict_errors)

    def convert(self, document: Document) -> Decoded[Unstructured]:
        """See Form; what was applied fits the schema, and is validated with its nulls."""
        metadata, _ = decode_document(struct_of(ObjectMeta), document.get("metadata") or {})
        return Decoded(Unstructured.from_document({**self.schema.with_whole_numbers(document), "metadata": metadata}))
