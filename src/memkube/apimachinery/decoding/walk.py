"""A document read by its schema, in the steps of Go's decoder. Source: sigs.k8s.io/json (decode.go)."""

from typing import Any

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.go_types import type_name, value_name
from memkube.apimachinery.decoding.json_tree import Pairs
from memkube.apimachinery.decoding.scalar_values import BadValue, TypeMismatch, null_scalar, read_scalar
from memkube.apimachinery.decoding.strict_errors import StrictErrors
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Scalar, Schema, StructSchema

_SELF_DECODING = frozenset({"quantity", "time", "microtime", "int-or-string"})


def decode_document(struct: StructSchema, data: Any) -> tuple[Document, list[str]]:
    """`data` without what its type does not know, and what strict decoding complains about.

    `data` is JSON data or a tree of :func:`read_tree`; duplicate keys and numbers as they were written are known in
    a tree only. Raises DecodeError with the reference's words for the first value of a wrong type.
    """
    walk = _Walk()
    document = walk.value(struct, data, None) if data is not None else {}
    if walk.first_error is not None:
        raise DecodeError(walk.first_error)
    return document, walk.strict.messages()


class _Walk:
    """One pass over a document. `previous` is what an earlier duplicate of a key has left behind."""

    def __init__(self) -> None:
        self.strict = StrictErrors()
        self.first_error: str | None = None
        self.path = ""
        self.struct_name = ""
        self.field_names: list[str] = []

    def value(self, schema: Schema, value: Any, previous: Any) -> Any:
        """The value to keep for anything but null."""
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
        """The fields that the struct knows; a duplicate decodes into what its predecessor has left."""
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
        """Set, keep or reset one field."""
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
        """The values by key; null is the zero value of their type."""
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
        """The items; those of an earlier duplicate lie beneath them."""
        outer_path = self.path
        beneath = previous or []
        read: list[Any] = []
        for position, item in enumerate(items):
            self.path = f"{outer_path}[{position}]"
            read.append(self.element(schema.items, item, beneath[position] if position < len(beneath) else None))
        self.path = outer_path
        return read

    def element(self, schema: Schema, value: Any, previous: Any) -> Any:
        """An item of a list or a value of a map, which null leaves at its zero value."""
        read = self.value(schema, value, previous) if value is not None else previous
        return _zero(schema) if read is None else read

    def scalar(self, schema: Scalar, value: Any, previous: Any) -> Any:
        """A scalar, or `previous` where the value does not fit."""
        try:
            return read_scalar(schema, value)
        except TypeMismatch as mismatch:
            self.mismatch(mismatch, schema)
        except BadValue as bad:
            self.fail(bad.message, fatal=bad.fatal)
        return previous

    def mismatch(self, mismatch: TypeMismatch, schema: Schema) -> None:
        """Word a value of a wrong type."""
        wanted = mismatch.type_name or type_name(schema)
        if self.field_names:
            where = f"Go struct field {self.struct_name}.{'.'.join(self.field_names)} of type {wanted}"
        else:
            where = f"Go value of type {wanted}"
        self.fail(f"json: cannot unmarshal {mismatch.met} into {where}", fatal=mismatch.fatal)

    def fail(self, message: str, *, fatal: bool) -> None:
        """Note an error if it is the first one, or give up."""
        if fatal:
            raise DecodeError(message)
        if self.first_error is None:
            self.first_error = message


def _keeps_on_null(schema: Schema) -> bool:
    """Whether null leaves a value that is no pointer as it was."""
    if isinstance(schema, Scalar):
        return schema.type not in _SELF_DECODING and schema.type not in ("bytes", "raw")
    return isinstance(schema, StructSchema)


def _zero(schema: Schema) -> Any:
    if isinstance(schema, Scalar):
        return null_scalar(schema)
    return [] if isinstance(schema, ListSchema) else {}
