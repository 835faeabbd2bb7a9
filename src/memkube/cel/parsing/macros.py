"""Macros of CEL and of the libraries that Kubernetes enables (cel-go's ``parser/macro.go``, ``cel`` and ``ext``)."""

from typing import Final

from memkube.cel.parsing.builder import ACCUMULATOR, Macro, MacroError, MacroNodes, Macros
from memkube.cel.syntax import Call, Comprehension, Expr, Ident, ListOf, Select

_OLD_ACCUMULATOR: Final = "__result__"
_UNUSED: Final = "#unused"
_SORTED: Final = "@__sortBy_input__"
_ADD: Final = "_+_"
_IF: Final = "_?_:_"


def _variable(argument: Expr, message: str) -> str:
    if not isinstance(argument, Ident):
        raise MacroError(argument.id, message)
    return argument.name


def _loop_variable(argument: Expr, message: str) -> str:
    name = _variable(argument, message)
    _check_accumulator(argument, name)
    return name


def _check_accumulator(argument: Expr, name: str) -> None:
    if name in {ACCUMULATOR, _OLD_ACCUMULATOR}:
        raise MacroError(argument.id, "iteration variable overwrites accumulator variable")


def _two_variables(arguments: list[Expr]) -> tuple[str, str]:
    first, second = (_variable(argument, "argument must be a simple name") for argument in arguments[:2])
    if first == second:
        raise MacroError(arguments[1].id, f"duplicate variable name: {first}")
    _check_accumulator(arguments[0], first)
    _check_accumulator(arguments[1], second)
    return first, second


def _quantified(arguments: list[Expr]) -> tuple[tuple[str, str], Expr]:
    """Return the one or two loop variables and the predicate in the arguments of a macro such as ``all``.

    The second variable is "" if there is only one.
    """
    if len(arguments) == 3:
        return _two_variables(arguments), arguments[2]
    return (_loop_variable(arguments[0], "argument must be a simple name"), ""), arguments[1]


def _has(nodes: MacroNodes, _: Expr | None, arguments: list[Expr]) -> Expr:
    if isinstance(arguments[0], Select):
        return nodes.presence(arguments[0])
    raise MacroError(arguments[0].id, "invalid argument to has() macro")


