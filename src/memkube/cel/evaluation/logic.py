"""Operators that do not always evaluate all operands, or that accept values of any type."""

from typing import Final

from memkube.cel.costs.actual import actual_size, text_cost
from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.evaluation.steps import Frame, Run, Step, constant
from memkube.cel.standard.equality import contains, equal
from memkube.cel.values import Opaque, Optional, Value

_PRIMITIVE: Final = (bool, int, float, str)


def conjunction(one: Step, other: Step) -> Step:
    """Return the evaluation step for ``&&``: false if either operand is false, even if the other one fails."""
    return Step(_decided(one.run, other.run, by=False))


def disjunction(one: Step, other: Step) -> Step:
    """Return the evaluation step for ``||``: true if either operand is true, even if the other one fails."""
    return Step(_decided(one.run, other.run, by=True))


def _decided(one: Run, other: Run, *, by: bool) -> Run:
    rest = not by

    def run(frame: Frame) -> Value:
        try:
            first = one(frame)
        except EvaluationError as error:
            if other_decides(frame):
                return by
            raise error from None
        if first is by:
            return by
        if first is not rest:
            if other_decides(frame):
                return by
            raise no_such_overload()
        second = other(frame)
        if second is by or second is rest:
            return second
        raise no_such_overload()

    def other_decides(frame: Frame) -> bool:
        try:
            return other(frame) is by
        except EvaluationError:
            return False

    return run


def not_strictly_false(value: Step) -> Step:
    """Return the evaluation step for the loop condition ``@not_strictly_false``.

    It is true for errors and for values other than false.
    """
    run_value = value.run

    def run(frame: Frame) -> Value:
        frame.cost += 1
        try:
            return run_value(frame) is not False
        except EvaluationError:
            return True

    return Step(run)


def value_or_error(run: Run, frame: Frame) -> Value:
    """Run a step and return its value, or the EvaluationError that it raises."""
    try:
        return run(frame)
    except EvaluationError as error:
        return error


def equality(one: Step, other: Step, *, negated: bool) -> Step:
    """Return the evaluation step for ``==`` or, if `negated` is true, for ``!=``.

    If the values cannot be compared, ``==`` raises EvaluationError and ``!=`` is true.
    """
    left, right = one.run, other.run

    def run(frame: Frame) -> Value:
        try:
            first = left(frame)
        except EvaluationError as error:
            second = value_or_error(right, frame)
            frame.cost += _comparing(error, second, negated)
            raise
        try:
            second = right(frame)
        except EvaluationError as error:
            frame.cost += _comparing(first, error, negated)
            raise
        kind = first.__class__
        if kind is second.__class__ and (kind is str or kind is int):
            frame.cost += 1 if kind is int else (min(len(first), len(second)) + 9) // 10  # type: ignore[arg-type]
            return (first == second) is not negated
        frame.cost += _comparing(first, second, negated)
        if not negated:
            return equal(first, second)
        try:
            return not equal(first, second)
        except EvaluationError:
            return True

    return Step(run)


def _comparing(one: Value, other: Value, negated: bool) -> int:
    """Return the cost of ``==`` (or ``!=``, if `negated` is true), which depends on the size of the smaller operand.

    If the left operand has a type of Kubernetes' libraries, such as a quantity, the cost of ``==`` is always 1. As in
    cel-go, ``!=`` has no such exception.
    """
    if isinstance(one, Opaque) and not negated:
        return 1
    return text_cost(min(actual_size(one), actual_size(other)))


def or_optional(one: Step, other: Step) -> Step:
    """Return the evaluation step for ``or`` of optionals.

    The second operand is evaluated only if the first has no value. The operator itself has no cost.
    """
    left, right = one.run, other.run

    def run(frame: Frame) -> Value:
        first = left(frame)
        if not isinstance(first, Optional):
            raise no_such_overload()
        return first if first.present else right(frame)

    return Step(run)


def or_value(one: Step, other: Step) -> Step:
    """Return the evaluation step for ``orValue``.

    The second operand is evaluated only if the first has no value. The operator itself has no cost.
    """
    left, right = one.run, other.run

    def run(frame: Frame) -> Value:
        first = left(frame)
        if not isinstance(first, Optional):
            raise no_such_overload()
        return first.value if first.present else right(frame)

    return Step(run)


def membership(item: Step, items: Step) -> Step | None:
    """Return the evaluation step for ``in`` with a list of scalar literals; None for other lists.

    Evaluating the step costs nothing.
    """
    listed = items.constant
    if not isinstance(listed, list):
        return None
    if not listed:
        return constant(False)
    if not all(isinstance(one, _PRIMITIVE) for one in listed):
        return None
    known = frozenset(listed) if all(isinstance(one, str) for one in listed) else None
    run_item = item.run

    def run(frame: Frame) -> Value:
        value = run_item(frame)
        if known is not None:
            return isinstance(value, str) and value in known
        return isinstance(value, _PRIMITIVE) and contains(listed, value)

    return Step(run)
