"""Reading and building of maps (cel-go's ``common/types/map.go`` and ``ext/comprehensions.go``).

In a Python dictionary `1`, `True` and `1.0` are the same key; in cel-go they differ. A map that mixes such key types,
which is possible only with ``dyn``, raises EvaluationError.
"""

from typing import Final

from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError
from memkube.cel.standard.message_format import format_value
from memkube.cel.syntax import Unsigned
from memkube.cel.values import MISSING, MapValue, Value, kind_of

_ALIKE: Final = {bool: "bool", float: "double", int: "int", Unsigned: "int"}


def entry(entries: dict[Value, Value], key: Value) -> Value:
    """Return the value for a key of a Python dictionary; MISSING if the key is absent.

    A number finds int and uint keys of the same value; a bool finds only bools.
    """
    try:
        found = entries.get(key, MISSING)
    except TypeError:
        return MISSING
    if found is MISSING or isinstance(key, str):
        return found
    first = next(iter(entries))
    if first.__class__ is key.__class__:
        return found
    return found if any(one == key and _is_found_by(one, key) for one in entries) else MISSING


def _is_found_by(known: Value, key: Value) -> bool:
    return known.__class__ is key.__class__ or (not isinstance(known, bool | float) and not isinstance(key, bool))


def value_of_key(entries: Value, key: Value) -> Value:
    """Return the value for a key in a Python dictionary or a MapValue; MISSING if absent."""
    if isinstance(entries, MapValue):
        return entries.find(key)
    assert isinstance(entries, dict)
    return entry(entries, key)


def put(entries: dict[Value, Value], key: Value, value: Value) -> None:
    """Set an entry of a map, or delete it if `value` is MISSING. Raises EvaluationError if the key is invalid."""
    if key.__class__ is not str:
        _check_key(entries, key)
    if value is MISSING:
        entries.pop(key, None)
    else:
        entries[key] = value


def _check_key(entries: dict[Value, Value], key: Value) -> None:
    if key is not None and not isinstance(key, bool | int | float):
        raise EvaluationError(f"unsupported key type: {kind_of(key)}")
    first = next(iter(entries), key)
    if first.__class__ is key.__class__:
        return
    kind = _ALIKE.get(key.__class__)
    if any(_ALIKE.get(one.__class__, kind) != kind or one == key for one in entries):
        raise EvaluationError(
            "maps with keys of different types are not supported: "
            f"key {format_value(key)} has a different type than another key of the map"
        )


def insert(entries: dict[Value, Value], key: Value, value: Value) -> None:
    """Add an entry to a map. Raises EvaluationError if the key already exists or is invalid."""
    if entry(entries, key) is not MISSING:
        raise EvaluationError(f"insert failed: key {format_value(key)} already exists")
    put(entries, key, value)


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
