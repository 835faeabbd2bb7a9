"""CEL expressions that select devices (``pkg/apis/resource/validation``, ``dynamic-resource-allocation/cel``)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required, too_long
from memkube.apis.resource.v1.device_rules import validate_each
from memkube.apis.resource.v1.devices import DeviceSelector
from memkube.cel.costs.ranges import Range
from memkube.cel.declarations import Fields
from memkube.cel.environment import CompileError, Environment, base_environment
from memkube.cel.types import ANY, BOOL, STRING, map_of, struct

_MOST_SELECTORS: Final = 32
_MOST_BYTES: Final = 10 * 1024
MOST_COST: Final = 1_000_000
"""Maximum cost of evaluating the CEL expression of a device selector, in CEL cost units."""
_DEVICE: Final = Fields(
    "kubernetes.DRADevice",
    {
        "driver": STRING,
        "allowMultipleAllocations": BOOL,
        "attributes": map_of(STRING, map_of(STRING, ANY)),
        "capacity": map_of(STRING, map_of(STRING, struct("kubernetes.Quantity"))),
    },
)


@dataclass(frozen=True, slots=True)
class _Bound:
    """Maximum sizes of a CEL value and of the values inside it, by which the cost of an expression is estimated."""

    most: int = 0
    fields: dict[str, "_Bound"] = field(default_factory=dict)
    key: "_Bound | None" = None
    value: "_Bound | None" = None


_MOST_NAMES: Final = 32
_DOMAIN: Final = _Bound(63)
_IDENTIFIER: Final = _Bound(32)
_ATTRIBUTE: Final = _Bound(64)
_BOUND: Final = _Bound(
    fields={
        "driver": _Bound(63),
        "allowMultipleAllocations": _Bound(1),
        "attributes": _Bound(_MOST_NAMES, key=_DOMAIN, value=_Bound(_MOST_NAMES, key=_IDENTIFIER, value=_ATTRIBUTE)),
        "capacity": _Bound(_MOST_NAMES, key=_DOMAIN, value=_Bound(_MOST_NAMES, key=_IDENTIFIER, value=_Bound())),
    }
)


def size_of(path: Sequence[str]) -> Range | None:
    """Return the smallest and largest size of the value at a path, for cost estimation.

    The path has the name of a variable, and then field names, or ``@items``, ``@keys`` or ``@values`` for the elements
    of a list or map. Returns None if it does not begin with the variable ``device``, or if the value does not exist.
    """
    if not path or path[0] != "device":
        return None
    bound = _BOUND
    for name in path[1:]:
        within = _within(bound, name)
        if within is None:
            return None
        bound = within
    return Range(0, bound.most)


def _within(bound: _Bound, name: str) -> _Bound | None:
    if name in ("@items", "@values"):
        return bound.value
    if name == "@keys":
        return bound.key
    # Device attributes may have any name, so all of them are assumed to have the same maximum size.
    return bound.fields.get(name) or (_ATTRIBUTE if bound.value is _ATTRIBUTE else None)


def validate_selectors(selectors: Sequence[DeviceSelector], path: FieldPath) -> list[FieldError]:
    """Validate device selectors: their number is limited, and each has a CEL expression that returns a bool."""
    return validate_each(selectors, _MOST_SELECTORS, _validate_selector, path)


def _validate_selector(selector: DeviceSelector, path: FieldPath) -> list[FieldError]:
    if selector.cel is None:
        return [required(path.child("cel"))]
    return validate_expression(selector.cel.expression, path.child("cel").child("expression"))


def validate_expression(expression: str, path: FieldPath) -> list[FieldError]:
    """Validate the CEL expression of a device selector.

    Its length and cost are limited, and its result must be a bool or of unknown type.
    """
    if len(expression.encode()) > _MOST_BYTES:
        return [too_long(path, _MOST_BYTES)]
    compiled = selector_environment().compile(expression)
    if isinstance(compiled, CompileError):
        return [invalid(path, expression, compiled.detail)]
    if compiled.result not in (BOOL, ANY):
        return [invalid(path, expression, f"must evaluate to bool or the unknown type, not {compiled.result}")]
    if compiled.cost(size_of).max > MOST_COST:
        return [forbidden(path, "too complex, exceeds cost limit")]
    return []


@cache
def selector_environment() -> Environment:
    """Return the CEL environment of device selectors, which declares the variable ``device``."""
    return base_environment(bindings=True).extended({"device": _DEVICE.type}, [_DEVICE])
