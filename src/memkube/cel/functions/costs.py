"""Run-time cost of library function calls (apiserver ``pkg/cel/library/cost.go``, cel-go's ``ext`` cost trackers)."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from memkube.cel.costs.actual import CallCost, actual_size, pattern_cost, text_cost
from memkube.cel.costs.nodes import LIST, PATTERN, STRUCT, TRAVERSAL
from memkube.cel.errors import EvaluationError, EvaluationPanic
from memkube.cel.functions.texts import NamedFormat
from memkube.cel.standard.maps import value_of_key
from memkube.cel.standard.message_format import go_type
from memkube.cel.values import ListValue, MapValue, Value, is_list, kind_of

_CHECK: Final = 350_000
_ADDED: Final = frozenset(
    {"bytes", "double", "google.protobuf.Duration", "google.protobuf.Timestamp", "int", "string", "uint"}
)
"""Types other than list whose values can be added."""


def _fixed(cost: int) -> CallCost:
    return lambda signature, arguments, result: cost


def _traverse_argument(times: int = 1) -> CallCost:
    """Return a cost function for calls that read their first argument `times` times."""
    return lambda signature, arguments, result: math.ceil(float(actual_size(arguments[0])) * times * TRAVERSAL)


def _join(signature: str, arguments: Sequence[Value], result: Value) -> int:
    return math.ceil(float(actual_size(result)) * 2 * TRAVERSAL)


def _search(signature: str, arguments: Sequence[Value], result: Value) -> int:
    return pattern_cost(arguments[0], arguments[1])


def _selector(signature: str, arguments: Sequence[Value], result: Value) -> int:
    size = actual_size(arguments[1])
    return LIST + text_cost(size) + math.ceil(math.ceil(size * 0.5) * float(LIST + STRUCT))


def _traverse_items(signature: str, arguments: Sequence[Value], result: Value) -> int:
    return _traversal(arguments[0])


def _traversal(value: Value) -> int:
    """Return the cost of reading a value and all values nested in it."""
    if isinstance(value, str):
        return int(len(value if value.isascii() else value.encode()) * TRAVERSAL)
    if isinstance(value, bytes):
        return int(len(value) * TRAVERSAL)
    if isinstance(value, list | ListValue):
        return sum(map(_traversal, value))
    if isinstance(value, dict | MapValue):
        return sum(_traversal(key) + _traversal(value_of_key(value, key)) for key in value)
    return 1


def _address(signature: str, arguments: Sequence[Value], result: Value) -> int:
    return 1 if signature == "net.CIDR.(): net.IP" else text_cost(actual_size(arguments[0]))


def _contains(of_text: str, *, block: bool) -> CallCost:
    def cost(signature: str, arguments: Sequence[Value], result: Value) -> int:
        size = actual_size(arguments[0])
        found = text_cost(size + size) + (text_cost(size) + 1 if block else 0)
        return found + (text_cost(actual_size(arguments[1])) if signature == of_text else 0)

    return cost


def _validate(signature: str, arguments: Sequence[Value], result: Value) -> int | None:
    form, text = arguments
    if not isinstance(form, NamedFormat):
        return None
    return text_cost(1 + actual_size(text)) * math.ceil(form.pattern_size * PATTERN)


def _if_overload_known(cost: Callable[[Sequence[Any], Value], int]) -> CallCost:
    """Return a function that computes the run-time cost of a call.

    If the overload of the call is known, the returned function returns the result of `cost`, which gets the arguments
    and the result of the call. Otherwise it returns None, which means the default cost.
    """
    return lambda signature, arguments, result: cost(arguments, result) if signature else None


def _new_list(size: int, factor: float = 1.0) -> int:
    return int(float(size) * factor) + 1 + LIST


def _copy_of_result(arguments: Sequence[Any], result: Value) -> int:
    return _new_list(actual_size(result))


def _failed(how: str) -> EvaluationPanic:
    """Return Kubernetes' internal error for a call that has no cost because an argument failed or has a wrong type.

    `how` is the end of the message.
    """
    return EvaluationPanic(f"internal error: interface conversion: {how}")


def _go_type(value: Value) -> str:
    return "*types.Err" if isinstance(value, EvaluationError) else go_type(value)


def _flatten(arguments: Sequence[Any], result: Value) -> int:
    if len(arguments) == 2 and kind_of(arguments[1]) != "int":
        raise _failed(f"ref.Val is {_go_type(arguments[1])}, not types.Int")
    depth = float(arguments[1]) if len(arguments) == 2 else 1.0
    return _new_list(actual_size(arguments[0]), depth) % 2**64


def _compare_pairs(arguments: Sequence[Any], result: Value) -> int:
    """Return the cost of comparing all pairs of items in a list, which is the last argument of the call."""
    items = arguments[-1]
    if not is_list(items):
        missing = "Contains" if kind_of(items) in _ADDED else "Add"
        raise _failed(f"{_go_type(items)} is not traits.Lister: missing method {missing}")
    size = actual_size(items)
    of_text = size and isinstance(items[0], str | bytes)
    return _new_list(size * size, 2 + TRAVERSAL if of_text else 2.0)


def _sets(factor: float) -> CallCost:
    return _if_overload_known(
        lambda arguments, result: 1 + int(float(actual_size(arguments[0]) * actual_size(arguments[1])) * factor)
    )


COSTS: Final[Mapping[str, CallCost]] = {
    "check": _fixed(_CHECK),
    "join": _join,
    "ip": _address,
    "ip.isCanonical": _traverse_argument(2),
    "containsIP": _contains("net.CIDR.(string): bool", block=False),
    "containsCIDR": _contains("net.CIDR.(string): bool", block=True),
    "validate": _validate,
    "slice": _if_overload_known(_copy_of_result),
    "flatten": _if_overload_known(_flatten),
    "sort": _if_overload_known(_compare_pairs),
    "@sortByAssociatedKeys": _if_overload_known(_compare_pairs),
    "lists.range": _if_overload_known(_copy_of_result),
    "reverse": _if_overload_known(_copy_of_result),
    "distinct": _if_overload_known(_compare_pairs),
    "sets.contains": _sets(1),
    "sets.intersects": _sets(1),
    "sets.equivalent": _sets(2),
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traverse_items),
    **dict.fromkeys(
        ("url", "lowerAscii", "upperAscii", "substring", "trim", "jsonpatch.escapeKey"), _traverse_argument()
    ),
    **dict.fromkeys(("replace", "split"), _traverse_argument(2)),
    **dict.fromkeys(("find", "findAll"), _search),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _traverse_argument()),
}
"""Functions that return the cost of a call, by name of the called CEL function.

All other functions of Kubernetes have the cost 1.
"""
