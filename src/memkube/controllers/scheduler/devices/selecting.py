"""CEL expressions that select devices (``dynamic-resource-allocation/cel``)."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.apis.resource.v1.selectors import MOST_COST, selector_environment
from memkube.cel.environment import CompileError
from memkube.cel.errors import EvaluationError, InstantiationError, no_such_overload
from memkube.cel.functions.quantities import quantity
from memkube.cel.functions.semvers import semver
from memkube.cel.program import Budget, Program
from memkube.cel.standard.equality import equal
from memkube.cel.standard.maps import value_of_key
from memkube.cel.values import MISSING, MapValue, Value, kind_of

_KEPT: Final = 256
_KINDS: Final = ("int", "bool", "string")
_UNCONVERTED: Final = {
    "int": "unsupported type conversion from 'int' to bool",
    "string": "unsupported native conversion from string to 'bool'",
    "kubernetes.Semver": "type conversion error from 'Semver' to 'bool'",
}
"""End of cel-go's error message for a device selector whose result is not boolean, by the type of the result."""


class SelectorError(Exception):
    """Raised if a CEL selector cannot be evaluated for a device. The text is the end of kube-scheduler's message."""


class _Domains(MapValue):
    """Attributes or capacities of a device by domain, as a CEL map. It returns an empty map for an unknown domain."""

    __slots__ = ("_domains",)

    def __init__(self, domains: dict[str, dict[Value, Value]]) -> None:
        self._domains = domains

    @property
    def document(self) -> object:
        return self._domains

    def __len__(self) -> int:
        return len(self._domains)

    def __iter__(self) -> Iterator[str]:
        return iter(self._domains)

    def find(self, key: Value) -> Value:
        return self._domains.get(key, {}) if isinstance(key, str) else {}

    def equals(self, other: Value) -> bool:
        if not isinstance(other, dict | MapValue):
            raise no_such_overload()
        if len(self) != len(other):
            return False
        pairs = ((values, value_of_key(other, name)) for name, values in self._domains.items())
        return all(found is not MISSING and equal(values, found) for values, found in pairs)


class DeviceSelectors:
    """Evaluates CEL selectors of devices. Compiled expressions are cached."""

    def __init__(self) -> None:
        self._program: Callable[[str], Program] = lru_cache(_KEPT)(_compiled)

    def matches(self, expression: str, driver: str, device: Document) -> bool:
        """Return True if a CEL expression selects a device of this driver.

        Raises SelectorError if the expression cannot be evaluated or is not boolean.
        """
        program = self._program(expression)
        try:
            variables: dict[str, Value] = {"device": _value(driver, device)}
            result = program.evaluate(variables, Budget(MOST_COST), MOST_COST)
        except EvaluationError as error:
            raise SelectorError(f"CEL runtime error: {error}") from None
        if isinstance(result, bool):
            return result
        kind = kind_of(result)
        why = _UNCONVERTED.get(kind, f"type conversion error from '{kind}' to 'bool'")
        raise SelectorError(f"CEL runtime error: CEL result of type {kind} could not be converted to bool: {why}")


def _compiled(expression: str) -> Program:
    compiled = selector_environment().compile(expression)
    if isinstance(compiled, CompileError):
        raise SelectorError(f"CEL compile error: {compiled.detail}")
    try:
        return Program(compiled)
    except InstantiationError as error:
        raise SelectorError(f"CEL compile error: program instantiation failed: {error}") from None


def _value(driver: str, device: Document) -> Value:
    """Return the value of the variable ``device`` in a CEL selector, for a device of this driver.

    Raises EvaluationError for an attribute without a value.
    """
    attributes = _by_domain(driver, device.get("attributes"), _attribute)
    capacity = _by_domain(driver, device.get("capacity"), lambda _, amount: quantity(amount["value"]))
    return {
        "driver": driver,
        "allowMultipleAllocations": bool(device.get("allowMultipleAllocations")),
        "attributes": _Domains(attributes),
        "capacity": _Domains(capacity),
    }


def _by_domain(
    driver: str, named: Document | None, convert: Callable[[str, Document], Value]
) -> dict[str, dict[Value, Value]]:
    """Return the attributes or capacities in `named` as CEL values, by domain and name.

    `convert` returns the CEL value for a name and its JSON data. Names without a domain belong to the domain that has
    the name of the driver.
    """
    domains: dict[str, dict[Value, Value]] = {}
    for name, one in (named or {}).items():
        domain, separator, identifier = name.partition("/")
        if not separator:
            domain, identifier = driver, name
        domains.setdefault(domain, {})[identifier] = convert(name, one)
    return domains


def _attribute(name: str, attribute: dict[str, Any]) -> Value:
    for kind in _KINDS:
        if attribute.get(kind) is not None:
            return attribute[kind]
    if attribute.get("version") is None:
        raise EvaluationError(f"attribute {name}: unsupported attribute value")
    return semver(attribute["version"])
