"""The base class of all API types, and their encoding as JSON."""

from collections.abc import Callable
from functools import cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from memkube.apimachinery.markers import Always, OmitZero, Required

Document: TypeAlias = dict[str, Any]
"""A decoded JSON object. It must not be modified, because several parts of the server use the same object."""

_Convert: TypeAlias = Callable[[Any], Any]
_Kept: TypeAlias = Literal["nonzero", "given", "always"]
"""Condition under which JSON contains a field: its value is not zero, its value is not None ("given"), or always."""


class ApiModel(BaseModel):
    """A struct of the Kubernetes API.

    Attributes have the names of the JSON fields, with aliases for Python's reserved words.

    A field whose type allows ``None`` is a pointer in Go: it is omitted only if it is ``None``. Any other field is
    omitted if it has its zero value (``""``, ``0``, ``False``, an empty list or map), unless it is a struct or marked
    with ``Required`` or ``Always``. An empty list or map with such a marker is written as ``null``.
    """

    go_struct: ClassVar[bool] = True
    """True if Kubernetes has a Go struct with the name of this class, which the structs of subclasses embed."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True, protected_namespaces=())

    if not TYPE_CHECKING:
        # Assignments bypass Pydantic, which would add each assigned field to `model_fields_set`. That set must contain
        # only the fields that the client sent: see `restore_given`.
        __setattr__ = object.__setattr__

        def __eq__(self, other: object) -> bool:
            """Compare all fields; Pydantic's own comparison also compares attributes that API types do not have."""
            if self.__class__ is other.__class__:
                return self.__dict__ == other.__dict__ and self.__pydantic_extra__ == other.__pydantic_extra__
            return False if isinstance(other, ApiModel) else NotImplemented

        __hash__ = None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Make Pydantic accept null for the lists and maps of this model that are written as null if they are empty."""
        schema: Any = handler(source)
        names = frozenset(wire_name for _, wire_name in _fields_written_as_null(cls))
        if names and schema["type"] == "model" and schema["schema"]["type"] != "function-before":
            drop = partial(_without_nulls, names)
            schema["schema"] = core_schema.no_info_before_validator_function(drop, schema["schema"])
        return cast(CoreSchema, schema)

    @classmethod
    def from_document(cls, document: Document) -> Self:
        """Create an instance from JSON data that matches the type. It shares no mutable value with `document`."""
        return cls.model_validate(document)

    def to_document(self) -> Document:
        """Return this object as JSON data in field order.

        The result shares lists and maps of scalars with the object.
        """
        return _written(self.__dict__, _written_fields(type(self)))

    def to_document_around(self, name: str, written: Document | None) -> Document:
        """Return this object as JSON data, with `written` as the value of the field `name`.

        `written` is JSON data already. If it is None, the field is converted like all other fields.
        """
        if written is None:
            return self.to_document()
        return _written({**self.__dict__, name: written}, _written_fields(type(self), name))


def restore_given(model: ApiModel, document: Document) -> None:
    """Replace null by an empty list or map in each field for which the client sent an empty one.

    `document` is the JSON data of `model`, and is changed in place.
    """
    cls, values = type(model), model.__dict__
    for name, wire_name in _fields_written_as_null(cls):
        if name in model.model_fields_set and not values[name]:
            document[wire_name] = type(values[name])()
    for name, wire_name in _fields_with_nested_nulls(cls):
        value, written = values[name], document.get(wire_name)
        if isinstance(value, ApiModel) and written is not None:
            restore_given(value, written)
        elif value and isinstance(value, list | dict) and written is not None:
            keys = range(len(value)) if isinstance(value, list) else value
            for key in keys:
                restore_given(value[key], written[key])


@cache
def _fields_written_as_null(cls: type[ApiModel]) -> tuple[tuple[str, str], ...]:
    """Return the list and map fields that are written as null, not omitted, if they are empty.

    Each field is a pair of attribute name and JSON name.
    """
    return tuple(
        (name, info.alias or name)
        for name, info in cls.model_fields.items()
        if get_origin(info.annotation) in (list, dict) and any(_keeps_zero(marker) for marker in info.metadata)
    )


@cache
def _fields_with_nested_nulls(cls: type[ApiModel]) -> tuple[tuple[str, str], ...]:
    """Return the fields whose values contain, at any depth, lists or maps that are written as null if they are empty.

    Each field is a pair of attribute name and JSON name.
    """
    return tuple(
        (name, info.alias or name)
        for name, info in cls.model_fields.items()
        if (inner := _struct_in(info.annotation)) is not None and _may_hold_null(inner, frozenset())
    )


def _may_hold_null(cls: type[ApiModel], around: frozenset[type[ApiModel]]) -> bool:
    if _fields_written_as_null(cls):
        return True
    within = around | {cls}
    inner = (_struct_in(info.annotation) for info in cls.model_fields.values())
    return any(struct is not None and struct not in within and _may_hold_null(struct, within) for struct in inner)


def _struct_in(annotation: Any) -> type[ApiModel] | None:
    """Return the model class that occurs in `annotation`, the type of a field; None if none occurs there.

    It is the class of the field's value, of its list items or of its map values.
    """
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, ApiModel) else None
    return next((struct for part in get_args(annotation) if (struct := _struct_in(part)) is not None), None)


def _without_nulls(names: frozenset[str], data: Any) -> Any:
    if not isinstance(data, dict) or names.isdisjoint(data):
        return data
    if any(name in data and data[name] is None for name in names):
        return {name: value for name, value in data.items() if value is not None or name not in names}
    return data


class _WrittenField(NamedTuple):
    wire_name: str
    kept: _Kept
    convert: _Convert | None
    """Function that converts the field's value to JSON data; None if the value is JSON data already."""
    omits_empty: bool
    """True if the field is a struct that is omitted if it is empty."""


