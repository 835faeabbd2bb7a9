"""Types of scalar model fields, with their validation and schema types."""

from typing import Annotated, Any, Self, TypeAlias

from pydantic import Field, PlainValidator

from memkube.apimachinery.base64 import decode_base64, encode_base64
from memkube.apimachinery.quantity import Quantity as QuantityText
from memkube.apimachinery.schema import ScalarOf
from memkube.apimachinery.time import MicroTime as MicroTimeText
from memkube.apimachinery.time import Time as TimeText


class InvalidJson(str):
    """Malformed JSON text, found in a protobuf message in a field that must contain JSON.

    Decoding accepts such text. The validation of the object's kind then refuses it with the message `error`.
    """

    __slots__ = ("error",)
    error: str

    def __new__(cls, text: str, error: str = "") -> Self:
        invalid = super().__new__(cls, text)
        invalid.error = error
        return invalid


INT32 = (-(2**31), 2**31 - 1)
INT64 = (-(2**63), 2**63 - 1)


def normalize_base64(value: object) -> str:
    """Return base64 text in canonical form. Raises ValueError with Kubernetes' message if it is malformed."""
    if not isinstance(value, str):
        raise ValueError("a value of type bytes must be a base64 string")
    return encode_base64(decode_base64(value))


def parse_quantity(value: object) -> QuantityText:
    """Parse a quantity from a string or an integer.

    Raises ValueError for a float: its text may differ from the digits that were written.
    """
    if type(value) is QuantityText:
        return value
    if isinstance(value, float | bool):
        raise ValueError("a quantity must be a string or an integer")
    return QuantityText.parse(value)


Int32: TypeAlias = Annotated[int, Field(ge=INT32[0], le=INT32[1]), ScalarOf("int32")]
Int64: TypeAlias = Annotated[int, Field(ge=INT64[0], le=INT64[1]), ScalarOf("int64")]
IntOrString: TypeAlias = Annotated[Annotated[int, Field(ge=INT32[0], le=INT32[1])] | str, ScalarOf("int-or-string")]
Quantity: TypeAlias = Annotated[QuantityText, PlainValidator(parse_quantity), ScalarOf("quantity")]
Time: TypeAlias = Annotated[TimeText, PlainValidator(TimeText.parse_unless_zero), ScalarOf("time")]
MicroTime: TypeAlias = Annotated[MicroTimeText, PlainValidator(MicroTimeText.parse_unless_zero), ScalarOf("microtime")]
Bytes: TypeAlias = Annotated[str, PlainValidator(normalize_base64), ScalarOf("bytes")]
Raw: TypeAlias = Annotated[Any, ScalarOf("raw")]
