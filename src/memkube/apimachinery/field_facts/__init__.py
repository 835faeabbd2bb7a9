"""What the reference's Go declarations say of structs: names, order, types and protobuf numbers of their fields.

Each Go package has a table beside this file, which is read when something of the package is first asked for. The tables
are written by ``tools/field_facts.py``.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

_TABLES: Final = Path(__file__).parent


class FieldFacts(NamedTuple):
    """A field of a struct, as Go declares it."""

    go_name: str
    name: str
    """The name in JSON: "-" for none, "" for an embedded struct, whose fields stand among those around it."""
    go_type: str
    number: int | None
    """The number in the struct's message; None where the field or the whole struct has no protobuf."""
    always: bool
    """Whether the field has neither ``omitempty`` nor ``omitzero``; structs are written with the former as well."""
    omit_zero: bool
    """Whether the field has ``omitzero``, so that a struct is left out when it holds nothing."""

    @property
    def pointer(self) -> bool:
        """Whether the field holds a pointer."""
        return self.go_type.startswith("*")


class GoPackage:
    """The declarations of a Go package. Structs are read one at a time, when they are asked for."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.path: str = table["package"]
        self.imports: Mapping[str, str] = table.get("imports", {})
        """Paths of packages by the names that types are qualified with."""
        self.types: Mapping[str, str] = table.get("types", {})
        """The underlying types of named types that are no structs."""
        self.wrapped: frozenset[str] = frozenset(table.get("wrapped", ()))
        """Lists among them that protobuf has a message for."""
        self._structs: Mapping[str, str] = table.get("structs", {})
        self._internal: Mapping[str, str] = table.get("internal", {})
        self.has_internal_types = "internal" in table
        """Whether the reference has a second, unversioned package of these types, which it works with."""
        self._read: dict[str, tuple[FieldFacts, ...]] = {}

    @property
    def name(self) -> str:
        """The name by which Go code knows the package: ``v1``."""
        return self.path.rpartition("/")[2]

    @cached_property
    def structs(self) -> frozenset[str]:
        """The names of all structs."""
        return frozenset(self._structs)

    def fields(self, struct: str) -> tuple[FieldFacts, ...]:
        """The fields of a struct in the order of their declaration. Raises LookupError."""
        if struct not in self._read:
            text = self._structs.get(struct)
            if text is None:
                raise LookupError(f"no field facts of {self.path}.{struct}")
            self._read[struct] = tuple(map(_read_field, text.split(", "))) if text else ()
        return self._read[struct]

    def internal_fields(self, struct: str) -> list[tuple[str, bool]]:
        """The Go names of the fields of the reference's internal type, each with whether it is embedded."""
        names = self._internal.get(struct)
        if names is None:
            return [(field.go_name, not field.name) for field in self.fields(struct)]
        return [(name.rstrip(":"), name.endswith(":")) for name in names.split()]

    def resolve(self, go_type: str) -> tuple[str, str]:
        """The path of the package that declares a type, and its name there; basic types have no package."""
        qualifier, _, name = go_type.rpartition(".")
        if qualifier:
            return self.imports[qualifier], name
        return (self.path if name[:1].isupper() else ""), name


@cache
def go_package(path: str) -> GoPackage:
    """The package at an import path such as ``k8s.io/api/core/v1``. Raises LookupError where there is no table."""
    try:
        table = (_TABLES / f"{path.replace('/', '.')}.json").read_bytes()
    except FileNotFoundError:
        raise LookupError(f"no field facts of {path}") from None
    return GoPackage(orjson.loads(table))


def _read_field(text: str) -> FieldFacts:
    """A field as tables have it: ``Name string 1 !`` or ``Name:wireName string``; ``!`` is always, ``?`` omit_zero."""
    declared, go_type, *rest = text.split(" ")
    go_name, renamed, name = declared.partition(":")
    return FieldFacts(
        go_name,
        name if renamed else _unexported(go_name),
        go_type,
        next((int(word) for word in rest if word.isdigit()), None),
        always="!" in rest,
        omit_zero="?" in rest,
    )


def _unexported(go_name: str) -> str:
    return go_name[:1].lower() + go_name[1:]
