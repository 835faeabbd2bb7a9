"""What is wrong with which field of an object, worded as the reference words it.

A rule returns a list of :class:`FieldError`; an empty list means that the object keeps the rule. Sources:
apimachinery's ``util/validation/field`` and, for the text of several errors, ``util/errors``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from memkube.apimachinery.shown_values import quoted, shown

ErrorType: TypeAlias = Literal[
    "FieldValueNotFound",
    "FieldValueRequired",
    "FieldValueDuplicate",
    "FieldValueInvalid",
    "FieldValueNotSupported",
    "FieldValueForbidden",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "InternalError",
    "FieldValueTypeInvalid",
]

_PROSE: Final[dict[ErrorType, str]] = {
    "FieldValueNotFound": "Not found",
    "FieldValueRequired": "Required value",
    "FieldValueDuplicate": "Duplicate value",
    "FieldValueInvalid": "Invalid value",
    "FieldValueNotSupported": "Unsupported value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueTooLong": "Too long",
    "FieldValueTooMany": "Too many",
    "InternalError": "Internal error",
    "FieldValueTypeInvalid": "Invalid value",
}
_WITHOUT_VALUE: Final = frozenset({"FieldValueRequired", "FieldValueForbidden", "FieldValueTooLong", "InternalError"})


@dataclass(frozen=True, slots=True)
class Omitted:
    """Takes the place of a value that a message does not show."""


class FieldPath(str):
    """The way to a field, in its written form: ``spec.containers[0].image``.

    Rules are handed some sixty of them with each pod, and hardly ever show one: those of types are made once.
    """

    __slots__ = ()

    @lru_cache(maxsize=4096)  # noqa: B019 - the path is all that is kept
    def child(self, name: str) -> "FieldPath":
        """The field `name` of this struct."""
        return FieldPath(self + "." + name if self else name)

    @lru_cache(maxsize=4096)  # noqa: B019 - as above
    def item(self, position: int) -> "FieldPath":
        """The item of this list at `position`."""
        return FieldPath(self + f"[{position}]")

    def key(self, key: str) -> "FieldPath":
        """The value of this map at `key`."""
        return _KeyPath(self + f"[{key}]")


class _KeyPath(FieldPath):
    """A path with a key in it, which a client may make as long as it likes: what lies behind it is not kept."""

    __slots__ = ()

    def child(self, name: str) -> FieldPath:  # type: ignore[override]  # a method as well
        """See FieldPath."""
        return _KeyPath(f"{self}.{name}")

    def item(self, position: int) -> FieldPath:  # type: ignore[override]  # as above
        """See FieldPath."""
        return _KeyPath(f"{self}[{position}]")


@dataclass(frozen=True, slots=True)
class FieldError:
    """A broken rule: its class, the field's path, the value found there and an explanation."""

    type: ErrorType
    field: str
    value: Any
    detail: str

    @property
    def body(self) -> str:
        """The message without the field's path."""
        text = _PROSE[self.type]
        if self.type not in _WITHOUT_VALUE and not isinstance(self.value, Omitted):
            text = f"{text}: {shown(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"


def aggregate_message(errors: Sequence[FieldError]) -> str:
    """The errors as one text; what reads alike is said once."""
    messages = list(dict.fromkeys(map(str, errors)))
    return messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]"


def required(path: str, detail: str = "") -> FieldError:
    """A value is missing."""
    return FieldError("FieldValueRequired", path, "", detail)


def invalid(path: str, value: Any, detail: str) -> FieldError:
    """A value is malformed or out of bounds."""
    return FieldError("FieldValueInvalid", path, value, detail)


def invalid_type(path: str, value: Any, detail: str) -> FieldError:
    """A value is of the wrong type."""
    return FieldError("FieldValueTypeInvalid", path, value, detail)


def not_supported(path: str, value: Any, supported: Iterable[str]) -> FieldError:
    """A value is none of an enumeration, whose values are told in the order given."""
    values = ", ".join(map(quoted, supported))
    return FieldError("FieldValueNotSupported", path, value, f"supported values: {values}" if values else "")


def forbidden(path: str, detail: str) -> FieldError:
    """A value would be right elsewhere, but not here."""
    return FieldError("FieldValueForbidden", path, "", detail)


def duplicate(path: str, value: Any) -> FieldError:
    """A value that must be unique is there twice."""
    return FieldError("FieldValueDuplicate", path, value, "")


def not_found(path: str, value: Any) -> FieldError:
    """A value names something that is not there."""
    return FieldError("FieldValueNotFound", path, value, "")


def too_long(path: str, limit: int) -> FieldError:
    """A value has more than `limit` bytes."""
    unit = "byte" if limit == 1 else "bytes"
    why = "value is too long" if limit < 0 else f"may not be more than {limit} {unit}"
    return FieldError("FieldValueTooLong", path, "<value omitted>", why)


def too_many(path: str, count: int, limit: int) -> FieldError:
    """A list has more than `limit` items."""
    unit = "item" if limit == 1 else "items"
    why = "has too many items" if limit < 0 else f"must have at most {limit} {unit}"
    return FieldError("FieldValueTooMany", path, count, why)


def internal_error(path: str, detail: str) -> FieldError:
    """Something went wrong that is not about the client's input."""
    return FieldError("InternalError", path, "", detail)
