from decimal import ROUND_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkube.apimachinery.quantity import Quantity

SUFFIXES = {
    "n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "": Decimal(1),
    "k": Decimal(10**3), "M": Decimal(10**6), "G": Decimal(10**9), "T": Decimal(10**12),
    "Ki": Decimal(2**10), "Mi": Decimal(2**20), "Gi": Decimal(2**30), "Ti": Decimal(2**40),
}  # fmt: skip
NUMBERS = st.decimals(min_value=-(10**6), max_value=10**6, places=3).map(str)


def parsed_decimal(number: str, suffix: str) -> Decimal:
    return (Decimal(number) * SUFFIXES[suffix]).quantize(Decimal("1e-9"), ROUND_UP)


@given(NUMBERS, st.sampled_from(sorted(SUFFIXES)))
def test_a_value_is_exact_to_a_billionth_and_rounded_away_from_zero(number: str, suffix: str) -> None:
    assert Decimal(Quantity.parse(number + suffix).nano).scaleb(-9) == parsed_decimal(number, suffix)


@given(NUMBERS, st.sampled_from(sorted(SUFFIXES)))
def test_writing_a_quantity_loses_nothing(number: str, suffix: str) -> None:
    quantity = Quantity.parse(number + suffix)
    assert Quantity.parse(str(quantity)).nano == quantity.nano
    assert Quantity(quantity.amount.canonical).nano == quantity.nano


@given(NUMBERS, NUMBERS)
def test_sums_and_differences_are_those_of_the_values(left: str, right: str) -> None:
    one, other = Quantity.parse(left), Quantity.parse(right)
    assert one.plus(other).nano == one.nano + other.nano
    assert one.minus(other).nano == one.nano - other.nano


@pytest.mark.parametrize("text", ["+1", "01Gi", "5.", "1.500", "100m", "1e3", "12E", "1Ei", "7Gi"])
def test_text_that_needs_no_canonical_form_stays(text: str) -> None:
    assert Quantity.parse(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1.5Gi", "1536Mi"),
        ("1024Mi", "1Gi"),
        ("1000m", "1"),
        ("0.5", "500m"),
        ("-0", "0"),
        ("+", "0"),
        ("Gi", "0"),
        ("2000k", "2M"),
        ("1.1Ki", "1126400m"),
        ("0.5Ki", "512"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("8Ei", "9223372036854775807"),
        ("-8Ei", "-9223372036854775807"),
        (" 1 ", "1"),
    ],
)
def test_other_text_is_brought_to_its_canonical_form(text: str, written: str) -> None:
    assert Quantity.parse(text) == written


@pytest.mark.parametrize("text", ["", "abc", "1.2.3", "1Gib", "1 Gi", "٣"])
def test_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="quantities must match the regular expression"):
        Quantity.parse(text)


@pytest.mark.parametrize("text", ["1e", "--1", "1KiKi", "1e1.5", "1EE"])
def test_an_unknown_suffix_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="quantit"):
        Quantity.parse(text)


def test_a_missing_quantity_is_zero() -> None:
    assert Quantity.parse(None) == "0"


def test_a_huge_exponent_costs_no_time() -> None:
    assert Quantity.parse("1e999999999").nano > Quantity.parse("1E").nano


@pytest.mark.parametrize(
    ("text", "whole", "milli"), [("1500m", 2, 1500), ("-1500m", -1, -1500), ("1u", 1, 1), ("2Ki", 2048, 2048000)]
)
def test_whole_values_are_rounded_up(text: str, whole: int, milli: int) -> None:
    assert Quantity.parse(text).value == whole
    assert Quantity.parse(text).milli_value == milli


@pytest.mark.parametrize(("text", "rounded"), [("100m", "100m"), ("100u", "1m"), ("1500u", "2m"), ("01Gi", "01Gi")])
def test_rounding_to_thousandths_keeps_coarser_text(text: str, rounded: str) -> None:
    assert Quantity.parse(text).rounded_up_to_milli() == rounded


def test_a_sum_takes_the_format_of_its_first_nonzero_part() -> None:
    assert Quantity.parse("1Ki").plus(Quantity.parse("1024")) == "2Ki"
    assert Quantity.parse("0").plus(Quantity.parse("1Ki")) == "1Ki"
