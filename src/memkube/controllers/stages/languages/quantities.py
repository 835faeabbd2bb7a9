"""Quantities and lists of resources in CEL expressions of Stages (KWOK's ``pkg/utils/cel``).

They differ from those in Kubernetes' own expressions: they have operators instead of methods such as ``isLessThan``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from memkube.apimachinery.go_integers import truncated_to_int64, wrapped_to_int64
from memkube.apimachinery.quantity import Quantity
from memkube.cel.declarations import Signatures
from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.standard import operators
from memkube.cel.syntax import Unsigned
from memkube.cel.values import MapValue, Opaque, Value

QUANTITY: Final = "cel.Quantity"
"""Name of the type of quantities for type checking, which easycel derives from the name of KWOK's Go type."""
RESOURCE_LIST: Final = "cel.ResourceList"
"""Name of the type of lists of resources for type checking."""
_NANO_PER_MILLI: Final = 10**6
_NANO: Final = 10**9


@dataclass(frozen=True, slots=True, eq=False)
class StageQuantity(Opaque):
    """A quantity of a resource, in billionths."""

    type_name: ClassVar[str] = "kubernetes.Quantity"
    """Name of the type at run time."""
    nano: int

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StageQuantity):
            raise no_such_overload()
        return self.nano == other.nano

    def __hash__(self) -> int:
        return hash(self.nano)

    def scaled(self, by: Value, *, divides: bool) -> "StageQuantity":
        """Return this quantity multiplied or divided by a number, in whole thousandths as in KWOK.

        Raises EvaluationError if `by` is not a number, or if this quantity is divided by the integer 0.
        """
        if isinstance(by, float):
            amount = self.nano / _NANO
            amount = _quotient(amount, by) if divides else amount * by
            return StageQuantity(truncated_to_int64(amount * 1000) * _NANO_PER_MILLI)
        if isinstance(by, bool) or not isinstance(by, int | Unsigned):
            raise no_such_overload()
        if divides and not by:
            raise EvaluationError("internal error: runtime error: integer divide by zero")
        milli = -(-self.nano // _NANO_PER_MILLI)
        size = abs(milli) // abs(by) if divides else abs(milli * by)
        result = size if (milli < 0) == (by < 0) else -size
        return StageQuantity(wrapped_to_int64(result) * _NANO_PER_MILLI)


def _quotient(amount: float, by: float) -> float:
    try:
        return amount / by
    except ZeroDivisionError:
        return float("nan")


def stage_quantity(text: Value) -> StageQuantity:
    """Parse a quantity such as ``500m``. Raises EvaluationError if the text is not a quantity."""
    assert isinstance(text, str)
    try:
        return StageQuantity(Quantity(text).nano)
    except ValueError as error:
        raise EvaluationError(str(error)) from None


class ResourceAmounts(MapValue):
    """A list of resources, such as ``status.allocatable`` of a Node. A resource that is not in it has the amount 0."""

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[str, str]) -> None:
        self._data = data

    @property
    def document(self) -> Mapping[str, str]:
        return self._data

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def find(self, key: Value) -> Value:
        if not isinstance(key, str):
            raise no_such_overload()
        return stage_quantity(self._data.get(key, "0"))

    def has(self, key: Value) -> bool:
        if not isinstance(key, str):
            raise no_such_overload()
        return key in self._data

    def equals(self, other: Value) -> bool:
        if not isinstance(other, ResourceAmounts):
            raise no_such_overload()
        return self._amounts() == other._amounts()

    def _amounts(self) -> dict[str, StageQuantity]:
        return {name: stage_quantity(text) for name, text in self._data.items()}


def _arithmetic(
    compute: Callable[[StageQuantity, Value], Value], usual: Callable[[Value, Value], Value]
) -> Callable[[Value, Value], Value]:
    return lambda one, other: compute(one, other) if isinstance(one, StageQuantity) else usual(one, other)


def _comparison(
    decide: Callable[[int, int], bool], usual: Callable[[Value, Value], Value]
) -> Callable[[Value, Value], Value]:
    def compare(one: Value, other: Value) -> Value:
        return decide(one.nano, _amount(other).nano) if isinstance(one, StageQuantity) else usual(one, other)

    return compare


def _amount(value: Value) -> StageQuantity:
    if not isinstance(value, StageQuantity):
        raise no_such_overload()
    return value


def _negated(value: Value) -> Value:
    return StageQuantity(-value.nano) if isinstance(value, StageQuantity) else operators.negate(value)


_SUM: Final = f"({QUANTITY}, dyn): {QUANTITY}"
_ORDER: Final = f"({QUANTITY}, dyn): int"
OPERATORS: Final[Signatures] = {
    "_+_": (_SUM,),
    "_-_": (_SUM,),
    "_*_": (_SUM,),
    "_/_": (_SUM,),
    "-_": (f"({QUANTITY}): {QUANTITY}",),
    # In KWOK, comparisons of quantities have the declared type int, although their results are booleans.
    "_<_": (_ORDER,),
    "_<=_": (_ORDER,),
    "_>_": (_ORDER,),
    "_>=_": (_ORDER,),
    "_[_]": (f"({RESOURCE_LIST}, dyn): dyn",),
    "size": (f"({RESOURCE_LIST}): int",),
    "@in": (f"(dyn, {RESOURCE_LIST}): bool",),
}
"""Overloads of CEL's operators and functions for quantities and lists of resources."""
FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "_+_": _arithmetic(lambda one, other: StageQuantity(one.nano + _amount(other).nano), operators.add),
    "_-_": _arithmetic(lambda one, other: StageQuantity(one.nano - _amount(other).nano), operators.subtract),
    "_*_": _arithmetic(lambda one, by: one.scaled(by, divides=False), operators.multiply),
    "_/_": _arithmetic(lambda one, by: one.scaled(by, divides=True), operators.divide),
    "-_": _negated,
    "_<_": _comparison(lambda one, other: one < other, operators.less),
    "_<=_": _comparison(lambda one, other: one <= other, operators.less_or_equal),
    "_>_": _comparison(lambda one, other: one > other, operators.greater),
    "_>=_": _comparison(lambda one, other: one >= other, operators.greater_or_equal),
}
"""Implementations of operators for operands of any type, quantities among them."""
