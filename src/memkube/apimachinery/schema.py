"""Schemas of API types, which decoding, patches, managed fields and OpenAPI use.

:func:`struct_of` derives a schema from an :class:`ApiModel`. A constant ``GO_PACKAGE`` in the model's module or package
names the Kubernetes Go package of the type. For custom kinds, schemas are built from OpenAPI documents.
"""

import sys
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from inspect import cleandoc, get_annotations
from types import UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from memkube.apimachinery.markers import (
    Always,
    Atomic,
    Default,
    DescribedBy,
    Granular,
    MapList,
    Merge,
    Named,
    OmitZero,
    Replace,
    Required,
    RetainKeys,
    SetList,
)
from memkube.apimachinery.model import ApiModel

ScalarType: TypeAlias = Literal[
    "string", "int32", "int64", "float64", "bool", "bytes", "quantity", "time", "microtime", "int-or-string", "raw"
]
Marker = TypeVar("Marker")

_SCALAR_NAMES: Final[dict[str, str]] = {
    "quantity": "string",
    "time": "string",
    "microtime": "string",
    "int-or-string": "int32",
    "bytes": "[]uint8",
}


class ScalarOf(NamedTuple):
    """``Annotated`` metadata of a Python type whose schema is a :class:`Scalar`: its `type` and `read`."""

    type: ScalarType
    read: Callable[[Any], Any] | None = None
    """Function that decodes a JSON value, for a type that needs its own decoder: see `Scalar.read`."""


class Scalar(NamedTuple):
    """Schema of a scalar, which server-side apply assigns to managers as a whole.

    The type ``raw`` is any JSON value.
    """

    type: ScalarType
    name: str
    """Go name of the type, which decoding errors contain."""
    values: tuple[str, ...] = ()
    read: Callable[[Any], Any] | None = None
    """Function that decodes a JSON value other than null, for types with a decoder of their own.

    It raises ValueError if the JSON value is invalid.
    """
    listed: bool = False
    """True if OpenAPI describes the scalar as an atomic list. This is the case for bytes."""


class ListSchema(NamedTuple):
    """Schema of a list. `relationship` is its ``x-kubernetes-list-type``; for ``map``, `keys` are the key fields."""

    items: "Schema"
    relationship: Literal["atomic", "set", "map"]
    keys: tuple[str, ...] = ()
    name: str = ""


class MapSchema(NamedTuple):
    """Schema of a map from strings to values of one type."""

    values: "Schema"
    relationship: Literal["granular", "atomic"] = "granular"
    name: str = ""
    declared: bool = False
    """True if OpenAPI declares ``x-kubernetes-map-type: granular`` for the map."""


class FieldSchema(NamedTuple):
    """A field of a struct: its schema, and its treatment by Go's JSON encoder and by strategic merge patch."""

    name: str
    schema: "Schema"
    pointer: bool = False
    required: bool = False
    omits_zero: bool = False
    """True if the field is required in OpenAPI, but not written if it has its zero value."""
    always: bool = False
    omit_zero: bool = False
    default: str | int | bool | None = None
    merge_key: str | None = None
    """Merge key of a list for strategic merge patch.

    "" if the list is merged as a set of scalars, None if a patch replaces the value.
    """
    replace: bool = False
    """True if strategic merge patch replaces the struct in this field as a whole."""
    retain_keys: bool = False
    embedded: tuple[str, ...] = ()
    """Names of the embedded Go structs through which the struct has the field, outermost first."""
    description: str = ""


class StructSchema:
    """Schema of a struct.

    The schemas of its fields are computed on first use, because types can be recursive.
    """

    def __init__(
        self,
        name: str,
        fields: Callable[[], Mapping[str, FieldSchema]],
        *,
        relationship: Literal["granular", "atomic"] = "granular",
        description: str = "",
        model: type[ApiModel] | None = None,
        package: str = "",
    ) -> None:
        self.name = name
        self.package = package
        """Import path of the type's Go package, such as ``k8s.io/api/core/v1``; "" if Kubernetes has no such type."""
        self.relationship = relationship
        self.description = description
        self.model = model
        self.documented: Mapping[str, Any] = {}
        """Schemas of the fields in the OpenAPI document from which the struct was created, by field name."""
        self.open = False
        """True if the struct allows fields that it does not declare."""
        self.plain: StructSchema = self
        """Schema of the struct itself, without markers of the field that contains it."""
        self._fields = fields

    @cached_property
    def fields(self) -> Mapping[str, FieldSchema]:
        """Fields by JSON name, in serialisation order."""
        return self._fields()

    def owned(self, relationship: Literal["granular", "atomic"]) -> "StructSchema":
        """Return a copy of this schema with `relationship` as its ``x-kubernetes-map-type``.

        It is the schema of a field that declares an ``x-kubernetes-map-type`` itself, which then replaces the one that
        the type of the field's value declares.
        """
        struct = StructSchema(
            self.name,
            lambda: self.fields,
            relationship=relationship,
            description=self.description,
            model=self.model,
            package=self.package,
        )
        struct.plain = self.plain
        struct.open = self.open
        return struct

    def __repr__(self) -> str:
        return f"StructSchema({self.name})"


