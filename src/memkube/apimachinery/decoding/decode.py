"""Decoding of JSON data by a schema, in the steps of Go's JSON decoder (sigs.k8s.io/json, decode.go).

For a value of a wrong type, decoding raises :class:`TypeMismatch` internally; like Go, it records the first such error
and decodes the other fields. Errors of types with their own decoder (times, quantities, int-or-string) are ``fatal``:
they stop decoding at once.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from memkube.apimachinery.base64 import decode_base64, encode_base64
from memkube.apimachinery.decoding.errors import DecodeError, StrictErrors, UnmarshalTypeError, type_name
from memkube.apimachinery.decoding.json_body import (
    Number,
    Pairs,
    may_have_duplicates,
    parse_json,
    plain,
    read_tree,
    value_name,
)
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.schema import (
    FieldSchema,
    ListSchema,
    MapSchema,
    Scalar,
    ScalarType,
    Schema,
    StructSchema,
)
from memkube.apimachinery.time import MicroTime, Time

_INT32: Final = 2**31
_INT64: Final = 2**63
_LONGEST_INT64: Final = 20
_SELF_DECODING = frozenset({"quantity", "time", "microtime", "int-or-string"})


class TypeMismatch(Exception):
    """Raised if a value does not have the type that the schema requires.

    `met` is the JSON type of the value. `type_name` is the name of the required type in the error message; "" if it is
    the name of the schema's type. `fatal` is true if the error ends the decoding of the document at once.
    """

    def __init__(self, met: str, type_name: str = "", *, fatal: bool = False) -> None:
        super().__init__(met)
        self.met = met
        self.type_name = type_name
        self.fatal = fatal


class BadValue(Exception):
    """Raised if a value has the right JSON type but invalid content; `error` is the reason."""

    def __init__(self, error: DecodeError, *, fatal: bool = False) -> None:
        super().__init__(error.message)
        self.error = error
        self.fatal = fatal


def read_scalar(schema: Scalar, value: Any) -> Any:
    """Decode a JSON value other than null as a scalar.

    Raises TypeMismatch or BadValue if the schema does not allow the value.
    """
    if schema.read is None:
        return _READERS[schema.type](value)
    try:
        return schema.read(value if schema.type == "raw" else plain(value))
    except ValueError as error:
        why = error.__cause__
        raise BadValue(why if isinstance(why, DecodeError) else DecodeError(str(error)), fatal=True) from error


def null_scalar(schema: Scalar) -> Any:
    """Return the zero value of a scalar type. Go decodes a null in a list of scalars to this value."""
    return _ZEROS[schema.type]


def _is_number(value: Any) -> bool:
    return isinstance(value, Number | int | float) and not isinstance(value, bool)


def _string(value: Any) -> str:
    if not isinstance(value, str) or isinstance(value, Number):
        raise TypeMismatch(value_name(value))
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeMismatch(value_name(value))
    return value


def _integer(limit: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if not _is_number(value):
            raise TypeMismatch(value_name(value))
        number = _parsed_integer(value)
        if number is None or not -limit <= number < limit:
            raise TypeMismatch(f"number {value}")
        return number

    return read


def _parsed_integer(value: Any) -> int | None:
    if isinstance(value, Number):
        digits = value.removeprefix("-")
        return int(value) if digits.isdigit() and len(digits) <= _LONGEST_INT64 else None
    return value if isinstance(value, int) else None


def _float(value: Any) -> float:
    if not _is_number(value):
        raise TypeMismatch(value_name(value))
    number = float(value)
    if number in (float("inf"), float("-inf")):
        raise TypeMismatch(f"number {value}")
    return number


def _bytes(value: Any) -> str:
    if isinstance(value, list) and not hasattr(value, "items"):
        return encode_base64(bytes(_byte(item) for item in value))
    if not isinstance(value, str) or isinstance(value, Number):
        raise TypeMismatch(value_name(value))
    try:
        return encode_base64(decode_base64(value))
    except ValueError as error:
        raise BadValue(DecodeError(str(error))) from error


def _byte(value: Any) -> int:
    if value is None:
        return 0
    number = _parsed_integer(value) if _is_number(value) else None
    if number is None or not 0 <= number < 256:
        met = value_name(value)
        raise TypeMismatch(f"number {value}" if met == "number" else met, "uint8")
    return number


def _quantity(value: Any) -> str:
    text = str(value) if isinstance(value, str) or _is_number(value) else value_name(value)
    try:
        return Quantity.parse(text.strip(" \t\r\n"))
    except ValueError as error:
        raise BadValue(DecodeError(str(error)), fatal=True) from error


def _time(kind: type[Time]) -> Callable[[Any], str | None]:
    def read(value: Any) -> str | None:
        if not isinstance(value, str) or isinstance(value, Number):
            raise TypeMismatch(value_name(value), "string", fatal=True)
        try:
            return kind.parse_unless_zero(value)
        except ValueError as error:
            raise BadValue(DecodeError(str(error)), fatal=True) from error

    return read


def _int_or_string(value: Any) -> int | str:
    if isinstance(value, str) and not isinstance(value, Number):
        return value
    try:
        return _integer(_INT32)(value)
    except TypeMismatch as mismatch:
        raise TypeMismatch(mismatch.met, "int32", fatal=True) from None


_READERS: Final[Mapping[ScalarType, Callable[[Any], Any]]] = {
    "string": _string,
    "bool": _bool,
    "int32": _integer(_INT32),
    "int64": _integer(_INT64),
    "float64": _float,
    "bytes": _bytes,
    "quantity": _quantity,
    "time": _time(Time),
    "microtime": _time(MicroTime),
    "int-or-string": _int_or_string,
    "raw": plain,
}
_ZEROS: Final[Mapping[ScalarType, Any]] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "float64": 0.0,
    "bytes": "",
    "quantity": "0",
    "time": None,
    "microtime": None,
    "int-or-string": 0,
    "raw": None,
}


def decode_document(struct: StructSchema, data: Any) -> tuple[Document, list[str]]:
    """Return `data` without fields unknown to the schema `struct`, and the errors of strict field validation.

    `data` is JSON data, or a tree returned by :func:`read_tree`. Only a tree preserves duplicate keys and the notation
    of numbers, so only with a tree do the errors include duplicate fields and quote numbers as the client wrote them.
    Raises DecodeError with Kubernetes' message for the first value of a wrong type.
    """
    walk = _Walk()
    document = walk.value(struct, data, None) if data is not None else {}
    if walk.first_error is not None:
        raise walk.first_error
    return document, walk.strict.messages()


class _Walk:
    """State of decoding one document.

    The methods have a parameter `previous` for duplicate keys: if the key of the value has occurred before in the same
    JSON object, it is the value that was decoded then; otherwise None.
    """

    def __init__(self) -> None:
        self.strict = StrictErrors()
        self.first_error: DecodeError | None = None
        self.path = ""
        self.struct_name = ""
        self.field_names: list[str] = []

    def value(self, schema: Schema, value: Any, previous: Any) -> Any:
        """Decode a JSON value other than null by its schema.

        If the value has the wrong type, record an error and return `previous`.
        """
        if isinstance(schema, Scalar):
            return self.scalar(schema, value, previous)
        if isinstance(schema, ListSchema):
            if isinstance(value, list) and not isinstance(value, Pairs):
                return self.list(schema, value, previous)
        elif isinstance(value, dict | Pairs):
            if isinstance(schema, MapSchema):
                return self.map(schema, value, previous)
            return self.struct(schema, value, previous)
        self.mismatch(TypeMismatch(value_name(value)), schema)
        return previous

    def struct(self, schema: StructSchema, members: Any, previous: Any) -> Document:
        """Decode the known fields of a struct from the JSON object `members`, into a copy of `previous`.

        As in Go, the values of a duplicate key are merged: `previous` is the struct decoded from the key's earlier
        occurrence, or None.
        """
        document: Document = dict(previous) if previous else {}
        outer_path, outer_struct, depth = self.path, self.struct_name, len(self.field_names)
        seen: set[str] = set()
        for name, value in members.items():
            path = f"{outer_path}.{name}" if outer_path else name
            field = schema.fields.get(name)
            if field is None:
                self.strict.unknown(path)
                continue
            if name in seen:
                self.strict.duplicate(path)
            seen.add(name)
            self.path, self.struct_name = path, schema.name
            self.field_names += field.embedded
            self.field_names.append(name)
            self.field(field, value, document)
            self.path, self.struct_name = outer_path, outer_struct
            del self.field_names[depth:]
        return document

    def field(self, field: FieldSchema, value: Any, document: Document) -> None:
        """Decode the JSON value of one field, and store the result in `document`.

        If `value` is null although the key already occurred with a value, the result depends on the field's Go type. A
        scalar or struct keeps the earlier value; a pointer, or a field of another type, is removed from `document`.
        """
        schema = field.schema
        if value is not None:
            read = self.value(schema, value, document.get(field.name))
            if read is not None:
                document[field.name] = read
            elif field.name in document:
                del document[field.name]
        elif field.pointer or not _keeps_on_null(schema):
            document.pop(field.name, None)

    def map(self, schema: MapSchema, members: Any, previous: Any) -> Document:
        """Decode a map from the JSON object `members`, into a copy of `previous`.

        As in Go, the values of a duplicate key are merged: `previous` is the map decoded from the key's earlier
        occurrence, or None. A null in the map becomes the zero value of the map's value type.
        """
        document: Document = dict(previous) if previous else {}
        outer_path = self.path
        seen: set[str] = set()
        for name, value in members.items():
            self.path = f"{outer_path}.{name}" if outer_path else name
            if name in seen:
                self.strict.duplicate(self.path)
            seen.add(name)
            document[name] = self.element(schema.values, value, None)
        self.path = outer_path
        return document

    def list(self, schema: ListSchema, items: Any, previous: Any) -> list[Any]:
        """Decode a list.

        As in Go, the values of a duplicate key are merged: each item is merged into the item at the same index of
        `previous`, the list decoded from the key's earlier occurrence, if there is one.
        """
        outer_path = self.path
        beneath = previous or []
        read: list[Any] = []
        for position, item in enumerate(items):
            self.path = f"{outer_path}[{position}]"
            read.append(self.element(schema.items, item, beneath[position] if position < len(beneath) else None))
        self.path = outer_path
        return read

    def element(self, schema: Schema, value: Any, previous: Any) -> Any:
        """Decode a list item or map value.

        `previous` is the value that an earlier occurrence of the same field had at this place, or None. A null leaves
        it as it is, as in Go; without an earlier value, a null becomes the zero value of the item's type.
        """
        read = self.value(schema, value, previous) if value is not None else previous
        return _zero(schema) if read is None else read

    def scalar(self, schema: Scalar, value: Any, previous: Any) -> Any:
        """Decode a scalar.

        If the JSON value is invalid, the error is raised if it is fatal; otherwise it is recorded, and `previous` is
        returned.
        """
        try:
            return read_scalar(schema, value)
        except TypeMismatch as mismatch:
            self.mismatch(mismatch, schema)
        except BadValue as bad:
            error = bad.error
            if isinstance(error, UnmarshalTypeError) and self.field_names:
                error = error.below(self.struct_name, self.field_names)
            self.fail(error, fatal=bad.fatal)
        return previous

    def mismatch(self, mismatch: TypeMismatch, schema: Schema) -> None:
        """Record the error that the current JSON value has the wrong type for `schema`, as `mismatch` describes.

        Raises the error at once if the type has its own decoder in Go, such as a time or quantity (``fatal``).
        """
        wanted = mismatch.type_name or type_name(schema)
        self.fail(UnmarshalTypeError(mismatch.met, wanted, self.struct_name, self.field_names), fatal=mismatch.fatal)

    def fail(self, error: DecodeError, *, fatal: bool) -> None:
        """Raise the error if it is fatal. Otherwise record it, if it is the first error in the document."""
        error.field = ".".join(filter(None, (self.path, error.field)))
        if fatal:
            raise error
        if self.first_error is None:
            self.first_error = error


def _keeps_on_null(schema: Schema) -> bool:
    """True if a null leaves a field of this type unchanged in Go's decoder.

    A duplicate key with the value null then keeps the value of the earlier key.
    """
    if isinstance(schema, Scalar):
        return schema.type not in _SELF_DECODING and schema.type not in ("bytes", "raw")
    return isinstance(schema, StructSchema)


def _zero(schema: Schema) -> Any:
    if isinstance(schema, Scalar):
        return null_scalar(schema)
    return [] if isinstance(schema, ListSchema) else {}


def duplicate_fields(body: bytes, schema: StructSchema | None = None) -> list[str]:
    """Return the errors for the duplicate fields of a JSON body, in the wording of strict field validation.

    Without a schema, fields of any name and type are accepted, as in merge patches. Raises DecodeError if the body is
    malformed or does not match the schema.
    """
    if not may_have_duplicates(body, parse_json(body)):
        return []
    tree = read_tree(body)
    if schema is not None:
        return [error for error in decode_document(schema, tree)[1] if error.startswith("duplicate")]
    strict = StrictErrors()
    try:
        _collect(tree, "", strict)
    except RecursionError as deep:
        raise DecodeError("invalid character '{' exceeded max depth") from deep
    return strict.messages()


def _collect(tree: Any, path: str, strict: StrictErrors) -> None:
    if isinstance(tree, Pairs):
        seen: set[str] = set()
        for key, value in tree:
            here = f"{path}.{key}" if path else key
            if key in seen:
                strict.duplicate(here)
            seen.add(key)
            _collect(value, here, strict)
    elif isinstance(tree, list):
        for position, item in enumerate(tree):
            _collect(item, f"{path}[{position}]", strict)
