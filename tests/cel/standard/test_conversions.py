"""Conversions between CEL types, and functions of times."""

import pytest

from memkube.cel.syntax import Unsigned
from memkube.cel.values import Duration, Timestamp, TypeValue, Value
from tests.cel.compiling import errors_of
from tests.cel.evaluating import evaluated, failure_of

SECOND = 10**9


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("int('+5')", 5),
        ("int(-1.9)", -1),
        ("int(5u)", 5),
        ("int(timestamp('1969-12-31T23:59:59.5Z'))", -1),
        ("int(duration('1s'))", SECOND),
        ("uint(1.9)", Unsigned(1)),
        ("double('1e5')", 100000.0),
        ("double('1_000.5')", 1000.5),
        ("bool('T')", True),
        ("string(1.0)", "1"),
        ("string(1000000.0)", "1e+06"),
        ("string(0.0001)", "0.0001"),
        ("string(123456789.0)", "1.23456789e+08"),
        ("string(-0.0)", "-0"),
        ("string(5u)", "5"),
        ("string(b'abc')", "abc"),
        ("bytes('é')", "é".encode()),
        ("string(duration('1.000000001s'))", "1.000000001s"),
        ("string(duration('1000000h'))", "3600000000s"),
        ("string(timestamp('2024-01-01T00:00:00.50+02:00'))", "2024-01-01T00:00:00.5+02:00"),
        ("timestamp(0)", Timestamp(0)),
        ("timestamp('2024-01-01T1:00:00,5Z')", Timestamp(1704070800 * SECOND + SECOND // 2)),
        ("duration('-1h.5s')", Duration(-3600 * SECOND - SECOND // 2)),
        ("duration('1µs')", Duration(1000)),
        ("type(null)", TypeValue("null_type")),
        ("type(timestamp(0))", TypeValue("google.protobuf.Timestamp")),
        ("type(optional.none())", TypeValue("optional_type")),
        ("type(type(1))", TypeValue("type")),
    ],
)
def test_values_are_converted(expression: str, value: Value) -> None:
    found = evaluated(expression)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("int(s)", "type conversion error from 'string' to 'int'"),
        ("int('9223372036854775808' + '')", "type conversion error from 'string' to 'int'"),
        ("double(s)", "type conversion error from 'string' to 'double'"),
        ("bool(s)", "type conversion error from 'string' to 'bool'"),
        ("duration(s)", "type conversion error from 'string' to 'google.protobuf.Duration'"),
        ("timestamp(s)", "type conversion error from 'string' to 'google.protobuf.Timestamp'"),
        (
            "timestamp('2024-02-30T00:00:00Z' + '')",
            "type conversion error from 'string' to 'google.protobuf.Timestamp'",
        ),
        ("uint(n - 6)", "unsigned integer overflow"),
        ("int(object.a.half * 1e20)", "integer overflow"),
        ("string(b'\\xff' + b'')", "invalid UTF-8 in bytes, cannot convert to string"),
        ("int(object.a.none)", "no such overload: int(null_type)"),
        ("timestamp('9999-12-31T23:59:59Z') + duration('1s')", "timestamp overflow"),
        ("timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')", "integer overflow"),
    ],
)
def test_what_cannot_be_converted_is_told(expression: str, why: str) -> None:
    assert failure_of(expression) == why


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("getFullYear()", 2024),
        ("getMonth()", 1),
        ("getDayOfMonth()", 28),
        ("getDate()", 29),
        ("getDayOfYear()", 59),
        ("getDayOfWeek()", 4),
        ("getHours()", 23),
        ("getMilliseconds()", 123),
        ("getHours('America/New_York')", 18),
        ("getDate('Asia/Tokyo')", 1),
        ("getMinutes('+05:30')", 0),
        ("getHours('-02:30')", 21),
        ("getHours('')", 23),
    ],
)
def test_moments_have_parts_in_any_zone(part: str, value: int) -> None:
    assert evaluated(f"timestamp('2024-02-29T23:30:59.123456Z').{part}") == value


@pytest.mark.parametrize(
    ("zone", "why"),
    [
        ("Nope", "unknown time zone Nope"),
        ("../x", "time: invalid location name"),
        ("x:1", 'strconv.Atoi: parsing "x": invalid syntax'),
    ],
)
def test_zones_that_there_are_not_are_told(zone: str, why: str) -> None:
    assert failure_of(f"timestamp(n).getHours('{zone}')") == why


def test_durations_have_whole_parts() -> None:
    assert evaluated("duration('-90m').getHours()") == -1
    assert evaluated("duration('90m').getMinutes()") == 90
    assert evaluated("duration('1.5s').getMilliseconds()") == 1500


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        ("timestamp(253402300800)", "timestamp"),
        ("timestamp('x')", "timestamp"),
        ("duration(5)", "duration"),
        ("duration('1d')", "duration"),
        ("s.matches('(')", "matches"),
    ],
)
def test_literals_without_a_value_do_not_compile(expression: str, function: str) -> None:
    (issue,) = errors_of(expression)
    assert issue.endswith(f"invalid {function} argument")
