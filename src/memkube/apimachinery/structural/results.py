"""Results of validating a value against a schema: the errors, and the position of the value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid

NO_FIELD: Final = FieldPath("<nil>")
"""Field path of errors about the whole validated object."""


@dataclass(slots=True)
class Result:
    """Result of validating a value against a schema: errors by message, and the number of passed checks.

    The number is for anyOf and oneOf: if no alternative is valid, they report the errors of the one with the most
    passed checks.
    """

    faults: dict[str, FieldError] = field(default_factory=dict)
    matches: int = 0

    def merge(self, other: Result) -> None:
        """Add the errors and the number of passed checks of another result."""
        for message, fault in other.faults.items():
            self.faults.setdefault(message, fault)
        self.matches += other.matches


@dataclass(frozen=True, slots=True)
class ValuePath:
    """Position of a validated value: its path, relative to the field path `base`."""

    base: FieldPath | None
    name: str = ""
    is_default: bool = False
    """True in a default value in a schema.

    Its type is checked even if its schema has a format that Kubernetes does not know, but not if its schema has
    ``x-kubernetes-int-or-string``.
    """

    def child(self, name: str) -> ValuePath:
        """Return the position of a field of the object at this position."""
        return replace(self, name=f"{self.name}.{name}" if self.name else name)

    def value(self, name: str) -> ValuePath:
        """Return the position of the value with the key `name`; this position is that of a map."""
        return replace(self, name=f"{self.name}.{name}")

    def item(self, index: int) -> ValuePath:
        """Return the position of an item in the list at this position."""
        return replace(self, name=f"{self.name}[{index}]")

    @property
    def path(self) -> FieldPath:
        """Field path of the position from the root of the object, for error messages."""
        name = self.name.removeprefix(".")
        if self.base is None:
            return FieldPath(name) if name else NO_FIELD
        return self.base.child(name) if name else self.base

    def whole(self, message: str) -> FieldError:
        """Return an error that is not about a single field: its field path is `base`, or ``<nil>`` without `base`."""
        return invalid(NO_FIELD if self.base is None else self.base, "", message)


def add_fault(result: Result, position: ValuePath, message: str) -> None:
    """Add an error about the value at `position`, unless `result` has an error with this message already.

    As in kube-apiserver, the error's field path is that of the whole validated value (``position.base``), and `message`
    says which part of the value is wrong.
    """
    result.faults.setdefault(message, position.whole(message))
