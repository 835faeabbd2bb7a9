"""Conversion of JSON data to CEL values by OpenAPI schemas. The converter for a schema is called its shape."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from memkube.cel.documents.lists import AtomicList, KeyedList, SetList
from memkube.cel.documents.maps import SchemaMap, SchemaObject
from memkube.cel.documents.scalars import read_int_or_string, scalar_reader
from memkube.cel.errors import EvaluationError
from memkube.cel.identifiers import escaped
from memkube.cel.values import Preserved, Value

_Schema = Mapping[str, Any]
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_LIST_KEYS: Final = "x-kubernetes-list-map-keys"
_LIST_TYPE: Final = "x-kubernetes-list-type"
_PRESERVES: Final = "x-kubernetes-preserve-unknown-fields"
_TEXT: Final[_Schema] = {"type": "string"}
_METADATA: Final[_Schema] = {"type": "object", "properties": {"name": _TEXT, "generateName": _TEXT}}
_UNKNOWN: Final = (
    "invalid type, expected object, array, number, integer, boolean or string, or no type with "
    "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got "
)


class Shape:
    """Converts JSON data with one OpenAPI schema to CEL values. Nested converters are created on first use."""

    __slots__ = ("_additional", "_fields", "_items", "_properties", "field_readers", "nullable", "read", "schema")

    field_readers: Mapping[str, Callable[[object], Value]]
    """Functions that convert the values of an object's properties, by property name. They do not accept null."""

    read: Callable[[object], Value]
    """Function that converts JSON data other than null into a CEL value.

    Raises EvaluationError if the data does not match the schema.
    """

    def __init__(self, schema: _Schema) -> None:
        self.schema = schema
        self.nullable = bool(schema.get("nullable"))
        self._properties: Mapping[str, _Schema] | None = schema.get("properties") or None
        if schema.get(_EMBEDDED):
            self._properties = _with_metadata(self._properties or {})
        self._fields: dict[str, Shape] | None = None
        self._items: Shape | None = None
        self._additional: Shape | None = None
        self.field_readers = _FieldReaders(self)
        self.read = self._reader()

    @property
    def fields(self) -> "dict[str, Shape]":
        """Converters for the properties of an object, by property name."""
        if self._fields is None:
            self._fields = {name: Shape(schema) for name, schema in (self._properties or {}).items()}
        return self._fields

    @property
    def items(self) -> "Shape | None":
        """Converter for the items of a list; None if the schema does not declare the items."""
        if self._items is None and isinstance(self.schema.get("items"), dict):
            self._items = Shape(self.schema["items"])
        return self._items

    @property
    def additional(self) -> "Shape | None":
        """Converter for the values of a map; None if the schema does not declare the values."""
        if self._additional is None and isinstance(self.schema.get("additionalProperties"), dict):
            self._additional = Shape(self.schema["additionalProperties"])
        return self._additional

    def property(self, name: str) -> "Shape | None":
        """Return the converter for the value of a property or map key; None if the value has no schema."""
        return self.additional if self._properties is None else self.fields.get(name)

    def value(self, data: object) -> Value:
        """Convert JSON data into a CEL value. Raises EvaluationError if the data does not match the schema."""
        if data is not None:
            return self.read(data)
        if self.nullable:
            return None
        raise EvaluationError("invalid data, got null for schema with nullable=false")

    def _reader(self) -> Callable[[object], Value]:
        if self.schema.get(_INT_OR_STRING):
            return read_int_or_string
        kind = str(self.schema.get("type") or "")
        if kind == "object":
            return self._read_object
        if kind == "array":
            return self._list_reader()
        scalar = scalar_reader(kind, str(self.schema.get("format") or ""))
        if scalar is not None:
            return scalar
        if self.schema.get(_PRESERVES):
            return Preserved
        return _failing(_UNKNOWN + kind)

    def _read_object(self, data: object) -> Value:
        if not isinstance(data, dict):
            raise EvaluationError("invalid data, expected a map for the provided schema with type=object")
        return SchemaMap(data, self) if self._properties is None else SchemaObject(data, self)

    def _list_reader(self) -> Callable[[object], Value]:
        items = self.items
        if items is None:
            return _failing("invalid array type, expected Items with a non-empty Schema", before=_check_array)
        match self.schema.get(_LIST_TYPE):
            case "map":
                keys = tuple(escaped(key) or key for key in self.schema.get(_LIST_KEYS, ()))
                return lambda data: KeyedList(_check_array(data), items, keys)
            case "set":
                return lambda data: SetList(_check_array(data), items)
            case None | "atomic":
                return lambda data: AtomicList(_check_array(data), items)
            case other:
                why = f"invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got {other}"
                return _failing(why, before=_check_array)


class _FieldReaders(dict[str, Callable[[object], Value]]):
    """Functions that convert properties, by property name. Each of them is created on first use.

    A property without a schema raises KeyError.
    """

    __slots__ = ("_shape",)

    def __init__(self, shape: Shape) -> None:
        self._shape = shape

    def __missing__(self, name: str) -> Callable[[object], Value]:
        read = self[name] = self._shape.fields[name].read
        return read


def _check_array(data: object) -> list[object]:
    if isinstance(data, list):
        return data
    raise EvaluationError("invalid data, expected an array for the provided schema with type=array")


def _failing(why: str, before: Callable[[object], object] | None = None) -> Callable[[object], Value]:
    def read(data: object) -> Value:
        if before is not None:
            before(data)
        raise EvaluationError(why)

    return read


def _with_metadata(properties: Mapping[str, _Schema]) -> Mapping[str, _Schema]:
    """Return the properties of a schema, with kind, apiVersion and metadata added as in every API object.

    Of the metadata, expressions can use only name and generateName.
    """
    metadata = properties.get("metadata", {})
    names = metadata.get("properties") or {}
    known = (properties.get("kind", {}), properties.get("apiVersion", {}), names.get("name", {}))
    texts = (*known, names.get("generateName", {}))
    if metadata.get("type") == "object" and all(one.get("type") == "string" for one in texts):
        return properties
    return {**properties, "kind": _TEXT, "apiVersion": _TEXT, "metadata": _METADATA}


def shape_of(schema: _Schema, *, resource_root: bool = False) -> Shape:
    """Return the converter for an OpenAPI v3 schema; `resource_root` is true if it describes a whole API object."""
    return Shape({**schema, "properties": _with_metadata(schema.get("properties") or {})} if resource_root else schema)
