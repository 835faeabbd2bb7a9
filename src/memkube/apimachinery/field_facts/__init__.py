"""Facts from the reference's Go structs: names, order, types and protobuf numbers of their fields.

Each Go package has a JSON table in this directory, which is read on first use. ``tools/field_facts.py`` writes the
tables.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

_TABLES: Final = Path(__file__).parent


class FieldFacts(NamedTuple):
    """A field of a Go struct."""

    go_name: str
    name: str
    """Name in JSON: "-" if it has none, "" for an embedded struct, whose fields are inlined."""
    go_type: str
    number: int | None
    """Protobuf field number; None if the field or the struct has no protobuf form."""
    always: bool
    """True if the field has neither ``omitempty`` nor ``omitzero``. Structs are written even with ``omitempty``."""
    omit_zero: bool
    """True if the field has ``omitzero``, so that an empty struct is omitted."""

    @property
    def pointer(self) -> bool:
        """True if the field holds a pointer."""
        return self.go_type.startswith("*")


class GoPackage:
    """Declarations of a Go package. Structs are parsed on first use."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.path: str = table["package"]
        self.imports: Mapping[str, str] = table.get("imports", {})
        """Package paths by the qualifiers used in types."""
        self.types: Mapping[str, str] = table.get("types", {})
        """Underlying types of named types that are not structs."""
        self.wrapped: frozenset[str] = frozenset(table.get("wrapped", ()))
        """Named list types with their own protobuf message."""
        self._structs: Mapping[str, str] = table.get("structs", {})
        self._internal: Mapping[str, str] = table.get("internal", {})
        self.has_internal_types = "internal" in table
        """True if the reference has an internal (unversioned) package of these types."""
        self._read: dict[str, tuple[FieldFacts, ...]] = {}

    @property
    def name(self) -> str:
        """Package name in Go code: ``v1``."""
        return self.path.rpartition("/")[2]

    @cached_property
    def structs(self) -> frozenset[str]:
        """Names of all structs."""
        return frozenset(self._structs)

    def fields(self, struct: str) -> tuple[FieldFacts, ...]:
        """Return the fields of a struct in declaration order. Raises LookupError if there is no such struct."""
        if struct not in self._read:
            text = self._structs.get(struct)
            if text is None:
                raise LookupError(f"no field facts of {self.path}.{struct}")
            self._read[struct] = tuple(map(_read_field, text.split(", "))) if text else ()
        return self._read[struct]

    def internal_fields(self, struct: str) -> list[tuple[str, bool]]:
        """Return the Go field names of the reference's internal type, each with whether it is embedded."""
        names = self._internal.get(struct)
        if names is None:
            return [(field.go_name, not field.name) for field in self.fields(struct)]
        return [(name.rstrip(":"), name.endswith(":")) for name in names.split()]

    def resolve(self, go_type: str) -> tuple[str, str]:
        """Return the package path and name of a type; the path is "" for basic types."""
        qualifier, _, name = go_type.rpartition(".")
        if qualifier:
            return self.imports[qualifier], name
        return (self.path if name[:1].isupper() else ""), name


@cache
def go_package(path: str) -> GoPackage:
    """Return the package at an import path such as ``k8s.io/api/core/v1``. Raises LookupError if it has no table."""
    try:
        table = (_TABLES / f"{path.replace('/', '.')}.json").read_bytes()
    except FileNotFoundError:
        raise LookupError(f"no field facts of {path}: add it to tools/field_facts.py, which writes the table") from None
    return GoPackage(orjson.loads(table))


def _read_field(text: str) -> FieldFacts:
    """Parse a field in a table: ``Name string 1 !`` or ``Name:wireName string``.

    ``!`` means `always`, ``?`` means `omit_zero`.
    """
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