Schema: TypeAlias = Scalar | ListSchema | MapSchema | StructSchema


@cache
def struct_of(model: type[ApiModel]) -> StructSchema:
    """Return the schema of a model class. It is created once per class."""
    return StructSchema(
        model.__name__,
        lambda: {info.alias or name: _field(model, name, info) for name, info in model.model_fields.items()},
        relationship="atomic" if model.__dict__.get("struct_type") == "atomic" else "granular",
        description=cleandoc(model.__doc__ or ""),
        model=model,
        package=_package(model),
    )


def _package(model: type[ApiModel]) -> str:
    """Return the import path of a model's Go package; "" if none is declared.

    It is the constant ``GO_PACKAGE`` of the model's module, or of the innermost enclosing package with this constant.
    """
    module = model.__module__
    while module:
        declared = getattr(sys.modules.get(module), "GO_PACKAGE", "")
        if declared:
            return str(declared)
        module = module.rpartition(".")[0]
    return ""


def _field(model: type[ApiModel], name: str, info: FieldInfo) -> FieldSchema:
    annotation: Any = info.annotation
    metadata = list(info.metadata)
    pointer = False
    if get_origin(annotation) in (Union, UnionType) and type(None) in get_args(annotation):
        pointer = True
        rest = tuple(a for a in get_args(annotation) if a is not type(None))
        annotation = Union[rest]  # noqa: UP007  the tuple is known only at run time
    merge, default, required = _find(metadata, Merge), _find(metadata, Default), _find(metadata, Required)
    return FieldSchema(
        name=info.alias or name,
        schema=_schema(annotation, metadata),
        pointer=pointer,
        required=required is not None,
        omits_zero=required is not None and required.omits_zero,
        always=_find(metadata, Always) is not None,
        omit_zero=_find(metadata, OmitZero) is not None,
        default=default.value if default else None,
        merge_key=merge.key if merge else None,
        replace=_find(metadata, Replace) is not None,
        retain_keys=_find(metadata, RetainKeys) is not None,
        embedded=_embedded(model, name),
        description=info.description or "",
    )


def _embedded(model: type[ApiModel], name: str) -> tuple[str, ...]:
    """Return the names of the embedded Go structs through which `model` has the field `name`, outermost first.

    Returns () if the field belongs to the Go struct of `model` itself.
    """
    owner = next((base for base in model.__mro__ if name in get_annotations(base)), model)
    bases = (base for base in model.__mro__[1:] if issubclass(base, owner) and issubclass(base, ApiModel))
    return tuple(base.__name__ for base in bases if base.go_struct)


def _schema(annotation: Any, metadata: list[Any]) -> Schema:
    while get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        metadata = [*metadata, *more]
    if get_origin(annotation) in (Union, UnionType) and type(None) in get_args(annotation):
        return _schema(next(a for a in get_args(annotation) if a is not type(None)), metadata)
    described = _find(metadata, DescribedBy)
    if described is not None:
        return struct_of(described.model)
    named = _find(metadata, Named)
    if get_origin(annotation) is list:
        keys = _find(metadata, MapList)
        unkeyed: Literal["atomic", "set"] = "set" if _find(metadata, SetList) else "atomic"
        name = named.name if named else ""
        return ListSchema(
            _schema(get_args(annotation)[0], []), "map" if keys else unkeyed, keys.keys if keys else (), name
        )
    atomic, declared = _find(metadata, Atomic) is not None, _find(metadata, Granular) is not None
    if get_origin(annotation) is dict:
        name = named.name if named else ""
        return MapSchema(_schema(get_args(annotation)[1], []), "atomic" if atomic else "granular", name, declared)
    if isinstance(annotation, type) and issubclass(annotation, ApiModel):
        struct = struct_of(annotation)
        return struct.owned("atomic" if atomic else "granular") if atomic or declared else struct
    return _scalar(annotation, metadata, named)


def _scalar(annotation: Any, metadata: list[Any], named: Named | None) -> Scalar:
    scalar = _find(metadata, ScalarOf)
    kind: ScalarType = scalar.type if scalar else {str: "string", bool: "bool", float: "float64"}[annotation]  # type: ignore[assignment]  # mypy widens the literals of a dict
    read = scalar.read if scalar else None
    if named:
        return Scalar(kind, named.name, named.values, read)
    return Scalar(kind, _SCALAR_NAMES.get(kind, kind), read=read, listed=_find(metadata, Atomic) is not None)


def _find(metadata: list[Any], marker: type[Marker]) -> Marker | None:
    return next((m for m in metadata if isinstance(m, marker)), None)
