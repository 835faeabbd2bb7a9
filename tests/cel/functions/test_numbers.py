"""Functions of quantities and semantic versions, with the results of Kubernetes."""

import pytest

from memkube.cel.values import Value
from tests.cel.functions.evaluating import error_of, value_of

_NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("quantity('10Gi').asInteger()", 10 * 2**30),
        ("quantity('1000m').isInteger() || quantity('1.0').isInteger()", False),
        ("quantity('12345678901234567890').isInteger()", False),
        ("quantity('1').sub(quantity('0.5')).isInteger()", False),
        ("quantity('9223372036854775807').sub(1).isInteger()", False),
        ("quantity('900000000000000000').add(1).asInteger()", 900000000000000001),
        ("quantity('0').sub(-9223372036854775808).asInteger()", -(2**63)),
        ("quantity('-1.6e3').isGreaterThan(quantity('-1.6e3').sub(-9223372036854775808))", False),
        ("quantity('12345678901234567890').asApproximateFloat()", 1.234567890123457e19),
        ("quantity('1e400').asApproximateFloat()", float("inf")),
        ("quantity('500m').asApproximateFloat()", 0.5),
        ("sign(quantity('-1n')) + sign(quantity('0')) + sign(quantity('1E'))", 0),
        ("quantity('1k').compareTo(quantity('1000')) + quantity('1Ki').compareTo(quantity('1k'))", 1),
        ("quantity('1e99999').isGreaterThan(quantity('1E')) && quantity('1').isLessThan(quantity('1.1'))", True),
        ("quantity('1Gi').add(quantity('1Mi')).sub(1).asInteger()", 2**30 + 2**20 - 1),
        ("quantity('1').add(1) == quantity('2')", True),
        ("isQuantity('1.5Gi') && isQuantity('.5') && !isQuantity('1kk') && !isQuantity('') && !isQuantity(' 1')", True),
        ("semver('1.2.3').major() + semver('1.2.3').minor() + semver('1.2.3').patch()", 6),
        ("semver('18446744073709551615.0.0').major()", -1),
        ("semver('1.0.0-alpha.1').compareTo(semver('1.0.0-alpha.beta'))", -1),
        ("semver('1.0.0-rc').isLessThan(semver('1.0.0')) && semver('1.10.0').isGreaterThan(semver('1.9.0'))", True),
        (
            "semver('1.0.0-2').isLessThan(semver('1.0.0-11')) && semver('1.0.0-a.b').isGreaterThan(semver('1.0.0-a'))",
            True,
        ),
        ("semver('1.0.0+a') == semver('1.0.0+b')", True),
        ("semver('v01.02', true) == semver('1.2.0')", True),
        ("isSemver('1.2.3-a+b') && !isSemver('1.2') && isSemver('1', true) && !isSemver('1-a', true)", True),
    ],
)
def test_a_number_comes_to(expression: str, value: Value) -> None:
    assert value_of(expression) == value


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("quantity('x')", _NO_QUANTITY),
        ("quantity(' 1')", _NO_QUANTITY),
        ("quantity('1kk')", "unable to parse quantity's suffix"),
        ("quantity('1m').asInteger()", "cannot convert value to integer"),
        ("quantity('2') == quantity('1').add(1)", "no such overload"),
        ("dyn(quantity('1')) == dyn(1)", "no such overload"),
        ("semver('')", "Version string empty"),
        ("semver('1.2')", "No Major.Minor.Patch elements found"),
        ("semver('a.2.3')", 'Invalid character(s) found in major number "a"'),
        ("semver('1.02.3')", 'Minor number must not contain leading zeroes "02"'),
        ("semver('1..3')", 'strconv.ParseUint: parsing "": invalid syntax'),
        (
            "semver('18446744073709551616.0.0')",
            'strconv.ParseUint: parsing "18446744073709551616": value out of range',
        ),
        ("semver('1.2.3-')", "Prerelease is empty"),
        ("semver('1.2.3-01')", 'Numeric PreRelease version must not contain leading zeroes "01"'),
        ("semver('1.2.3-é')", 'Invalid character(s) found in prerelease "é"'),
        ("semver('1.2.3+a..b')", "Build meta data is empty"),
        ("semver('1.2.3+é')", 'Invalid character(s) found in build meta data "é"'),
        ("semver('1-a', true)", "short version cannot contain PreRelease/Build meta data"),
        ("semver('1.2.3') == dyn('1.2.3')", "no such overload"),
    ],
)
def test_a_number_has_no_value(expression: str, error: str) -> None:
    assert error_of(expression) == error


def test_numbers_too_far_apart_are_not_added() -> None:
    assert error_of("quantity('1e999999').add(1)") == "the sum of these quantities has too many digits to be computed"


def test_numbers_may_be_very_long() -> None:
    assert value_of("quantity(x).add(1).isGreaterThan(quantity('1E'))", {"x": "1" * 5_000})
    assert value_of("quantity(x).asApproximateFloat()", {"x": "1" * 5_000}) == float("inf")
