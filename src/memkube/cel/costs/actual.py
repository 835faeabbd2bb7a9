"""What calls have cost (cel-go's ``interpreter/runtimecost.go``)."""

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from memkube.cel.costs.nodes import PATTERN, TRAVERSAL
from memkube.cel.values import ListValue, MapValue, Opaque, Optional, Value

CallCost: TypeAlias = Callable[[str, Sequence[Value], Value], int | None]
"""What a call costs: of which overload, if that was known, with which values, to which result, if it did not fail."""

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
    """How large the value is: one where nothing is larger."""
    if isinstance(value, _SIZED):
        return len(value)
    if isinstance(value, Opaque):
        return value.size
    if isinstance(value, Optional) and value.present:
        return actual_size(value.value)
    return 1


def text_cost(size: int) -> int:
    """What it costs to go through so many characters."""
    return math.ceil(float(size) * TRAVERSAL)


def pattern_cost(text: Value, pattern: Value) -> int:
    """What it costs to search a text for a pattern."""
    return math.ceil((1.0 + float(actual_size(text))) * TRAVERSAL) * math.ceil(float(actual_size(pattern)) * PATTERN)


def standard_cost(name: str, signature: str) -> int | Callable[[Sequence[Value]], int]:
    """What a call of CEL's own function costs: always, or by its values. Without a signature it is one."""
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
