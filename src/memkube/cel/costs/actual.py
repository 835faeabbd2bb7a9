"""Cost of calls at run time (cel-go's ``interpreter/runtimecost.go``), which the evaluation adds to ``Frame.cost``."""

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from memkube.cel.costs.nodes import PATTERN, TRAVERSAL
from memkube.cel.values import ListValue, MapValue, Opaque, Optional, Value

CallCost: TypeAlias = Callable[[str, Sequence[Value], Value], int | None]
"""Function that returns the cost of a call, or None to use the default cost.

The arguments are the signature of the overload ("" if unknown), the argument values, and the result (None if the call
failed).
"""

_SIZED: Final = (str, bytes, list, dict, ListValue, MapValue)
_READ: Final = {
    "startsWith": ("string.(string): bool",),
    "endsWith": ("string.(string): bool",),
    "bytes": ("(string): bytes",),
    "string": ("(bytes): string",),
    "strings.quote": ("(string): string",),
    "format": ("string.(list(dyn)): string",),
}
_COMPARED: Final = ("(string, string): bool", "(bytes, bytes): bool")
_JOINED: Final = ("(string, string): string", "(bytes, bytes): bytes")


def actual_size(value: Value) -> int:
    """Return the size of a value: the length of a string, list or map; 1 for any other value."""
    if isinstance(value, _SIZED):
        return len(value)
    if isinstance(value, Opaque):
        return value.size
    if isinstance(value, Optional) and value.present:
        return actual_size(value.value)
    return 1


def text_cost(size: int) -> int:
    """Return the cost of reading a string of `size` characters."""
    return math.ceil(float(size) * TRAVERSAL)


def pattern_cost(text: Value, pattern: Value) -> int:
    """Return the cost of searching the string `text` for the regular expression `pattern`."""
    return math.ceil((1.0 + float(actual_size(text))) * TRAVERSAL) * math.ceil(float(actual_size(pattern)) * PATTERN)


def standard_cost(name: str, signature: str) -> int | Callable[[Sequence[Value]], int]:
    """Return the cost of calling a standard function of CEL.

    If the overload is not known (`signature` is empty), the cost is 1.
    """
    if signature in _READ.get(name, ()):
        return lambda values: text_cost(actual_size(values[0]))
    if name in ("@in", "_in_", "in") and signature == "(A, list(A)): bool":
        return lambda values: actual_size(values[1])
    if name in ("_<_", "_<=_", "_>_", "_>=_") and signature in _COMPARED:
        return lambda values: text_cost(min(actual_size(values[0]), actual_size(values[1])))
    if name == "_+_" and signature in _JOINED:
        return lambda values: text_cost(actual_size(values[0]) + actual_size(values[1]))
    if name == "matches" and signature == "string.(string): bool":
        return lambda values: pattern_cost(values[0], values[1])
    if name == "contains" and signature == "string.(string): bool":
        return lambda values: text_cost(actual_size(values[0])) * text_cost(actual_size(values[1]))
    return 1
