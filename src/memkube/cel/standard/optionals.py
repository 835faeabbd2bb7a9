"""Functions of optional values (cel-go's ``cel/library.go``)."""

from collections.abc import Sequence
from typing import Final

from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError
from memkube.cel.standard.message_format import format_value
from memkube.cel.values import NONE, Duration, Optional, Timestamp, Value

_ZERO_SECOND: Final = Timestamp(-62_135_596_800_000_000_000)


def _is_zero(value: Value) -> bool:
    match value:
        case None:
            return True
        case bool() | int() | float() | str() | bytes() | list() | dict():
            return not value
        case Duration(nanoseconds=nanoseconds):
            return not nanoseconds
        case Timestamp():
            return value == _ZERO_SECOND
        case _:
            return False


def _of_non_zero(value: Value) -> Optional:
    return NONE if _is_zero(value) else Optional(value)


def _last(items: Sequence[Value]) -> Optional:
    return Optional(items[len(items) - 1]) if items else NONE


def _first(items: Sequence[Value]) -> Optional:
    return Optional(items[0]) if items else NONE


def _unwrapped(items: Sequence[Value]) -> Value:
    held: list[Value] = []
    for item in items:
        if not isinstance(item, Optional):
            raise EvaluationError(f"value {format_value(item)} is not optional")
        if item.present:
            held.append(item.value)
    return held


OPTIONALS: Final[Implementations] = {
    "optional.of": {"(V): optional_type(V)": Optional},
    "optional.ofNonZeroValue": {"(V): optional_type(V)": _of_non_zero},
    "optional.none": {"(): optional_type(V)": lambda: NONE},
    "value": {"optional_type(V).(): V": lambda optional: optional.value},
    "hasValue": {"optional_type(V).(): bool": lambda optional: optional.present},
    "last": {"list(V).(): optional_type(V)": _last},
    "first": {"list(V).(): optional_type(V)": _first},
    "optional.unwrap": {"(list(optional_type(V))): list(V)": _unwrapped},
    "unwrapOpt": {"list(optional_type(V)).(): list(V)": _unwrapped},
}
"""Implementations of the functions of optionals, except ``or`` and ``orValue``, which do not evaluate all operands."""
