import pytest

from memkube.apimachinery.go_integers import parse_int64


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
