"""Evaluation of list, map and object literals, and of the lists and maps that comprehensions accumulate."""

from collections.abc import Callable, Sequence

from memkube.cel.costs.nodes import LIST, MAP, STRUCT
from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.evaluation.logic import value_or_error
from memkube.cel.evaluation.steps import Frame, Run, Step, constant, fold
from memkube.cel.standard.maps import insert, put
from memkube.cel.standard.message_format import format_value
from memkube.cel.values import MISSING, ListValue, Optional, Value


def list_of(items: Sequence[Step], optional: frozenset[int]) -> Step:
    """Return a Step (a compiled part of an expression) that creates the list of a list literal.

    `items` are the Steps that evaluate its items. `optional` has the indexes of the items that are marked with ``?``:
    they are left out if they have no value.
    """
    if all(item.is_constant for item in items):
        return constant([item.constant for item in items])
    runs = [item.run for item in items]

    def run(frame: Frame) -> Value:
        frame.cost += LIST
        return [one(frame) for one in runs]

    def run_optional(frame: Frame) -> Value:
        frame.cost += LIST
        made: list[Value] = []
        for index, step in enumerate(runs):
            value = step(frame)
            if index in optional:
                if not isinstance(value, Optional):
                    raise EvaluationError(
                        f"cannot initialize optional list element from non-optional value {format_value(value)}"
                    )
                if not value.present:
                    continue
                value = value.value
            made.append(value)
        return made

    return Step(run_optional if optional else run)


def map_of(entries: Sequence[tuple[Step, Step, bool]]) -> Step:
    """Return a Step (a compiled part of an expression) that creates the map of a map literal.

    Each entry has the Steps that evaluate its key and its value, and True if it is marked with ``?``. An entry marked
    with ``?`` is left out if it has no value.
    """
    runs = [(key.run, value.run, optional) for key, value, optional in entries]

    def run(frame: Frame) -> Value:
        frame.cost += MAP
        made: dict[Value, Value] = {}
        for key_of, value_of, optional in runs:
            key, value = key_of(frame), value_of(frame)
            if optional:
                value = _held(key, value)
            put(made, key, value)
        return made

    if all(key.is_constant and value.is_constant for key, value, _ in entries):
        return fold(Step(run))
    return Step(run)


def object_of(
    name: str, fields: Sequence[tuple[str, Step, bool]], construct: Callable[[str, dict[str, Value]], Value]
) -> Step:
    """Return a Step (a compiled part of an expression) that creates an object from a literal like ``Type{field: 1}``.

    `name` is the name of the type. `fields` has, for each field, its name, the Step that evaluates it, and True if it
    is marked with ``?``. The function `construct` gets the name of the type and the values of the fields by name, and
    returns the object.
    """
    runs = [(field, value.run, optional) for field, value, optional in fields]

    def run(frame: Frame) -> Value:
        frame.cost += STRUCT
        made: dict[str, Value] = {}
        for field, value_of, optional in runs:
            value = _held(field, value_of(frame)) if optional else value_of(frame)
            if value is MISSING:
                made.pop(field, None)
            else:
                made[field] = value
        return construct(name, made)

    return Step(run)


def _held(key: Value, value: Value) -> Value:
    if not isinstance(value, Optional):
        raise EvaluationError(
            f"cannot initialize optional entry '{format_value(key)}' from non-optional value {format_value(value)}"
        )
    return value.value if value.present else MISSING


def fresh(initial: Step) -> Run | None:
    """Return a function that creates a new empty list or map, as the first value of a comprehension's accumulator.

    A new one is created for each evaluation, so that the comprehension can add items to it in place. Returns None if
    the Step `initial`, which evaluates to the first value, is not a constant empty list or map.
    """
    if initial.constant == [] and isinstance(initial.constant, list):
        return lambda frame: []
    if initial.constant == {} and isinstance(initial.constant, dict):
        return lambda frame: {}
    return None


def extended(gathered: Step, more: Step) -> Step:
    """Return a Step that appends the items of a list to the list that a comprehension accumulates, in place.

    The Step `gathered` evaluates to the accumulated list, and `more` to the list whose items are appended.
    """
    one, other = gathered.run, more.run

    def run(frame: Frame) -> Value:
        try:
            items = one(frame)
        except EvaluationError:
            value_or_error(other, frame)
            frame.cost += 1
            raise
        added = value_or_error(other, frame)
        frame.cost += 1
        if isinstance(added, EvaluationError):
            raise added
        if not isinstance(items, list) or not isinstance(added, list | ListValue):
            raise no_such_overload()
        items.extend(added)
        return items

    return Step(run)


def inserted(gathered: Step, key: Step, value: Step) -> Step:
    """Return a Step that inserts an entry into the map that a comprehension accumulates, in place.

    The Step `gathered` evaluates to the accumulated map, and `key` and `value` to the parts of the entry.
    """

    def run(frame: Frame) -> Value:
        entries, new, held = gathered.run(frame), key.run(frame), value.run(frame)
        frame.cost += 1
        if not isinstance(entries, dict):
            raise no_such_overload()
        insert(entries, new, held)
        return entries

    return Step(run)