_WrittenFields: TypeAlias = tuple[Callable[[dict[str, Any]], tuple[Any, ...]], tuple[_WrittenField, ...]]
"""Function that reads the values of all fields from an object's attributes, and the conversion of each to JSON."""


@cache
def _written_fields(cls: type["ApiModel"], written: str = "") -> _WrittenFields:
    """Return a pair for writing the objects of a model class: a function and a description of each field.

    The function takes the attributes of an object and returns the values of all fields. The descriptions, in the same
    order, say how the values are converted to JSON data.

    The field named `written` is not converted, because its value is JSON data already.
    """
    fields = tuple(
        _WrittenField(info.alias or name, "always", None, False)
        if name == written
        else _WrittenField(info.alias or name, *_step(info), any(isinstance(m, OmitZero) for m in info.metadata))
        for name, info in cls.model_fields.items()
    )
    names = list(cls.model_fields)
    read = itemgetter(*names) if len(names) > 1 else lambda values: tuple(values[name] for name in names)
    return read, fields


def _written(values: dict[str, Any], fields: _WrittenFields) -> Document:
    document: Document = {}
    read, steps = fields
    for value, (wire_name, kept, convert, omits_empty) in zip(read(values), steps, strict=True):
        # Most fields have their zero value, so this case is checked before the others.
        if not value and (kept == "nonzero" or (kept == "given" and value is None)):
            continue
        found = value if convert is None else convert(value)
        if found or not omits_empty:
            document[wire_name] = found
    return document


def _step(info: FieldInfo) -> tuple[_Kept, _Convert | None]:
    """Return two results for writing the field that `info` describes: when it is written, and how it is converted.

    The first result says when the JSON contains the field: ``always``, if its value is ``given`` (not None), or if it
    is ``nonzero``. The second is a function that converts the value to JSON data, or None if the values of the field
    are JSON data already.
    """
    alternatives = get_args(info.annotation)
    pointer = type(None) in alternatives
    always = any(_keeps_zero(m) for m in info.metadata)
    annotation = next((a for a in alternatives if a is not type(None)), None) if pointer else info.annotation
    convert = _converter(annotation)
    if always and get_origin(annotation) in (list, dict):
        convert = _null_if_empty(convert)
    elif always and pointer and convert is not None:
        convert = _null_if_missing(convert)
    return "always" if always else "given" if pointer else "nonzero", convert


def _keeps_zero(marker: object) -> bool:
    return isinstance(marker, Always) or (isinstance(marker, Required) and not marker.omits_zero)


def _null_if_empty(convert: _Convert | None) -> _Convert:
    return lambda values: (convert(values) if convert else values) if values else None


def _null_if_missing(convert: _Convert) -> _Convert:
    return lambda value: None if value is None else convert(value)


def _converter(annotation: Any) -> _Convert | None:
    """Return the function that converts values of the type `annotation` to JSON data.

    Returns None if the values of this type are JSON data already.
    """
    if isinstance(annotation, type) and issubclass(annotation, ApiModel):
        return ApiModel.to_document
    if get_origin(annotation) is list:
        item = _converter(get_args(annotation)[0])
        return None if item is None else lambda values: [item(value) for value in values]
    if get_origin(annotation) is dict:
        convert = _converter(get_args(annotation)[1])
        return None if convert is None else lambda values: {key: convert(value) for key, value in values.items()}
    return None
