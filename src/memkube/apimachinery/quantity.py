"""Quantities: exact fixed-point numbers with a suffix, such as ``500m`` or ``1Gi``.

As in Kubernetes, a quantity keeps the text that the client sent if this text is close enough to the canonical one;
otherwise the canonical text replaces it. Source: apimachinery's ``api/resource``.
"""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal, NamedTuple, Self, TypeAlias

Format: TypeAlias = Literal["DecimalSI", "BinarySI", "DecimalExponent"]

_PATTERN: Final = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"
_FORM: Final = re.compile(r"([+-]?)0*([0-9]*)(?:(\.)([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX: Final = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX: Final = {exponent: suffix for suffix, exponent in _BINARY.items()}
_MAX_INT64: Final = 2**63 - 1
_NANO: Final = -9
_MILLI: Final = -3
_INT64_DIGITS: Final = 18
_LONG: Final = 4000
_PLAIN: Final = 10**_LONG
"""Smallest number with more than `_LONG` digits."""
_LARGEST_EXPONENT: Final = 4096
"""Largest exponent that comparisons use: larger exponents are reduced to it, to limit the cost of comparisons."""


class Amount(NamedTuple):
    """The number ``mantissa * 10**exponent``, and the format of its suffix."""

    mantissa: int
    exponent: int
    format: Format

    @property
    def canonical(self) -> str:
        """Canonical text of the amount: with the largest suffix that needs no fraction."""
        if self.mantissa == 0:
            return "0"
        whole, rest = divmod(self.mantissa, 10**-self.exponent) if self.exponent < 0 else (self.mantissa, 0)
        if self.format == "BinarySI" and rest == 0 and abs(whole) >= 1024:
            return _binary_text(whole)
        return _decimal_text(self)

    def rounded_up(self, exponent: int) -> "Amount":
        """Return the amount rounded away from zero to a multiple of ``10**exponent``."""
        if self.exponent >= exponent:
            return self
        quotient, rest = divmod(abs(self.mantissa), 10 ** (exponent - self.exponent))
        magnitude = quotient + (rest > 0)
        return Amount(magnitude if self.mantissa > 0 else -magnitude, exponent, self.format)


class Quantity(str):
    """The text of a resource.Quantity, such as ``500m``.

    ``==`` compares the texts; to compare amounts, compare `nano`.
    """

    __slots__ = ()

    @classmethod
    def parse(cls, value: object) -> Self:
        """Parse a quantity that a client sent as a string or number.

        Raises ValueError with Kubernetes' message if the text is not a quantity.
        """
        if value is None:
            return cls("0")
        return cls(_read((value if isinstance(value, str) else str(value)).strip())[0])

    @classmethod
    def of(cls, nano: int, form: Format = "DecimalSI") -> Self:
        """Return the quantity of `nano` billionths, written in canonical form with a suffix of the format `form`."""
        return cls(Amount(nano, _NANO, form).canonical)

    @property
    def amount(self) -> Amount:
        """Exact number that the quantity stands for, with the format of its suffix."""
        return _read(self)[1]

    @property
    def nano(self) -> int:
        """Exact amount of the quantity in billionths."""
        return _read(self)[2]

    @property
    def milli_value(self) -> int:
        """Amount of the quantity in thousandths, rounded up."""
        return -(-self.nano // 10**6)

    @property
    def value(self) -> int:
        """Amount of the quantity in whole units, rounded up."""
        return -(-self.nano // 10**9)

    def plus(self, other: "Quantity") -> "Quantity":
        """Return the sum of two quantities.

        The sum has the format of this quantity, or that of `other` if this quantity is zero.
        """
        form = self.amount.format if self.nano else other.amount.format
        return Quantity.of(self.nano + other.nano, form)

    def minus(self, other: "Quantity") -> "Quantity":
        """Return the difference of two quantities.

        The difference has the format of this quantity, or that of `other` if this quantity is zero.
        """
        form = self.amount.format if self.nano else other.amount.format
        return Quantity.of(self.nano - other.nano, form)

    def rounded_up_to_milli(self) -> "Quantity":
        """Return this quantity rounded up to thousandths. If it needs no rounding, its text is unchanged."""
        amount = _read(self)[1]
        return self if amount.exponent >= _MILLI else Quantity(amount.rounded_up(_MILLI).canonical)


def is_int64_amount(text: str) -> bool:
    """True if Kubernetes stores the quantity as an int64 and a scale instead of an arbitrary-precision decimal."""
    match = _FORM.fullmatch(text)
    if match is None:
        return False
    sign, whole, _, fraction, suffix = match.groups()
    digits = _integer(f"{whole or 0}{fraction or ''}") * (-1 if sign == "-" else 1)
    return _int64_amount(whole or "0", fraction or "", digits, *_suffix(suffix)) is not None


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[str, Amount, int]:
    """Parse a quantity. Return the text that Kubernetes stores, the exact amount, and the amount in billionths."""
    match = _FORM.fullmatch(text) if text else None
    if match is None:
        raise ValueError(f"quantities must match the regular expression '{_PATTERN}'")
    sign, whole, _, fraction, suffix = match.groups()
    whole, fraction = whole or "0", fraction or ""
    form, exponent = _suffix(suffix)
    digits = _integer(whole + fraction) * (-1 if sign == "-" else 1)
    amount = _int64_amount(whole, fraction, digits, form, exponent)
    if amount is None:
        amount = _bounded_amount(digits, len(fraction), form, exponent)
        written = amount.canonical
    else:
        kept = _keeps_text(whole + fraction, abs(digits), form, amount.exponent)
        written = text if kept else amount.canonical
    return written, amount, amount.mantissa * 10 ** (min(amount.exponent, _LARGEST_EXPONENT) - _NANO)


def _integer(digits: str) -> int:
    # int() refuses strings of more than 4,300 digits; Decimal accepts them.
    return int(digits) if len(digits) < _LONG else int(Decimal(digits))


def _text(number: int) -> str:
    return str(number) if -_PLAIN < number < _PLAIN else f"{Decimal(number):f}"


def _suffix(suffix: str) -> tuple[Format, int]:
    if suffix in _DECIMAL:
        return "DecimalSI", _DECIMAL[suffix]
    if suffix in _BINARY:
        return "BinarySI", _BINARY[suffix]
    if len(suffix) > 1 and suffix[0] in "eE" and re.fullmatch(r"[+-]?[0-9]{1,9}", suffix[1:]):
        return "DecimalExponent", int(suffix[1:])
    raise ValueError("unable to parse quantity's suffix")


def _int64_amount(whole: str, fraction: str, digits: int, form: Format, exponent: int) -> Amount | None:
    """Return the amount of a quantity if Kubernetes stores it as an int64; None if as an arbitrary-precision decimal.

    `whole` and `fraction` are the digits before and after the decimal point, and `digits` is the signed number without
    the point. `form` and `exponent` are the format of the suffix and the power of 2 or 10 that it stands for.
    """
    if form == "BinarySI":
        if fraction or len(whole) + exponent * 3 // 10 + 1 > 15 or abs(digits) << exponent > _MAX_INT64:
            return None
        return Amount(digits << exponent, 0, form)
    scale = exponent - len(fraction)
    if len(whole) + len(fraction) > _INT64_DIGITS or scale < _NANO:
        return None
    return Amount(digits, scale, form)


def _keeps_text(digits: str, magnitude: int, form: Format, exponent: int) -> bool:
    if form == "BinarySI":
        return magnitude & 7 != 0
    return digits[0] != "0" and exponent % 3 == 0 and not digits.endswith("000")


def _bounded_amount(digits: int, places: int, form: Format, exponent: int) -> Amount:
    """Return the amount of a quantity that Kubernetes does not store as an int64.

    `digits` is the signed number without the decimal point, and `places` is the number of digits after the point.
    `form` and `exponent` are from the suffix. The amount is rounded up to billionths; with a binary suffix, it is also
    limited to the largest int64.
    """
    if form != "BinarySI":
        return Amount(digits, exponent - places, form).rounded_up(_NANO)
    amount = Amount(digits << exponent, -places, form).rounded_up(_NANO)
    magnitude, unit = abs(amount.mantissa), 10**-amount.exponent
    if magnitude > _MAX_INT64 * unit:
        return Amount(_MAX_INT64 if digits > 0 else -_MAX_INT64, 0, form)
    return Amount(amount.mantissa, amount.exponent, "DecimalSI") if 0 < magnitude < unit else amount


def _binary_text(whole: int) -> str:
    exponent = 0
    while whole % 1024 == 0 and exponent < 60:
        whole //= 1024
        exponent += 10
    return f"{_text(whole)}{_BINARY_SUFFIX.get(exponent, '')}"


def _decimal_text(amount: Amount) -> str:
    mantissa, exponent = amount.mantissa, amount.exponent
    while mantissa % 10 == 0:
        mantissa //= 10
        exponent += 1
    surplus = exponent % 3
    mantissa, exponent = mantissa * 10**surplus, exponent - surplus
    if amount.format == "DecimalExponent":
        return f"{_text(mantissa)}e{exponent}" if exponent else _text(mantissa)
    return f"{_text(mantissa)}{_DECIMAL_SUFFIX.get(exponent, '')}"
