"""Values that may be left out, and maps that loops gather (``cel/library.go`` and ``ext/comprehensions.go``)."""

from collections.abc import Sequence
from typing import Final

from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError
from memkube.cel.standard.equality import entry, value_of_key
from memkube.cel.values import MISSING, NONE, Duration, MapValue, Optional, Timestamp, Value
from memkube.cel.written import written

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
            raise EvaluationError(f"value {written(item)} is not optional")
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
"""``or`` and ``orValue`` are no functions: they do not always evaluate what they are given."""


def insert(entries: dict[Value, Value], key: Value, value: Value) -> None:
    """Adds an entry to a map that has none by that key. Raises EvaluationError."""
    if entry(entries, key) is not MISSING:
        raise EvaluationError(f"insert failed: key {written(key)} already exists")
    entries[key] = value


def _copied(entries: Value) -> dict[Value, Value]:
    assert isinstance(entries, dict | MapValue)
    return {key: value_of_key(entries, key) for key in entries}


def _inserted(entries: Value, key: Value, value: Value) -> Value:
    made = _copied(entries)
    insert(made, key, value)
    return made


def _inserted_all(entries: Value, more: Value) -> Value:
    made = _copied(entries)
    for key, value in _copied(more).items():
        insert(made, key, value)
    return made


MAPS: Final[Implementations] = {
    "cel.@mapInsert": {
        "(map(K, V), K, V): map(K, V)": _inserted,
        "(map(K, V), map(K, V)): map(K, V)": _inserted_all,
    },
}
