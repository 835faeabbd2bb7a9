"""Finds selections of a field in an expression."""

from collections.abc import Iterator

from memkube.cel.syntax import Ast, Call, Comprehension, Expr, Ident, ListOf, Literal, MapOf, Select, Struct

_OPTIONAL_SELECT = "_?._"


def selects_field(ast: Ast, variable: str, field: str) -> bool:
    """True if an expression selects the field of the variable: ``variable.field`` or ``variable.?field``."""
    waiting = [ast.root]
    while waiting:
        expr = waiting.pop()
        if _is_selection(expr, variable, field):
            return True
        waiting += _parts(expr)
    return False


def _is_selection(expr: Expr, variable: str, field: str) -> bool:
    match expr:
        case Select(operand=Ident(name=name), field=selected):
            return (name, selected) == (variable, field)
        case Call(function=function, target=None, arguments=[Ident(name=name), Literal(value=selected)]):
            return function == _OPTIONAL_SELECT and (name, selected) == (variable, field)
    return False


def _parts(expr: Expr) -> Iterator[Expr]:
    match expr:
        case Select():
            yield expr.operand
        case Call():
            yield from expr.arguments
            if expr.target is not None:
                yield expr.target
        case ListOf():
            yield from expr.items
        case MapOf(entries=entries) | Struct(fields=entries):
            for entry in entries:
                if not isinstance(entry.key, str):
                    yield entry.key
                yield entry.value
        case Comprehension():
            yield from (expr.range, expr.initial, expr.condition, expr.step, expr.result)
