"""Function calls: overload dispatch, argument checks and cost."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from memkube.cel.costs.actual import standard_cost
from memkube.cel.declarations import Function, Overload, Resolved
from memkube.cel.errors import EvaluationError, InstantiationError, no_such_overload
from memkube.cel.evaluation.kinds import fits
from memkube.cel.evaluation.logic import value_or_error
from memkube.cel.evaluation.steps import Frame, Run, Step
from memkube.cel.library import Library
from memkube.cel.regular_expressions import compiled
from memkube.cel.values import Value, kind_of

_Spend: TypeAlias = Callable[[Sequence[Value], Value], int]


def call(resolved: Resolved, steps: Sequence[Step], library: Library) -> Step:
    """Return a Step (a compiled part of an expression) that calls a function of `library`.

    `resolved` is the function as found by type checking, and `steps` evaluate its arguments, the receiver first. Raises
    InstantiationError if `library` does not implement the function, or if an argument is a malformed pattern.
    """
    matching = _has_pattern(resolved, steps, library)
    function = _implementation(resolved, library)
    spend = _cost(resolved, library)
    if matching:
        function = _searching(function)
    runs = [step.run for step in steps]
    if len(runs) == 1:
        return Step(_flat_unary(function, spend, *runs) if isinstance(spend, int) else _unary(function, spend, *runs))
    if len(runs) == 2 and not matching and not _is_dispatched(resolved, library):
        return Step(_flat_binary(function, spend, *runs) if isinstance(spend, int) else _binary(function, spend, *runs))
    return Step(_several(function, spend, runs))


def _has_pattern(resolved: Resolved, steps: Sequence[Step], library: Library) -> bool:
    """True if the call has an argument that is a literal regular expression.

    `resolved` is the called function, `steps` evaluate the arguments, and `library` knows which argument of the
    function is a regular expression. Raises InstantiationError if the regular expression is malformed.
    """
    index = library.patterns.get(resolved.name)
    pattern = None if index is None or index >= len(steps) else steps[index].constant
    if not isinstance(pattern, str):
        return False
    try:
        compiled(pattern)
    except EvaluationError as error:
        raise InstantiationError(str(error)) from None
    return True


def _is_dispatched(resolved: Resolved, library: Library) -> bool:
    """True if the overload of the function `resolved` must be chosen at run time, by the types of the arguments."""
    return resolved.name not in library.unguarded and len(resolved.overloads) != 1


def _searching(function: Function) -> Function:
    def search(text: Value, *arguments: Value) -> Value:
        if not isinstance(text, str):
            raise no_such_overload()
        return function(text, *arguments)

    return search


def _implementation(resolved: Resolved, library: Library) -> Function:
    name = resolved.name
    known = library.implementations.get(name)
    if not known:
        raise InstantiationError(f"no such overload: {name}")
    overloads = resolved.overloads
    if name in library.unguarded:
        return known[overloads[0].signature] if overloads else next(iter(known.values()))
    if len(overloads) == 1:
        return _guarded(name, overloads[0], known[overloads[0].signature])
    return _dispatched(name, [(one, known[one.signature]) for one in library.overloads(name)])


def _guarded(name: str, overload: Overload, function: Function) -> Function:
    wanted = overload.arguments
    if all(one.kind in ("dyn", "any", "param") for one in wanted):
        return function

    def checked(*arguments: Value) -> Value:
        for parameter, argument in zip(wanted, arguments, strict=True):
            if not fits(parameter, argument):
                raise no_such_overload(name, tuple(map(kind_of, arguments)))
        return function(*arguments)

    return checked


def _dispatched(name: str, functions: Sequence[tuple[Overload, Function]]) -> Function:
    def chosen(*arguments: Value) -> Value:
        for overload, function in functions:
            wanted = overload.arguments
            if len(wanted) == len(arguments) and all(map(fits, wanted, arguments)):
                return function(*arguments)
        raise no_such_overload(name, tuple(map(kind_of, arguments)))

    return chosen


def _cost(resolved: Resolved, library: Library) -> _Spend | int:
    signature = resolved.overloads[0].signature if len(resolved.overloads) == 1 else ""
    own = library.costs.get(resolved.name)
    usual = standard_cost(resolved.name, signature)

    def spend(arguments: Sequence[Value], result: Value) -> int:
        if own is not None and (found := own(signature, arguments, result)) is not None:
            return found
        return usual if isinstance(usual, int) else usual(arguments)

    return usual if own is None and isinstance(usual, int) else spend


def _flat_unary(function: Function, cost: int, operand: Run) -> Run:
    def run(frame: Frame) -> Value:
        frame.cost += cost
        return function(operand(frame))

    return run


def _flat_binary(function: Function, cost: int, one: Run, other: Run) -> Run:
    def run(frame: Frame) -> Value:
        frame.cost += cost
        try:
            first = one(frame)
        except EvaluationError:
            value_or_error(other, frame)
            raise
        return function(first, other(frame))

    return run


def _unary(function: Function, spend: _Spend, operand: Run) -> Run:
    def run(frame: Frame) -> Value:
        try:
            value = operand(frame)
        except EvaluationError as error:
            frame.cost += spend((error,), None)
            raise
        try:
            result = function(value)
        except EvaluationError:
            frame.cost += spend((value,), None)
            raise
        frame.cost += spend((value,), result)
        return result

    return run


def _binary(function: Function, spend: _Spend, one: Run, other: Run) -> Run:
    def run(frame: Frame) -> Value:
        try:
            first = one(frame)
        except EvaluationError as error:
            second = value_or_error(other, frame)
            frame.cost += spend((error, second), None)
            raise
        try:
            second = other(frame)
        except EvaluationError as error:
            frame.cost += spend((first, error), None)
            raise
        try:
            result = function(first, second)
        except EvaluationError:
            frame.cost += spend((first, second), None)
            raise
        frame.cost += spend((first, second), result)
        return result

    return run


def _several(function: Function, cost: _Spend | int, runs: Sequence[Run]) -> Run:
    def spend(values: Sequence[Value], result: Value) -> int:
        return cost if isinstance(cost, int) else cost(values, result)

    last = len(runs) - 1

    def run(frame: Frame) -> Value:
        arguments: list[Value] = []
        for index, step in enumerate(runs):
            try:
                arguments.append(step(frame))
            except EvaluationError as error:
                # If an argument fails, cel-go does not evaluate the next arguments, and counts the cost of the call
                # only if the last argument failed.
                if index == last:
                    frame.cost += spend([*arguments, error], None)
                raise
        try:
            result = function(*arguments)
        except EvaluationError:
            frame.cost += spend(arguments, None)
            raise
        frame.cost += spend(arguments, result)
        return result

    return run
