"""Decoding of documents by their schema, in the steps of Go's JSON decoder (sigs.k8s.io/json, decode.go)."""

from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

import orjson
from pydantic import ValidationError

from memkube.apimachinery.decoding.errors import DecodeError, StrictErrors, UnmarshalTypeError, type_name
from memkube.apimachinery.decoding.json_body import Pairs, parse_json, read_tree, value_name
from memkube.apimachinery.decoding.scalar_values import BadValue, TypeMismatch, null_scalar, read_scalar
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Scalar, Schema, StructSchema, struct_of

_SELF_DECODING = frozenset({"quantity", "time", "microtime", "int-or-string"})
_HIDING: Final = (b"\\u", b" :", b"\n:", b"\t:", b"\r:")
"""Byte sequences that make counting keys in the JSON text unreliable."""
M = TypeVar("M", bound=ApiModel)
M_co = TypeVar("M_co", bound=ApiModel, covariant=True)


def decode_document(struct: StructSchema, data: Any) -> tuple[Document, list[str]]:
    """Return `data` without unknown fields, and the errors of strict decoding.

    `data` is JSON data or a tree of :func:`read_tree`. Only a tree preserves duplicate keys and the notation of
    numbers. Raises DecodeError with the reference's message for the first value of a wrong type.
    """
    walk = _Walk()
    document = walk.value(struct, data, None) if data is not None else {}
    if walk.first_error is not None:
        raise walk.first_error
    return document, walk.strict.messages()


class _Walk:
    """One pass over a document. `previous` is the value that an earlier duplicate of the same key decoded into."""

    def __init__(self) -> None:
        self.strict = StrictErrors()
        self.first_error: DecodeError | None = None
        self.path = ""
        self.struct_name = ""
        self.field_names: list[str] = []

    def value(self, schema: Schema, value: Any, previous: Any) -> Any:
        """Decode a value other than null."""
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
        """Decode the known fields of a struct. A duplicate key decodes into the value of the earlier one, as in Go."""
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
        """Set, keep or reset one field of a struct."""
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
        """Decode a map; null becomes the zero value of the map's value type."""
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
        """Decode a list; items decode into those of an earlier duplicate of the list."""
        outer_path = self.path
        beneath = previous or []
        read: list[Any] = []
        for position, item in enumerate(items):
            self.path = f"{outer_path}[{position}]"
            read.append(self.element(schema.items, item, beneath[position] if position < len(beneath) else None))
        self.path = outer_path
        return read

    def element(self, schema: Schema, value: Any, previous: Any) -> Any:
        """Decode a list item or map value; null becomes the zero value."""
        read = self.value(schema, value, previous) if value is not None else previous
        return _zero(schema) if read is None else read

    def scalar(self, schema: Scalar, value: Any, previous: Any) -> Any:
        """Decode a scalar; returns `previous` if the value does not match its type."""
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
        """Record a value of a wrong type."""
        wanted = mismatch.type_name or type_name(schema)
        self.fail(UnmarshalTypeError(mismatch.met, wanted, self.struct_name, self.field_names), fatal=mismatch.fatal)

    def fail(self, error: DecodeError, *, fatal: bool) -> None:
        """Record the first error; raise a fatal one."""
        error.field = ".".join(filter(None, (self.path, error.field)))
        if fatal:
            raise error
        if self.first_error is None:
            self.first_error = error


def _keeps_on_null(schema: Schema) -> bool:
    """True if null leaves a value that is not a pointer unchanged, as in Go."""
    if isinstance(schema, Scalar):
        return schema.type not in _SELF_DECODING and schema.type not in ("bytes", "raw")
    return isinstance(schema, StructSchema)


def _zero(schema: Schema) -> Any:
    if isinstance(schema, Scalar):
        return null_scalar(schema)
    return [] if isinstance(schema, ListSchema) else {}


def may_have_duplicates(body: bytes, data: Any) -> bool:
    """Return False if the JSON text `body` certainly has no duplicate keys; `data` is its parsed form.

    A parsed document keeps one of several equal keys, so that its serialised form has fewer ``":`` sequences. Counting
    is unreliable if the text contains escapes or spaces before colons.
    """
    try:
        written = orjson.dumps(data)
    except orjson.JSONEncodeError:
        return True
    return body.count(b'":') != written.count(b'":') or any(map(body.__contains__, _HIDING))


def duplicate_fields(body: bytes, schema: StructSchema | None = None) -> list[str]:
    """Return the duplicate fields of a JSON body, as strict decoding reports them.

    Without a schema the body is read as plain JSON, as for merge patches. Raises DecodeError if the body is malformed
    or does not match the schema.
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


@dataclass(frozen=True)
class Decoded(Generic[M_co]):
    """A decoded object, and the errors of strict decoding in the reference's order and wording."""

    value: M_co
    strict_errors: list[str] = field(default_factory=list)


def decode(model: type[M], data: Any, body: bytes | None = None) -> Decoded[M]:
    """Decode an object from JSON data.

    `body` is the JSON text of `data`, from which duplicate keys and the notation of numbers are read; None if there is
    no such text. Raises DecodeError for errors that the reference reports for every fieldValidation.
    """
    if body is None or not may_have_duplicates(body, data):
        try:
            return Decoded(model.model_validate(data))
        except ValidationError:
            pass
    document, strict_errors = decode_document(struct_of(model), data if body is None else read_tree(body))
    return Decoded(model.model_validate(document), strict_errors)
