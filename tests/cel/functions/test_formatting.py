"""The function ``format`` of strings, with the results of cel-go."""

import pytest

from tests.cel.functions.evaluating import error_of, value_of


@pytest.mark.parametrize(
    ("clause", "argument", "text"),
    [
        ("%%d", "1", "%d"),
        ("%d", "18446744073709551615u", "18446744073709551615"),
        ("%.2f", "1234567.565", "1,234,567.56"),
        ("%f", "-0.0", "0.000000"),
        ("%.0f", "-0.4", "-0"),
        ("%.0f", "2.5", "2"),
        ("%f", "'Infinity'", "∞"),
        ("%f", "double('-Inf')", "-∞"),
        ("%.256f", "0.1", "0.1000000000000000055511151231257827021181583404541015625"),
        ("%.65536f", "0.1", "0"),
        ("%.99999999999f", "0.1", "%!(NOVERB)"),
        ("%e", "1052.032911275", "1.052033×10⁰³"),  # noqa: RUF001
        ("%.2e", "-0.000001052", "-1.052000×10⁻⁰⁶"),  # noqa: RUF001
        ("%.15e", "1.0", "  1.000000×10⁰⁰"),  # noqa: RUF001
        ("%e", "'NaN'", "   NaN"),
        ("%b", "-5", "-101"),
        ("%b", "true", "1"),
        ("%o", "-8", "-10"),
        ("%x", "-255", "-ff"),
        ("%X", "'hé'", "68C3A9"),
        ("%x", "b'hi'", "6869"),
        ("%s", "null", "null"),
        ("%s", "1e21", "1e+21"),
        ("%s", "duration('1h')", "3600s"),
        ("%s", "timestamp('2020-01-01T00:00:00+01:00')", "2020-01-01T00:00:00+01:00"),
        ("%s", "type(duration('1h'))", "google.protobuf.Duration"),
        ("%s", "[dyn('a\"'), b'abc', duration('1.5s'), 1.5, 1u]", '["a\\"", b"abc", duration("1.5s"), 1.500000, 1]'),
        ("%s", "[double('Inf'), double('NaN')]", '["+Inf", "NaN"]'),
        ("%s", "{2: 1, 10: [1]}", "{10:[1], 2:1}"),
        ("%s", "{'b': {}, 'a': null}", '{"a":null, "b":{}}'),
    ],
)
def test_a_clause_writes_its_argument(clause: str, argument: str, text: str) -> None:
    assert value_of(f"'{clause}'.format([{argument}])" if clause != "%%d" else "'%%d'.format([])") == text


@pytest.mark.parametrize(
    ("clause", "argument", "error"),
    [
        ("%d", "1.5", "error during formatting: decimal clause can only be used on integers, was given double"),
        ("%f", "1", "error during formatting: fixed-point clause can only be used on doubles, was given int"),
        ("%e", "'Inf'", "error during formatting: scientific clause can only be used on doubles, was given string"),
        (
            "%b",
            "'a'",
            "error during formatting: only integers and bools can be formatted as binary, was given string",
        ),
        ("%o", "true", "error during formatting: octal clause can only be used on integers, was given bool"),
        (
            "%x",
            "1.5",
            (
                "error during formatting: only integers, byte buffers, and strings can be formatted as hex, "
                "was given double"
            ),
        ),
        ("%s", "[optional.of(1)]", "error during formatting: no formatting function for optional_type"),
        ("%s", "{1.5: 1}", "error during formatting: no formatting function for map key of type double"),
        (
            "%s",
            "b'\\xff'",
            (
                'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string"'
                " to string"
            ),
        ),
        (
            "%s",
            "quantity('1')",
            (
                "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps,"
                " lists, types, durations, and timestamps, was given kubernetes.Quantity"
            ),
        ),
        ("%d %d", "1", "index 1 out of range"),
        ("%", "1", "unexpected end of string"),
        ("%é", "1", 'could not parse formatting clause: unrecognized formatting clause "Ã"'),
        (
            "%.2",
            "1",
            (
                "could not parse formatting clause: error while parsing precision: "
                "could not find end of precision specifier"
            ),
        ),
        (
            "%.f",
            "1.0",
            (
                "could not parse formatting clause: error while parsing precision: error while converting precision to "
                'integer: strconv.Atoi: parsing "": invalid syntax'
            ),
        ),
    ],
)
def test_a_clause_does_not_fit(clause: str, argument: str, error: str) -> None:
    # The arguments are not a list literal, so the type checker cannot check them, and the error is raised at run time.
    assert error_of(f"'{clause}'.format(x.?y.orValue([dyn({argument})]))") == error


def test_values_of_different_types_are_written() -> None:
    assert value_of("'%s %d %s'.format(['a', 1, {'b': [1, 'c']}])") == 'a 1 {"b":[1, "c"]}'
