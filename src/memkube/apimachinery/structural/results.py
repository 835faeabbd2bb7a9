"""Validation errors of a value, and the path of the value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid

NO_FIELD: Final = FieldPath("<nil>")
"""Field path in errors that concern a whole object."""


@dataclass(slots=True)
class Result:
    """Errors by message, and the number of passed checks, which selects the best alternative of anyOf and oneOf."""

    faults: dict[str, FieldError] = field(default_factory=dict)
    matches: int = 0

    def merge(self, other: Result) -> None:
        """Add the errors and matches of another result."""
        for message, fault in other.faults.items():
            self.faults.setdefault(message, fault)
        self.matches += other.matches


@dataclass(frozen=True, slots=True)
class ValuePath:
    """Position of a value: its path below a base field."""

    base: FieldPath | None
    name: str = ""
    has_all_formats: bool = False
    """True if an unknown format still takes part in the type check, as it does for defaults."""

    def child(self, name: str) -> ValuePath:
        """Return the place of a field."""
        return replace(self, name=f"{self.name}.{name}" if self.name else name)

    def value(self, name: str) -> ValuePath:
        """Return the place of a map value."""
        return replace(self, name=f"{self.name}.{name}")

    def item(self, index: int) -> ValuePath:
        """Return the place of a list item."""
        return replace(self, name=f"{self.name}[{index}]")

    @property
    def path(self) -> FieldPath:
        """Field path for errors."""
        name = self.name.removeprefix(".")
        if self.base is None:
            return FieldPath(name) if name else NO_FIELD
        return self.base.child(name) if name else self.base

    def whole(self, message: str) -> FieldError:
        """Return an error for the whole validated value."""
        return invalid(NO_FIELD if self.base is None else self.base, "", message)


def add_fault(result: Result, place: ValuePath, message: str) -> None:
    """Add an error for the whole value, unless the same message exists."""
    result.faults.setdefault(message, place.whole(message))
