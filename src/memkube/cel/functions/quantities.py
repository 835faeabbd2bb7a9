"""Quantities (apiserver ``pkg/cel/library/quantity.go``, apimachinery ``api/resource``).

Kubernetes stores a number with few digits as an int64 and a scale, and other numbers as an arbitrary-precision decimal.
A number that is stored as such a decimal never counts as an integer, even if it has no fraction.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from memkube.apimachinery.quantity import Amount, Format, Quantity, is_int64_amount
from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.values import MAX_INT, MIN_INT, Opaque

_TOO_FAR_APART: Final = 100_000
"""Maximum difference between the exponents of two quantities that can be added.

A larger difference would need numbers with too many digits.
"""
_NANO: Final = -9
_INT64_DIGITS: Final = 19
_MOST_EXPONENT: Final = 308
_LEAST_EXPONENT: Final = -323
_TYPE: Final = "kubernetes.Quantity"


@dataclass(frozen=True, slots=True, eq=False)
class QuantityValue(Opaque):
    """The number ``mantissa * 10**exponent``. `fits_int64` is true if Kubernetes stores it as an int64 and a scale.

    It is printed as `text` if that is set, otherwise with a suffix of the format `form`. As in Kubernetes, ``==``
    raises EvaluationError if the right operand has another type or is the result of an addition.
    """

    type_name: ClassVar[str] = _TYPE
    mantissa: int
    exponent: int
    fits_int64: bool = True
    form: Format = "DecimalExponent"
    text: str = ""
    is_sum: bool = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuantityValue) or other.is_sum:
            raise no_such_overload()
        return self.compare(other) == 0

    def __hash__(self) -> int:
        return hash((self.sign, self.mantissa and self._digits))

    def __str__(self) -> str:
        return self.text or Amount(self.mantissa, self.exponent, self.form).canonical

    @property
    def _digits(self) -> int:
        """Number of digits before the decimal point; for 0.001, -2: the zeros behind the point count as negative."""
        magnitude = abs(self.mantissa)
        digits: int = int(magnitude.bit_length() * math.log10(2))
        power: int = 10**digits
        return self.exponent + digits + (magnitude >= power)

    @property
    def sign(self) -> int:
        """Sign of the number: -1, 0 or 1."""
        return (self.mantissa > 0) - (self.mantissa < 0)

    @property
    def integer(self) -> int | None:
        """Value as an int64; None if Kubernetes does not treat it as an integer (for example ``1.0``)."""
        if not self.fits_int64 or self.exponent < 0:
            return None
        if not self.mantissa:
            return 0
        if self.exponent >= _MOST_EXPONENT:
            return None
        number: int = self.mantissa * 10**self.exponent
        return number if MIN_INT <= number <= MAX_INT else None

    @property
    def approximate_float(self) -> float:
        """The number as a float. As in Kubernetes, it is rounded twice: the mantissa, and then the product."""
        try:
            base = float(self.mantissa)
        except OverflowError:
            base = math.inf if self.mantissa > 0 else -math.inf
        return base * _power_of_ten(self.exponent) if self.exponent else base

    def compare(self, other: "QuantityValue") -> int:
        """Return -1, 0 or 1 if this quantity is less than, equal to or greater than `other`."""
        if self.sign != other.sign or not self.sign:
            return (self.sign > other.sign) - (self.sign < other.sign)
        if self._digits != other._digits:
            return self.sign if self._digits > other._digits else -self.sign
        one, two, _ = self._aligned(other)
        return (one > two) - (one < two)

    def plus(self, other: "QuantityValue") -> "QuantityValue":
        """Return this quantity plus `other`. Raises EvaluationError if the sum would have too many digits."""
        return self._int64_sum(other) or self._sum(other)

    def minus(self, other: "QuantityValue") -> "QuantityValue":
        """Return this quantity minus `other`. Raises EvaluationError if the difference would have too many digits."""
        opposite = replace(other, mantissa=-other.mantissa)
        # In Go, negating the smallest int64 overflows and yields the same number, so Kubernetes adds that number.
        fits_int64 = other if other.mantissa == MIN_INT else opposite
        return self._int64_sum(fits_int64) or self._sum(opposite)

    def _int64_sum(self, other: "QuantityValue") -> "QuantityValue | None":
        """Return the sum if Kubernetes computes it with int64 numbers; None if it computes it with decimals."""
        if not self.fits_int64 or not other.fits_int64:
            return None
        if not self.mantissa or not other.mantissa:
            kept = other if other.mantissa else self
            return replace(kept, form=other.form if not self.mantissa else self.form, text="", is_sum=True)
        if abs(self.exponent - other.exponent) > _INT64_DIGITS:
            return None
        one, two, least = self._aligned(other)
        if any(not MIN_INT <= number <= MAX_INT for number in (one, two, one + two)):
            return None
        return QuantityValue(one + two, least, form=self.form, is_sum=True)

    def _sum(self, other: "QuantityValue") -> "QuantityValue":
        if abs(self.exponent - other.exponent) > _TOO_FAR_APART:
            raise EvaluationError("the sum of these quantities has too many digits to be computed")
        one, two, least = self._aligned(other)
        return QuantityValue(one + two, least, False, self.form if self.mantissa else other.form, is_sum=True)

    def _aligned(self, other: "QuantityValue") -> tuple[int, int, int]:
        """Return the mantissas of both quantities scaled to a common exponent, and that exponent."""
        least = min(self.exponent, other.exponent)
        one: int = self.mantissa * 10 ** (self.exponent - least)
        two: int = other.mantissa * 10 ** (other.exponent - least)
        return one, two, least


def _power_of_ten(exponent: int) -> float:
    """Return a power of ten as a float, with the rounding of Go's ``math.Pow10``."""
    if exponent > _MOST_EXPONENT:
        return math.inf
    if exponent < _LEAST_EXPONENT:
        return 0.0
    high, low = divmod(abs(exponent), 32)
    if exponent >= 0:
        return float(f"1e{high * 32}") * float(f"1e{low}")
    return float(f"1e-{high * 32}") / float(f"1e{low}")


