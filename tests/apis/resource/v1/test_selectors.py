"""CEL expressions that select devices."""

from typing import Final

import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.resource.v1.selectors import selector_environment, size_of, validate_expression
from memkube.cel.environment import CompileError

X: Final = FieldPath("x")


def errors_of(expression: str) -> list[str]:
    """Validate an expression. Return the error messages."""
    return [str(error) for error in validate_expression(expression, X)]


@pytest.mark.parametrize(
    "expression",
    [
        'device.driver == "gpu.example.com"',
        'device.attributes["gpu.example.com"].fast',
        'device.attributes["gpu.example.com"].model == "a" && device.allowMultipleAllocations',
        'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Gi"))',
        'cel.bind(gpu, device.attributes["gpu.example.com"], gpu.fast && gpu.small)',
    ],
)
def test_devices_are_selected_by_what_they_have(expression: str) -> None:
    assert errors_of(expression) == []


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("device.driver", "must evaluate to bool or the unknown type, not string"),
        ("dyn(true)", "must evaluate to bool or the unknown type, not dyn"),
        ("device.capacity", "not map(string, map(string, kubernetes.Quantity))"),
        ("device.name", "undefined field 'name'"),
        ("object.x", "undeclared reference to 'object' (in container '')"),
        ('device.attributes["a"].b.includes(1)', "undeclared reference to 'includes' (in container '')"),
    ],
)
def test_other_expressions_are_refused(expression: str, why: str) -> None:
    (error,) = errors_of(expression)
    assert why in error


def test_expressions_have_a_limit() -> None:
    assert errors_of("true".rjust(10240)) == []
    assert errors_of("true".rjust(10241)) == ["x: Too long: may not be more than 10240 bytes"]


@pytest.mark.parametrize(
    ("expression", "most"),
    [
        ("true", 0),
        ('device.driver == ""', 2),
        ('device.driver == "dra.example.com"', 4),
        ('"dra.example.com" in device.attributes', 3),
        ('device.attributes["dra.example.com"].name', 4),
        ('device.attributes["dra.example.com"]["name"]', 4),
        ('device.attributes["dra.example.com"].name > 0', 5),
        ('device.attributes["dra.example.com"].name == "fish"', 5),
        ('device.attributes["dra.example.com"].name.isGreaterThan(quantity("0"))', 6),
        ('cel.bind(dra, device.attributes["dra.example.com"], dra.name)', 15),
    ],
)
def test_what_they_cost_is_known_from_what_devices_can_be(expression: str, most: int) -> None:
    compiled = selector_environment().compile(expression)
    assert not isinstance(compiled, CompileError)
    assert compiled.cost(size_of).max == most


def test_expressions_that_cost_too_much_are_forbidden() -> None:
    twice = "device.attributes.all(a, device.attributes.all(b, {}))"
    thrice = twice.format("device.attributes.all(c, device.driver.matches(a + b + c))")
    assert errors_of(twice.format("device.driver.matches(a + b)")) == []
    assert errors_of(thrice) == ["x: Forbidden: too complex, exceeds cost limit"]
