"""Sprig's functions for values of any type. The expected texts are those of Sprig 3.3."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('default "d" .e', "d"),
        ('default "d" .name', "p"),
        ('default "d"', "d"),
        ("empty .e", "true"),
        ("empty .m", "false"),
        ('coalesce .e .z 0 "x"', "x"),
        ('all 1 .t ""', "false"),
        ("all", "true"),
        ("any 0 .e 1", "true"),
        ("any", "false"),
        ('ternary "y" "n" .t', "y"),
        ("kindOf 1", "int"),
        ('kindOf "a"', "string"),
        ("kindOf 1.5", "float64"),
        ("kindOf .l", "slice"),
        ("kindOf .m", "map"),
        ("kindOf .z", "invalid"),
        ("kindOf true", "bool"),
        ("kindOf .n", "string"),
        ("kindOf (add 1 2)", "int64"),
        ("kindOf now", "struct"),
        ('kindIs "int" 1', "true"),
        ("deepCopy .m", "map[a:1 b:map[c:x d:] e:[]]"),
        ("deepEqual .l .l", "true"),
        ("deepEqual 1 1.0", "false"),
        ('deepEqual .n "3"', "false"),
        ("deepEqual 1 (add 0 1)", "false"),
    ],
)
def test_a_call_has_the_result_of_sprig(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    "call",
    [
        "ternary 1 2 3",
        'fail "no"',
    ],
)
def test_arguments_that_sprig_refuses_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