def quantity(text: str) -> QuantityValue:
    """Parse a resource quantity such as ``500m``. Raises EvaluationError if it is invalid."""
    try:
        amount = Quantity(text).amount
    except ValueError as error:
        raise EvaluationError(str(error)) from None
    written = Quantity.parse(text)
    if is_int64_amount(text):
        return QuantityValue(amount.mantissa, amount.exponent, form=amount.format, text=written)
    is_capped = amount.format == "BinarySI" and abs(amount.mantissa) == MAX_INT
    if is_capped or not amount.mantissa or amount.exponent > _MOST_EXPONENT:
        return QuantityValue(amount.mantissa, amount.exponent, False, amount.format, written)
    # Scale the mantissa, because Kubernetes' decimals have the fixed exponent -9 (nano).
    return QuantityValue(amount.mantissa * 10 ** (amount.exponent - _NANO), _NANO, False, amount.format, written)


def _is_quantity(text: str) -> bool:
    try:
        quantity(text)
    except EvaluationError:
        return False
    return True


def _integer(value: QuantityValue) -> int:
    if value.integer is None:
        raise EvaluationError("cannot convert value to integer")
    return value.integer


def _arithmetic(
    reckon: Callable[[QuantityValue, QuantityValue], QuantityValue],
) -> dict[str, Callable[..., QuantityValue]]:
    return {
        f"{_TYPE}.({_TYPE}): {_TYPE}": reckon,
        f"{_TYPE}.(int): {_TYPE}": lambda value, number: reckon(value, QuantityValue(number, 0)),
    }


QUANTITIES: Final[Implementations] = {
    "quantity": {f"(string): {_TYPE}": quantity},
    "isQuantity": {"(string): bool": _is_quantity},
    "sign": {f"({_TYPE}): int": lambda value: value.sign},
    "isGreaterThan": {f"{_TYPE}.({_TYPE}): bool": lambda one, other: one.compare(other) > 0},
    "isLessThan": {f"{_TYPE}.({_TYPE}): bool": lambda one, other: one.compare(other) < 0},
    "compareTo": {f"{_TYPE}.({_TYPE}): int": QuantityValue.compare},
    "asApproximateFloat": {f"{_TYPE}.(): double": lambda value: value.approximate_float},
    "asInteger": {f"{_TYPE}.(): int": _integer},
    "isInteger": {f"{_TYPE}.(): bool": lambda value: value.integer is not None},
    "add": _arithmetic(QuantityValue.plus),
    "sub": _arithmetic(QuantityValue.minus),
}
