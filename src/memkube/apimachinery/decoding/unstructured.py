"""Conversion of JSON data to the fields of a type, as Kubernetes does after strategic merge patches.

Source: apimachinery's ``runtime/converter.go``. Its error messages are shorter than those of the JSON decoder, and
integers that are too large wrap around.
"""

from decimal import Decimal
from typing import Any

from memkube.apimachinery.decoding.decode import BadValue, TypeMismatch, null_scalar, read_scalar
from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import ListSchema, MapSchema, Scalar, ScalarType, Schema, StructSchema

_INTEGER_BITS: dict[ScalarType, int] = {"int32": 32, "int64": 64}
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
"""Smallest and largest number of int64."""
_WRITTEN_WITH_EXPONENT = 1e21
"""Go writes float64 numbers of at least this size with an exponent in JSON."""
_SELF_DECODING = frozenset({"quantity", "time", "microtime", "int-or-string"})


def convert_document(struct: StructSchema, data: Document) -> tuple[Document, list[str]]:
    """Convert the JSON data `data` to the fields of a Go type, which `struct` describes.

    Returns the converted data, without unknown fields, and the sorted errors of strict field validation: one for each
    unknown field. Raises DecodeError with Kubernetes' message for a value of a wrong type.
    """
    conversion = _Conversion()
    document = conversion.struct(struct, data, "")
    return document, sorted(f'unknown field "{path}"' for path in conversion.unknown)


class _Conversion:
    def __init__(self) -> None:
        self.unknown: list[str] = []

    def value(self, schema: Schema, value: Any, path: str) -> Any:
        if isinstance(schema, Scalar):
            return _scalar(schema, value)
        if isinstance(schema, ListSchema):
            if not isinstance(value, list):
                raise DecodeError(f"cannot restore slice from {_kind(value)}")
            return [self.element(schema.items, item, f"{path}[{i}]") for i, item in enumerate(value)]
        if isinstance(schema, MapSchema):
            if not isinstance(value, dict):
                raise DecodeError(f"cannot restore map from {_kind(value)}")
            return {key: self.element(schema.values, item, path) for key, item in value.items()}
        return self.struct(schema, value, path)

    def struct(self, schema: StructSchema, value: Any, path: str) -> Document:
        """Convert the fields of a struct in declaration order, so that the first error is the same as in Kubernetes."""
        if not isinstance(value, dict):
            raise DecodeError(f"cannot restore struct from: {_kind(value)}")
        document: Document = {}
        for name, field in schema.fields.items():
            item = value.get(name)
            if item is not None:
                document[name] = self.value(field.schema, item, f"{path}.{name}" if path else name)
        self.unknown += [f"{path}.{name}" if path else name for name in value if name not in schema.fields]
        return {name: item for name, item in document.items() if item is not None}

    def element(self, schema: Schema, value: Any, path: str) -> Any:
        if value is not None:
            return self.value(schema, value, path)
        if isinstance(schema, Scalar):
            return null_scalar(schema)
        return [] if isinstance(schema, ListSchema) else {}


def _scalar(schema: Scalar, value: Any) -> Any:
    if schema.type in _INTEGER_BITS:
        return _integer(schema, value)
    if schema.type in _SELF_DECODING and _is_number(value):
        value = _written_number(value)
    try:
        return read_scalar(schema, value)
    except BadValue as bad:
        prefix = "error decoding from json: " if schema.type == "bytes" else ""
        raise DecodeError(prefix + bad.error.message) from bad
    except TypeMismatch as mismatch:
        if schema.type in _SELF_DECODING:
            message = f"json: cannot unmarshal {mismatch.met} into Go value of type {mismatch.type_name}"
        elif schema.type == "bytes":
            message = f"cannot restore slice from {_kind(value)}"
        elif _is_number(value) and schema.type == "string" and isinstance(value, int):
            message = f"cannot convert int64 to {schema.name}"
        else:
            message = f"unrecognized type: {schema.type}"
        raise DecodeError(message) from mismatch


def _integer(schema: Scalar, value: Any) -> int:
    if not _is_number(value):
        raise DecodeError(f"unrecognized type: {schema.type}")
    if isinstance(value, float):
        if not value.is_integer():
            raise DecodeError(f"cannot convert float64 to {schema.name}")
        value = int(value)
    if not _SMALLEST <= value <= _LARGEST:
        # Go converts numbers that int64 cannot represent to its smallest number (on amd64).
        value = _SMALLEST
    bits = _INTEGER_BITS[schema.type]
    return int((value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1))


def _written_number(value: float) -> float:
    """Return the number that Go's decoder reads if Go first writes `value` as JSON.

    This happens for types with a JSON decoder of their own. An integer beyond int64 becomes a float64. A whole float64
    below 10^21 becomes an integer, because Go writes it without fraction and exponent.
    """
    if isinstance(value, int) and _SMALLEST <= value <= _LARGEST:
        return value
    number = float(value)
    return int(Decimal(repr(number))) if number.is_integer() and abs(number) < _WRITTEN_WITH_EXPONENT else number


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    """Return the name of a value's ``reflect.Kind`` in Go."""
    if isinstance(value, dict):
        return "map"
    if isinstance(value, list):
        return "slice"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "bool"
    return "float64" if isinstance(value, float) else "int64"
