"""Type of quantities that must not be negative, for fields of the control API and values of annotations."""

from typing import Annotated, TypeAlias

from pydantic import PlainValidator, WithJsonSchema

from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.scalars import parse_quantity


def _amount(value: object) -> Quantity:
    """Parse a quantity. Raises ValueError if it is malformed or negative."""
    amount = parse_quantity(value)
    if amount.nano < 0:
        raise ValueError("must not be negative")
    return amount


Amount: TypeAlias = Annotated[Quantity, PlainValidator(_amount), WithJsonSchema({"type": "string"})]
