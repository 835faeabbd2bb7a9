"""Expressions that select devices (``pkg/apis/resource/validation``, ``dynamic-resource-allocation/cel``)."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required, too_long
from memkube.apis.resource.v1.device_rules import validate_each
from memkube.apis.resource.v1.devices import DeviceSelector
from memkube.cel.declarations import Fields
from memkube.cel.environment import CompileError, Environment, base_environment
from memkube.cel.types import ANY, BOOL, STRING, map_of, struct

_MOST_SELECTORS: Final = 32
_MOST_BYTES: Final = 10 * 1024
_DEVICE: Final = Fields(
    "kubernetes.DRADevice",
    {
        "driver": STRING,
        "allowMultipleAllocations": BOOL,
        "attributes": map_of(STRING, map_of(STRING, ANY)),
        "capacity": map_of(STRING, map_of(STRING, struct("kubernetes.Quantity"))),
    },
)


def validate_selectors(selectors: Sequence[DeviceSelector], path: FieldPath) -> list[FieldError]:
    """Each selector has an expression that tells true or false of a device."""
    return validate_each(selectors, _MOST_SELECTORS, _validate_selector, path)


def _validate_selector(selector: DeviceSelector, path: FieldPath) -> list[FieldError]:
    if selector.cel is None:
        return [required(path.child("cel"))]
    return validate_expression(selector.cel.expression, path.child("cel").child("expression"))


def validate_expression(expression: str, path: FieldPath) -> list[FieldError]:
    """The expression compiles, is not too long, and tells true or false, or what no type is known of."""
    if len(expression.encode()) > _MOST_BYTES:
        return [too_long(path, _MOST_BYTES)]
    compiled = _environment().compile(expression)
    if isinstance(compiled, CompileError):
        return [invalid(path, expression, compiled.detail)]
    if compiled.result in (BOOL, ANY):
        return []
    return [invalid(path, expression, f"must evaluate to bool or the unknown type, not {compiled.result}")]


@cache
def _environment() -> Environment:
    return base_environment(bindings=True).extended({"device": _DEVICE.type}, [_DEVICE])