def _all(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    variables, predicate = _quantified(arguments)
    initial = nodes.literal(True)
    condition = nodes.call("@not_strictly_false", nodes.result())
    step = nodes.call("_&&_", nodes.result(), predicate)
    return nodes.fold(target, variables, (ACCUMULATOR, initial), (condition, step, nodes.result()))


def _exists(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    variables, predicate = _quantified(arguments)
    initial = nodes.literal(False)
    condition = nodes.call("@not_strictly_false", nodes.call("!_", nodes.result()))
    step = nodes.call("_||_", nodes.result(), predicate)
    return nodes.fold(target, variables, (ACCUMULATOR, initial), (condition, step, nodes.result()))


def _exists_one(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    variables, predicate = _quantified(arguments)
    initial, condition = nodes.literal(0), nodes.literal(True)
    one_more = nodes.call(_ADD, nodes.result(), nodes.literal(1))
    step = nodes.call(_IF, predicate, one_more, nodes.result())
    result = nodes.call("_==_", nodes.result(), nodes.literal(1))
    return nodes.fold(target, variables, (ACCUMULATOR, initial), (condition, step, result))


def _map(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    name = _loop_variable(arguments[0], "argument is not an identifier")
    return _appended(nodes, target, (name, ""), arguments[1:])


def _transform_list(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    variables = _two_variables(arguments)
    *predicate, item = arguments[2:]
    # cel-go creates the nodes of this macro in another order than those of `map`, so their ids differ.
    step: Expr = nodes.call(_ADD, nodes.result(), nodes.list_of(item))
    step = _filtered(nodes, predicate, step)
    initial, condition = nodes.list_of(), nodes.literal(True)
    return nodes.fold(target, variables, (ACCUMULATOR, initial), (condition, step, nodes.result()))


def _appended(nodes: MacroNodes, target: Expr, variables: tuple[str, str], arguments: list[Expr]) -> Comprehension:
    """Return a loop over `target` that collects a value of each item in a list, for macros such as ``map``.

    `nodes` creates the nodes of the loop. `variables` are the names of the loop variables. `arguments` has the
    expression for the value; an optional predicate before it selects the items.
    """
    *predicate, item = arguments
    initial, condition = nodes.list_of(), nodes.literal(True)
    step = _filtered(nodes, predicate, nodes.call(_ADD, nodes.result(), nodes.list_of(item)))
    return nodes.fold(target, variables, (ACCUMULATOR, initial), (condition, step, nodes.result()))


def _filtered(nodes: MacroNodes, predicate: list[Expr], step: Expr) -> Expr:
    return nodes.call(_IF, predicate[0], step, nodes.result()) if predicate else step


def _filter(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    name = _loop_variable(arguments[0], "argument is not an identifier")
    return _appended(nodes, target, (name, ""), [arguments[1], arguments[0]])


def _transform_map(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    variables = _two_variables(arguments)
    *predicate, value = arguments[2:]
    inserted = nodes.call("cel.@mapInsert", nodes.result(), nodes.ident(variables[0]), value)
    return _inserted(nodes, target, variables, _filtered(nodes, predicate, inserted))


def _transform_map_entry(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    variables = _two_variables(arguments)
    *predicate, value = arguments[2:]
    inserted = nodes.call("cel.@mapInsert", nodes.result(), value)
    return _inserted(nodes, target, variables, _filtered(nodes, predicate, inserted))


def _inserted(nodes: MacroNodes, target: Expr, variables: tuple[str, str], step: Expr) -> Expr:
    initial, condition = nodes.map_of(), nodes.literal(True)
    return nodes.fold(target, variables, (ACCUMULATOR, initial), (condition, step, nodes.result()))


def _bound(nodes: MacroNodes, over: ListOf, variable: tuple[str, Expr], result: Expr) -> Comprehension:
    """Return an expression that evaluates `result` with an additional variable; `variable` is its name and value.

    The returned expression, made by `nodes`, is a loop over the empty list `over`, whose accumulator is the variable.
    So nothing is iterated, and the result of the loop is the value of `result`.
    """
    condition, step = nodes.literal(False), nodes.ident(variable[0])
    return nodes.fold(over, (_UNUSED, ""), variable, (condition, step, result))


def _opt_map(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    name = _variable(arguments[0], "optMap() variable name must be a simple identifier")
    present = nodes.member_call("hasValue", target)
    mapped = nodes.call("optional.of", _unwrapped(nodes, name, target, arguments[1]))
    return nodes.call(_IF, present, mapped, nodes.call("optional.none"))


def _opt_flat_map(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    name = _variable(arguments[0], "optFlatMap() variable name must be a simple identifier")
    present = nodes.member_call("hasValue", target)
    mapped = _unwrapped(nodes, name, target, arguments[1])
    return nodes.call(_IF, present, mapped, nodes.call("optional.none"))


def _unwrapped(nodes: MacroNodes, name: str, target: Expr, result: Expr) -> Comprehension:
    over = nodes.list_of()
    return _bound(nodes, over, (name, nodes.member_call("value", nodes.copied(target))), result)


def _sort_by(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    variable = nodes.ident(_SORTED)
    if not isinstance(target, ListOf | Select | Ident | Comprehension | Call):
        what = "a list, identifier, comprehension, call or select expression"
        raise MacroError(target.id, f"sortBy can only be applied to {what}")
    keys = _map(nodes, nodes.copied(variable), arguments)
    call = nodes.member_call("@sortByAssociatedKeys", nodes.copied(variable), keys)
    over, condition = nodes.list_of(), nodes.literal(False)
    return nodes.fold(over, (_UNUSED, ""), (_SORTED, target), (condition, variable, call))


def _bind(nodes: MacroNodes, target: Expr | None, arguments: list[Expr]) -> Expr | None:
    if not isinstance(target, Ident) or target.name != "cel":
        return None
    name = _variable(arguments[0], "cel.bind() variable names must be simple identifiers")
    return _bound(nodes, nodes.list_of(), (name, arguments[1]), arguments[2])


_MEMBERS: Final[tuple[tuple[str, Macro, tuple[int, ...]], ...]] = (
    ("all", _all, (2, 3)),
    ("exists", _exists, (2, 3)),
    ("exists_one", _exists_one, (2, 3)),
    ("existsOne", _exists_one, (3,)),
    ("map", _map, (2, 3)),
    ("filter", _filter, (2,)),
    ("transformList", _transform_list, (3, 4)),
    ("transformMap", _transform_map, (3, 4)),
    ("transformMapEntry", _transform_map_entry, (3, 4)),
    ("optMap", _opt_map, (2,)),
    ("optFlatMap", _opt_flat_map, (2,)),
    ("sortBy", _sort_by, (2,)),
)
MACROS: Final[Macros] = {
    ("has", False, 1): _has,
    **{(name, True, count): macro for name, macro, counts in _MEMBERS for count in counts},
}
WITH_BINDINGS: Final[Macros] = {**MACROS, ("bind", True, 3): _bind}
