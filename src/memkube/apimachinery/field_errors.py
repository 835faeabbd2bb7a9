"""Validation errors of fields, in Kubernetes' wording.

A validation function returns a list of :class:`FieldError`, which is empty if the object is valid. Sources:
apimachinery's ``util/validation/field``, and ``util/errors`` for the text into which several errors are joined.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.shown_values import TypedString, quoted, shown

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
class OmittedValue:
    """Value of a FieldError whose message does not contain the invalid value."""


class FieldPath(str):
    """Path of a field, formatted as in error messages: ``spec.containers[0].image``.

    Paths are cached, because validating a pod creates about sixty paths even if it is valid.
    """

    __slots__ = ()

    @lru_cache(maxsize=4096)  # noqa: B019 - the cache keeps only short strings alive
    def child(self, name: str) -> "FieldPath":
        """Return the path of the field `name` in the struct at this path."""
        return FieldPath(self + "." + name if self else name)

    @lru_cache(maxsize=4096)  # noqa: B019 - as above
    def item(self, position: int) -> "FieldPath":
        """Return the path of an item in the list at this path."""
        return FieldPath(self + f"[{position}]")

    def key(self, key: str) -> "FieldPath":
        """Return the path of the value under `key` in the map at this path."""
        return _KeyPath(self + f"[{key}]")


class _KeyPath(FieldPath):
    """A field path that contains a map key.

    The child paths of a _KeyPath are not cached: clients choose the keys, so the cache would grow without limit.
    """

    __slots__ = ()

    def child(self, name: str) -> FieldPath:  # type: ignore[override]  # This class redefines a cached method as a plain method.
        return _KeyPath(f"{self}.{name}")

    def item(self, position: int) -> FieldPath:  # type: ignore[override]  # This class redefines a cached method as a plain method.
        return _KeyPath(f"{self}[{position}]")


class FieldError(NamedTuple):
    """A validation error: type, field path, value and explanation."""

    type: ErrorType
    field: str
    value: Any
    detail: str

    @property
    def body(self) -> str:
        """Text of the error after the field path: error type, value and explanation."""
        text = _PROSE[self.type]
        if self.type not in _WITHOUT_VALUE and not isinstance(self.value, OmittedValue):
            text = f"{text}: {shown(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"


def aggregate_message(errors: Iterable[FieldError | str]) -> str:
    """Join error messages into one text, without duplicates (``utilerrors.NewAggregate``)."""
    messages = list(dict.fromkeys(map(str, errors)))
    return messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]"


def required(path: str, detail: str = "") -> FieldError:
    """Return the error FieldValueRequired, for a value that is missing; `detail` explains it."""
    return FieldError("FieldValueRequired", path, "", detail)


def invalid(path: str, value: Any, detail: str) -> FieldError:
    """Return the error FieldValueInvalid, for a value that is malformed or out of range; `detail` says why."""
    return FieldError("FieldValueInvalid", path, value, detail)


def invalid_typed(path: str, value: str | None, detail: str) -> FieldError:
    """Return the same error as :func:`invalid`, for a string whose Go type is not ``string``.

    Such a type is an enumeration, another named type, or a pointer to a string. The two errors differ in how the
    message shows a value with special characters.
    """
    return invalid(path, None if value is None else TypedString(value), detail)


def invalid_type(path: str, value: Any, detail: str) -> FieldError:
    """Return the error FieldValueTypeInvalid, for a value of the wrong type; `detail` says which one is right."""
    return FieldError("FieldValueTypeInvalid", path, value, detail)


def not_supported(path: str, value: Any, supported: Iterable[str]) -> FieldError:
    """Return the error FieldValueNotSupported, for a value outside an enumeration that has a Go type of its own.

    The message lists the `supported` values in the order in which they are passed.
    """
    return not_supported_string(path, TypedString(value) if isinstance(value, str) else value, supported)


def not_supported_string(path: str, value: Any, supported: Iterable[str]) -> FieldError:
    """Return the same error as :func:`not_supported`, for a field whose Go type is ``string``.

    The two errors differ in how the message shows a value with special characters.
    """
    values = ", ".join(map(quoted, supported))
    return FieldError("FieldValueNotSupported", path, value, f"supported values: {values}" if values else "")


def forbidden(path: str, detail: str) -> FieldError:
    """Return the error FieldValueForbidden, for a field that must not be set; `detail` says why."""
    return FieldError("FieldValueForbidden", path, "", detail)


def duplicate(path: str, value: Any) -> FieldError:
    """Return the error FieldValueDuplicate, for the second of two equal values that must be unique."""
    return FieldError("FieldValueDuplicate", path, value, "")


def not_found(path: str, value: Any) -> FieldError:
    """Return the error FieldValueNotFound, for a reference to an item that does not exist."""
    return FieldError("FieldValueNotFound", path, value, "")


def too_long(path: str, limit: int) -> FieldError:
    """Return the error FieldValueTooLong, for a value of more than `limit` bytes."""
    unit = "byte" if limit == 1 else "bytes"
    why = "value is too long" if limit < 0 else f"may not be more than {limit} {unit}"
    return FieldError("FieldValueTooLong", path, "<value omitted>", why)


def too_many(path: str, count: int, limit: int) -> FieldError:
    """Return the error FieldValueTooMany, for a list of `count` items of which at most `limit` are allowed."""
    unit = "item" if limit == 1 else "items"
    why = "has too many items" if limit < 0 else f"must have at most {limit} {unit}"
    return FieldError("FieldValueTooMany", path, count, why)


def internal_error(path: str, detail: str) -> FieldError:
    """Return the error InternalError, for a failure (`detail`) that the client's input did not cause."""
    return FieldError("InternalError", path, "", detail)
