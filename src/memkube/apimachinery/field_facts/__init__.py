"""Facts about Kubernetes' Go structs: names, order, types and protobuf numbers of their fields.

Each Go package has a JSON table in this directory, which is read on first use. ``tools/field_facts.py`` generates the
tables.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

_TABLES: Final = Path(__file__).parent


class FieldFacts(NamedTuple):
    """One field of a Go struct: its names in Go and JSON, its Go type, and its number in protobuf."""

    go_name: str
    name: str
    """Name of the field in JSON; "-" if JSON never contains it, "" for an embedded struct, whose fields are inlined."""
    go_type: str
    number: int | None
    """Protobuf field number; None if the field or the struct has no protobuf form."""
    always: bool
    """True if JSON contains the field even if it is zero: its tag has neither ``omitempty`` nor ``omitzero``.

    Fields whose type is a struct are written even with ``omitempty``.
    """
    omit_zero: bool
    """True if the Go field has ``omitzero``, so that an empty struct is omitted."""

    @property
    def pointer(self) -> bool:
        """True if the Go field is a pointer."""
        return self.go_type.startswith("*")


class GoPackage:
    """Type declarations of one Go package. The fields of a struct are parsed on first use."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.path: str = table["package"]
        self.imports: Mapping[str, str] = table.get("imports", {})
        """Import paths of packages by the qualifier used in type names, such as ``metav1``."""
        self.types: Mapping[str, str] = table.get("types", {})
        """Underlying Go types of named types that are not structs, by type name."""
        self.wrapped: frozenset[str] = frozenset(table.get("wrapped", ()))
        """Named list types that have a protobuf message of their own."""
        self._structs: Mapping[str, str] = table.get("structs", {})
        self._internal: Mapping[str, str] = table.get("internal", {})
        self.has_internal_types = "internal" in table
        """True if Kubernetes has an internal (unversioned) package for the types of this package."""
        self._read: dict[str, tuple[FieldFacts, ...]] = {}

    @property
    def name(self) -> str:
        """Package name in Go code, such as ``v1``."""
        return self.path.rpartition("/")[2]

    @cached_property
    def structs(self) -> frozenset[str]:
        """Names of all structs of the package."""
        return frozenset(self._structs)

    def fields(self, struct: str) -> tuple[FieldFacts, ...]:
        """Return the fields of a struct in declaration order. Raises LookupError if the package has no such struct."""
        if struct not in self._read:
            text = self._structs.get(struct)
            if text is None:
                raise LookupError(f"the table of Go package {self.path} has no struct {struct}")
            self._read[struct] = tuple(map(_read_field, text.split(", "))) if text else ()
        return self._read[struct]

    def internal_fields(self, struct: str) -> list[tuple[str, bool]]:
        """Return the fields of a struct's internal (unversioned) type.

        Each field is a pair: its Go name, and True if it is an embedded struct.
        """
        names = self._internal.get(struct)
        if names is None:
            return [(field.go_name, not field.name) for field in self.fields(struct)]
        return [(name.rstrip(":"), name.endswith(":")) for name in names.split()]

    def resolve(self, go_type: str) -> tuple[str, str]:
        """Return the import path of the package that declares a Go type, and the type name.

        `go_type` is written as in this package, such as ``metav1.Time``. The path is "" for basic types.
        """
        qualifier, _, name = go_type.rpartition(".")
        if qualifier:
            return self.imports[qualifier], name
        return (self.path if name[:1].isupper() else ""), name


@cache
def go_package(path: str) -> GoPackage:
    """Return the type declarations of the Go package at an import path such as ``k8s.io/api/core/v1``.

    Raises LookupError if no table was generated for the package.
    """
    try:
        table = (_TABLES / f"{path.replace('/', '.')}.json").read_bytes()
    except FileNotFoundError:
        raise LookupError(f"no table of the fields of Go package {path}: add it to tools/field_facts.py") from None
    return GoPackage(orjson.loads(table))


def _read_field(text: str) -> FieldFacts:
    """Parse the table entry of a field, such as ``Name string 1 !`` or ``Name:wireName string``.

    In the result, `always` is True if the entry has the word ``!``, and `omit_zero` is True if it has the word ``?``.
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
