"""Sprig's functions for numbers. The expected texts are those of Sprig 3.3."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('int "0x1f"', "31"),
        ('int "010"', "8"),
        ('int "1.00"', "1"),
        ('int "1.5"', "0"),
        ("int 2.9", "2"),
        ("int .n", "3"),
        ("int .f", "0"),
        ("int true", "1"),
        ("int .z", "0"),
        ('int "abc"', "0"),
        ('int " 5"', "0"),
        ('int64 "5"', "5"),
        ('int "9223372036854775808"', "0"),
        ("int .l", "0"),
        ('float64 "1.5"', "1.5"),
        ("float64 .n", "3"),
        ('float64 "x"', "0"),
        ('float64 "1e400"', "0"),
        ('float64 "inf"', "+Inf"),
        ('float64 "1_0"', "10"),
        ('atoi "12"', "12"),
        ('atoi "+5"', "5"),
        ('atoi "x"', "0"),
        ('atoi "-3"', "-3"),
        ('atoi "1.5"', "0"),
        ('atoi "+-5"', "0"),
        ('atoi "99999999999999999999"', "9223372036854775807"),
        ('atoi "-99999999999999999999"', "-9223372036854775808"),
        ('toDecimal "777"', "511"),
        ("toDecimal 9", "0"),
        ('add 1 2 .n "4"', "10"),
        ("add1 .n", "4"),
        ("sub 5 .n", "2"),
        ("mul 2 .n 4", "24"),
        ("div -7 2", "-3"),
        ("mod -7 3", "-1"),
        ("add", "0"),
        ("max 1 .n 2", "3"),
        ("min 1 .n 2", "1"),
        ("biggest 4 9", "9"),
        ("mul 9223372036854775807 2", "-2"),
        ("add 9223372036854775807 1", "-9223372036854775808"),
        ("add1f 1.5", "2.5"),
        ("addf 1.1 2.2", "3.3"),
        ("subf 5 0.1 2", "2.9"),
        ("mulf 1.1 3", "3.3"),
        ("divf 10 3", "3.3333333333333335"),
        ("divf 2 3", "0.6666666666666667"),
        ("divf -2 3", "-0.6666666666666667"),
        ("maxf 1 2.5 .n", "3"),
        ("minf 1.5 .f 2", "1.5"),
        ("ceil 1.2", "2"),
        ("floor -1.8", "-2"),
        ("round 3.14159 2", "3.14"),
        ("round -1.5 0", "-2"),
        ("round 123.555 2 0.6", "123.55"),
        ("round 12345 -2", "12300"),
        ('round "1.256" 2', "1.26"),
        ("round 2.5 0", "3"),
        ("seq 5", "1 2 3 4 5"),
        ("seq -3", "1 0 -1 -2 -3"),
        ("seq 2 -2", "2 1 0 -1 -2"),
        ("seq 0 2 10", "0 2 4 6 8 10"),
        ("seq 0 -2 -5", "0 -2 -4"),
        ("seq 5 2 0", ""),
        ("seq", ""),
        ("seq 1 2 3 4", ""),
        ("eq 1 (add 0 1)", "true"),
        ("lt (add 1 1) 3", "true"),
        ("index .l (add 1)", "a"),
    ],
)
def test_a_call_has_the_result_of_sprig(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    "call",
    [
        "div 1 0",
        "divf 1 0",
        "round .n (add 1)",
        'addf (float64 "inf")',
    ],
)
def test_arguments_that_sprig_refuses_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
