"""Integer arithmetic in shell scripts (``$((…))``)."""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

from memkube.controllers.kubelet.programs.words import Unplayable

_LARGEST: Final = 2**63
_DOLLARS: Final = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_OPERATORS: Final[dict[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: int(a / b),
    ast.Mod: lambda a, b: a - b * int(a / b),
}
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[int, int], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def evaluate(expression: str, variables: Mapping[str, str]) -> int:
    """The value of an expression, in 64 bits. Raises Unplayable."""
    try:
        tree = ast.parse(_DOLLARS.sub(r"\1", expression).strip() or "0", mode="eval")
        value = _value(tree.body, variables)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        raise Unplayable(f"arithmetic: {expression}") from None
    return (value + _LARGEST) % (2 * _LARGEST) - _LARGEST


def _value(node: ast.expr, variables: Mapping[str, str]) -> int:
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            return int(variables.get(name) or "0")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, variables)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, variables), _value(right, variables))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            return int(_COMPARISONS[type(op)](_value(left, variables), _value(right, variables)))
    raise ValueError(ast.dump(node))
