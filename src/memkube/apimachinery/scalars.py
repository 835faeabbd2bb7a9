"""Scalars of the API as types of model fields: checked, brought to their written form, named for the schema."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Annotated, Any, TypeAlias

from pydantic import Field, PlainValidator

from memkube.apimachinery.quantity import Quantity as QuantityText
from memkube.apimachinery.schema import ScalarOf
from memkube.apimachinery.time import MicroTime as MicroTimeText
from memkube.apimachinery.time import Time as TimeText

INT32 = (-(2**31), 2**31 - 1)
INT64 = (-(2**63), 2**63 - 1)


def written_bytes(value: object) -> str:
    """Base64 text as the reference writes it again. Raises ValueError for anything else."""
    if not isinstance(value, str):
        raise ValueError("bytes are written as base64 text")
    try:
        return b64encode(b64decode(value.replace("\n", "").replace("\r", ""), validate=True)).decode()
    except Base64Error as error:
        raise ValueError(f"illegal base64 data: {error}") from error


Int32: TypeAlias = Annotated[int, Field(ge=INT32[0], le=INT32[1]), ScalarOf("int32")]
Int64: TypeAlias = Annotated[int, Field(ge=INT64[0], le=INT64[1]), ScalarOf("int64")]
IntOrString: TypeAlias = Annotated[
    Annotated[int, Field(ge=INT32[0], le=INT32[1])] | str, ScalarOf("int-or-string")
]
Quantity: TypeAlias = Annotated[QuantityText, PlainValidator(QuantityText.parse), ScalarOf("quantity")]
Time: TypeAlias = Annotated[TimeText, PlainValidator(TimeText.parse), ScalarOf("time")]
MicroTime: TypeAlias = Annotated[MicroTimeText, PlainValidator(MicroTimeText.parse), ScalarOf("microtime")]
Bytes: TypeAlias = Annotated[str, PlainValidator(written_bytes), ScalarOf("bytes")]
Raw: TypeAlias = Annotated[Any, ScalarOf("raw")]
