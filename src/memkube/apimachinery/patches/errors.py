"""Errors of patches, and formatting of JSON data as by Go's ``fmt``, for messages that quote it.

The Go types of decoded JSON are ``map[string]interface {}``, ``[]interface {}``, ``string``, ``int64``, ``float64``,
``bool`` and nil.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import isfinite, isnan
from typing import Any, Final

from memkube.apimachinery.schema import ListSchema, MapSchema, Schema, StructSchema
from memkube.apimachinery.shown_values import quoted

_MAX_INT64: Final = 2**63 - 1


@dataclass
class PatchError(Exception):
    """Raised if a patch is rejected, with the code, reason and message of the Status that the client gets.

    ``reason`` is empty if Kubernetes' Status has none.
    """

    code: int
    reason: str
    message: str

    def __str__(self) -> str:
        return self.message


def bad_request(message: str) -> PatchError:
    """Return the 400 error for a malformed patch."""
    return PatchError(400, "BadRequest", message)


def not_applicable() -> PatchError:
    """Return the 422 error for a patch that cannot be applied to the object."""
    return PatchError(422, "Invalid", "the server rejected our request due to an error in our request")


def internal(message: str) -> PatchError:
    """Return a 500 error without a reason, as Kubernetes does for errors that are not API errors."""
    return PatchError(500, "", message)


def go_type(value: Any) -> str:
    """Return the Go type of a value, as ``%T`` prints it."""
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if value is None:
        return "<nil>"
    return "float64" if isinstance(value, float) or abs(value) > _MAX_INT64 else "int64"


def go_text(value: Any) -> str:
    """Return a value as ``%v`` prints it: ``map[a:1 b:[x y]]``, with sorted keys and strings without quotes."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_text(item)}' for key, item in sorted(value.items()))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_text, value))}]"
    return value if isinstance(value, str) else _scalar(value)


def go_string(value: Any) -> str:
    """Return a value as ``%s`` prints it: values other than strings are printed like ``%!s(int64=1)``."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_string(item)}' for key, item in sorted(value.items()))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_string, value))}]"
    if isinstance(value, str):
        return value
    return "%!s(<nil>)" if value is None else f"%!s({go_type(value)}={_scalar(value)})"


def go_syntax(value: Any) -> str:
    """Return a value as ``%#v`` prints it: ``map[string]interface {}{"a":1}``."""
    if isinstance(value, dict):
        items = ", ".join(f"{quoted(key)}:{_item_syntax(item)}" for key, item in sorted(value.items()))
        return f"map[string]interface {{}}{{{items}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_item_syntax, value))}}}"
    return quoted(value) if isinstance(value, str) else _scalar(value)


def go_float(value: float) -> str:
    """Return a float as ``%v`` prints it: the shortest digits, with an exponent for very large and small numbers."""
    if not isfinite(value):
        return "NaN" if isnan(value) else "+Inf" if value > 0 else "-Inf"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) + int(exponent) - 1
    if -4 <= power < 6:
        return f"{Decimal(repr(value)).normalize():f}"
    fraction = "".join(map(str, digits[1:]))
    mantissa = f"{'-' if sign else ''}{digits[0]}{'.' if fraction else ''}{fraction}"
    return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _scalar(value: Any) -> str:
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return go_float(float(value)) if go_type(value) == "float64" else str(value)


def _item_syntax(value: Any) -> str:
    return "interface {}(nil)" if value is None else go_syntax(value)


def with_sorted_maps(schema: Schema, value: Any) -> Any:
    """Return a copy of JSON data with sorted keys in those objects that are maps by the schema `schema`.

    Fields of structs and of values without a schema keep their order.
    """
    if isinstance(value, dict) and isinstance(schema, MapSchema):
        return {key: with_sorted_maps(schema.values, value[key]) for key in sorted(value)}
    if isinstance(value, dict) and isinstance(schema, StructSchema):
        fields = schema.fields
        return {key: with_sorted_maps(fields[key].schema, v) if key in fields else v for key, v in value.items()}
    if isinstance(value, list) and isinstance(schema, ListSchema):
        return [with_sorted_maps(schema.items, item) for item in value]
    return value
