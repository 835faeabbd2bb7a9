"""What is wrong with a value, and where it stands in what is checked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid

NOWHERE: Final = FieldPath("<nil>")
"""What errors name that are about no field of an object that is checked as a whole."""


@dataclass(slots=True)
class Result:
    """Faults by their messages, and how many checks held: those of alternatives are told that fit best."""

    faults: dict[str, FieldError] = field(default_factory=dict)
    matches: int = 0

    def merge(self, other: Result) -> None:
        """Takes over what another one found."""
        for message, fault in other.faults.items():
            self.faults.setdefault(message, fault)
        self.matches += other.matches


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: below which field, and under which name there."""

    base: FieldPath | None
    name: str = ""
    has_all_formats: bool = False
    """Whether a format that nobody checks says what type a value has to have, as it does in defaults."""

    def child(self, name: str) -> Place:
        """A field of the value."""
        return replace(self, name=f"{self.name}.{name}" if self.name else name)

    def value(self, name: str) -> Place:
        """A value of the map."""
        return replace(self, name=f"{self.name}.{name}")

    def item(self, index: int) -> Place:
        """An item of the list."""
        return replace(self, name=f"{self.name}[{index}]")

    @property
    def path(self) -> FieldPath:
        """The field that errors name."""
        name = self.name.removeprefix(".")
        if self.base is None:
            return FieldPath(name) if name else NOWHERE
        return self.base.child(name) if name else self.base

    def whole(self, message: str) -> FieldError:
        """A fault that is said of the whole value that is checked."""
        return invalid(NOWHERE if self.base is None else self.base, "", message)


def add_fault(result: Result, place: Place, message: str) -> None:
    """A fault of the whole value, unless it is told already."""
    result.faults.setdefault(message, place.whole(message))
