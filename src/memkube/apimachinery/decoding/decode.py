"""Models from request bodies."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from memkube.apimachinery.decoding.duplicates import may_have_duplicates
from memkube.apimachinery.decoding.json_tree import read_tree
from memkube.apimachinery.decoding.walk import decode_document
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.schema import struct_of

M = TypeVar("M", bound=ApiModel)
M_co = TypeVar("M_co", bound=ApiModel, covariant=True)


@dataclass(frozen=True)
class Decoded(Generic[M_co]):
    """A decoded object, and what strict decoding complains about, in the reference's order and words."""

    value: M_co
    strict_errors: list[str] = field(default_factory=list)


def decode(model: type[M], data: Any, body: bytes | None = None) -> Decoded[M]:
    """The object that `data` describes.

    `body` is the JSON text from which `data` was parsed, None where there is no such text; from it come duplicate
    keys and the digits of numbers. Raises DecodeError for what the reference refuses whatever the field validation.
    """
    if body is None or not may_have_duplicates(body, data):
        try:
            return Decoded(model.model_validate(data))
        except ValidationError:
            pass
    document, strict_errors = decode_document(struct_of(model), data if body is None else read_tree(body))
    return Decoded(model.model_validate(document), strict_errors)
