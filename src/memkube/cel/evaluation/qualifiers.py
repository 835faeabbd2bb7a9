"""Qualifiers: field selections and indexes of an attribute (cel-go's ``interpreter/attributes.go``)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from memkube.cel.errors import EvaluationError, InstantiationError, missing_key
from memkube.cel.evaluation.steps import Frame, Run
from memkube.cel.standard.maps import value_of_key
from memkube.cel.standard.message_format import format_value, go_type
from memkube.cel.syntax import Unsigned
from memkube.cel.values import MAX_INT, MISSING, ListValue, MapValue, Value, kind_of

Go: TypeAlias = Callable[[Frame, Value], Value]

_KEYS: Final = (bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Qualifier:
    """One field selection or index of an attribute.

    The functions `get` and `find` get the Frame of the evaluation and a value, and return the field or element of this
    value. If it is missing, `get` raises EvaluationError and `find` returns MISSING. `optional` is true for ``.?name``
    and ``[?key]``.
    """

    get: Go
    find: Go
    optional: bool


def index_of(key: Value) -> int:
    """Return a key as a list index. Raises EvaluationError if the key is not an integer."""
    kind = type(key)
    if kind is int:
        assert isinstance(key, int)
        return key
    if isinstance(key, float) and key.is_integer() and abs(key) < MAX_INT:
        return int(key)
    if isinstance(key, Unsigned) and key <= MAX_INT:
        return int(key)
    if isinstance(key, float | Unsigned):
        raise EvaluationError(f"unsupported index value {format_value(key)} in list")
    raise EvaluationError(f"unsupported index type '{kind_of(key)}' in list")


def find_element(holder: Value, key: Value) -> Value:
    """Return the element of the map or list `holder` at `key`; MISSING if there is none.

    Raises EvaluationError if `holder` is a list and `key` is not an integer.
    """
    if isinstance(holder, dict | MapValue):
        return value_of_key(holder, key)
    if not isinstance(holder, list | ListValue):
        return MISSING
    index = index_of(key)
    if not 0 <= index < len(holder):
        return MISSING
    if isinstance(holder, ListValue) and type(key) is not int:
        raise EvaluationError(f"unsupported index: {format_value(key)}")
    return holder[index]


def get_element(holder: Value, key: Value) -> Value:
    """Return the element of the map or list `holder` at `key`. Raises EvaluationError if there is none."""
    found = find_element(holder, key)
    if found is not MISSING:
        return found
    if isinstance(holder, list | ListValue):
        raise EvaluationError(f"index out of bounds: {format_value(key)}")
    raise missing_key(format_value(key))


def constant_qualifier(key: Value, *, optional: bool) -> Qualifier:
    """Return the qualifier for a field name or a literal key, such as ``.name`` or ``[0]``.

    `optional` is true for ``.?name`` and ``[?0]``. Raises InstantiationError if the literal is not a valid key.
    """
    if not isinstance(key, _KEYS):
        raise InstantiationError(f"invalid qualifier type: {go_type(key)}")

    def get(frame: Frame, holder: Value) -> Value:
        frame.cost += 1
        return get_element(holder, key)

    def get_field(frame: Frame, holder: Value) -> Value:
        frame.cost += 1
        if holder.__class__ is dict:
            found = holder.get(key, MISSING)
        elif isinstance(holder, MapValue):
            found = holder.find(key)
        else:
            return get_element(holder, key)
        if found is MISSING:
            raise missing_key(format_value(key))
        return found

    def find(frame: Frame, holder: Value) -> Value:
        found = find_element(holder, key)
        if found is not MISSING:
            frame.cost += 1
        return found

    return Qualifier(get_field if isinstance(key, str) else get, find, optional)


def dynamic_qualifier(key_of: Run, *, optional: bool) -> Qualifier:
    """Return the qualifier for a key that the function `key_of` evaluates at run time, such as ``[a + b]``.

    `optional` is true for ``[?a + b]``.
    """

    def get(frame: Frame, holder: Value) -> Value:
        frame.cost += 1
        return get_element(holder, _valid(key_of(frame)))

    def find(frame: Frame, holder: Value) -> Value:
        found = find_element(holder, _valid(key_of(frame)))
        if found is not MISSING:
            frame.cost += 1
        return found

    return Qualifier(get, find, optional)


def _valid(key: Value) -> Value:
    if isinstance(key, _KEYS):
        return key
    raise EvaluationError(f"invalid qualifier type: {go_type(key)}")


def _is_present(holder: Value, name: str) -> bool:
    return holder.has(name) if isinstance(holder, MapValue) else find_element(holder, name) is not MISSING


def presence_qualifier(name: str) -> Qualifier:
    """Return the last qualifier of ``has(a.name)``: its value is true if the field `name` is present."""

    def get(frame: Frame, holder: Value) -> Value:
        frame.cost += 1
        if holder.__class__ is dict:
            return name in holder
        return _is_present(holder, name)

    def find(frame: Frame, holder: Value) -> Value:
        if not _is_present(holder, name):
            return MISSING
        frame.cost += 1
        return True

    return Qualifier(get, find, optional=False)
