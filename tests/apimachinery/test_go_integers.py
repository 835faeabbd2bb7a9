import pytest

from memkube.apimachinery.go_integers import parse_int64, parse_prefixed_int64, wrapped_to_int64


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("+007", 7),
        ("-12", -12),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("0" * 5000, 0),
    ],
)
def test_a_64_bit_integer_is_parsed(text: str, number: int) -> None:
    assert parse_int64(text) == number


@pytest.mark.parametrize("text", ["", "-", "x", "1.0", " 1", "1_0", "\u0661"])
def test_other_text_is_invalid_syntax(text: str) -> None:
    with pytest.raises(ValueError, match=r"^strconv\.ParseInt: parsing .*: invalid syntax$"):
        parse_int64(text)


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775809", "9" * 5000])
def test_a_larger_number_is_out_of_range(text: str) -> None:
    with pytest.raises(ValueError, match=r"^strconv\.ParseInt: parsing .*: value out of range$"):
        parse_int64(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-0x1F", -31),
        ("0b_101", 5),
        ("010", 8),
        ("0_7", 7),
        ("0o17", 15),
        ("+1_000", 1000),
        ("0x7fffffffffffffff", 2**63 - 1),
    ],
)
def test_a_prefix_gives_the_base(text: str, number: int) -> None:
    assert parse_prefixed_int64(text) == number


@pytest.mark.parametrize("text", ["", "0x", "08", "0b2", "1__0", "_1", "1_", "0x_", "0xg"])
def test_digits_of_another_base_are_invalid_syntax(text: str) -> None:
    with pytest.raises(ValueError, match=r"^strconv\.ParseInt: parsing .*: invalid syntax$"):
        parse_prefixed_int64(text)


def test_a_larger_number_with_a_prefix_is_out_of_range() -> None:
    with pytest.raises(ValueError, match=r"value out of range$"):
        parse_prefixed_int64("0x8000000000000000")


@pytest.mark.parametrize(("number", "wrapped"), [(5, 5), (2**63, -(2**63)), (-(2**63) - 1, 2**63 - 1), (2**64, 0)])
def test_arithmetic_overflows(number: int, wrapped: int) -> None:
    assert wrapped_to_int64(number) == wrapped
