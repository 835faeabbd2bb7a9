"""Protobuf representation of Go types, resolved through their declarations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

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
"""Structs of the reference with a scalar JSON form."""


@dataclass(frozen=True, slots=True)
class ScalarShape:
    """A scalar type; some are messages in protobuf."""

    type: ScalarType
    is_json: bool = False
    """True for raw JSON that is parsed with the message, and not left to validation."""


@dataclass(frozen=True, slots=True)
class StructShape:
    """A struct, encoded as a message."""

    path: str
    """Path of the declaring package."""
    name: str


@dataclass(frozen=True, slots=True)
class ListShape:
    """A list, encoded as a repeated field."""

    item: "Shape"


@dataclass(frozen=True, slots=True)
class MapShape:
    """A map with string keys, encoded as repeated entry messages."""

    value: "Shape"


@dataclass(frozen=True, slots=True)
class WrappedShape:
    """A list type used as a single value, which the reference wraps in a message."""

    name: str
    item: "Shape"


Shape: TypeAlias = ScalarShape | StructShape | ListShape | MapShape | WrappedShape


class Shapes:
    """Resolves Go types; `packages` returns the package at a path."""

    def __init__(self, packages: Callable[[str], GoPackage]) -> None:
        self._packages = packages

    def of(self, package: GoPackage, go_type: str) -> Shape:
        """Return the shape of a type named in a package; pointers resolve to their target type."""
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
        """Resolve a named type to its underlying type, unless it is a struct or has its own message."""
        if go_type.startswith(("[]", "map[")):
            return package, go_type
        path, name = package.resolve(go_type)
        if not path or name in _WELL_KNOWN:
            return package, go_type
        declaring = self._packages(path)
        if name in declaring.types and name not in declaring.wrapped:
            return self._spelled_out(declaring, declaring.types[name])
        return declaring, name
