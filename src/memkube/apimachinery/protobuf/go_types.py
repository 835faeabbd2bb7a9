"""Protobuf form of Go types, resolved through the type declarations of Kubernetes' packages."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.field_facts import GoPackage
from memkube.apimachinery.schema import ScalarType

_BASIC: Final[Mapping[str, ScalarType]] = {
    "string": "string",
    "bool": "bool",
    "int32": "int32",
    "int64": "int64",
    "float64": "float64",
    "[]byte": "bytes",
}
_WELL_KNOWN: Final[Mapping[str, ScalarType]] = {
    "Time": "time",
    "MicroTime": "microtime",
    "Quantity": "quantity",
    "IntOrString": "int-or-string",
    "RawExtension": "raw",
    "FieldsV1": "raw",
    "JSON": "raw",
}
"""Scalar types of the Go structs that JSON represents by a scalar or by any JSON value, by struct name."""


class ScalarShape(NamedTuple):
    """A Go type whose values are scalars in JSON. In protobuf, some of these types are messages."""

    type: ScalarType
    is_json: bool = False
    """True if protobuf contains the value as JSON text, which decoding must parse."""


class StructShape(NamedTuple):
    """A Go struct, which protobuf encodes as a message."""

    path: str
    """Import path of the Go package that declares the struct."""
    name: str


class ListShape(NamedTuple):
    """A Go slice, which protobuf encodes as a repeated field."""

    item: "Shape"


class MapShape(NamedTuple):
    """A Go map with string keys, which protobuf encodes as repeated messages with a key and a value."""

    value: "Shape"


class WrappedShape(NamedTuple):
    """A named list type that protobuf encodes as a message of its own, with one repeated field."""

    name: str
    item: "Shape"


Shape: TypeAlias = ScalarShape | StructShape | ListShape | MapShape | WrappedShape


class Shapes:
    """Finds the protobuf form (shape) of Go types.

    `packages` is a function that returns the Go package at an import path.
    """

    def __init__(self, packages: Callable[[str], GoPackage]) -> None:
        self._packages = packages

    def of(self, package: GoPackage, go_type: str) -> Shape:
        """Return the protobuf form (shape) of a Go type, whose name is written as in the code of `package`.

        A pointer has the shape of the type that it points to.
        """
        package, go_type = self._spelled_out(package, go_type.removeprefix("*"))
        if go_type in _BASIC:
            return ScalarShape(_BASIC[go_type])
        if go_type.startswith("map["):
            return MapShape(self.of(package, go_type.partition("]")[2]))
        if go_type.startswith("[]"):
            return ListShape(self.of(package, go_type.removeprefix("[]")))
        path, name = package.resolve(go_type)
        if name in _WELL_KNOWN:
            return ScalarShape(_WELL_KNOWN[name], is_json=name == "JSON")
        if name in package.wrapped:
            return WrappedShape(name, self.of(package, package.types[name].removeprefix("[]")))
        return StructShape(path, name)

    def _spelled_out(self, package: GoPackage, go_type: str) -> tuple[GoPackage, str]:
        """Return the underlying type of a named type, and the package whose code spells it.

        A struct, or a type with its own protobuf message, is not replaced. The returned package has the imports by
        which names in the returned type, such as ``metav1.Time``, can be resolved.
        """
        if go_type.startswith(("[]", "map[")):
            return package, go_type
        path, name = package.resolve(go_type)
        if not path or name in _WELL_KNOWN:
            return package, go_type
        declaring = self._packages(path)
        if name in declaring.types and name not in declaring.wrapped:
            return self._spelled_out(declaring, declaring.types[name])
        return declaring, name
