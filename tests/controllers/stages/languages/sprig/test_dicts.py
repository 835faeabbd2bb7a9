"""Sprig's functions for maps. The expected texts are those of Sprig 3.3."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('dict "a" 1 "b"', "map[a:1 b:]"),
        ('get .m "a"', "1"),
        ('get .m "zz" | quote', '""'),
        ('hasKey .m "b"', "true"),
        ("keys .m | sortAlpha", "[a b e]"),
        ('pluck "a" .m (dict "a" 5) (dict)', "[1 5]"),
        ('pick .m "a" "x"', "map[a:1]"),
        ('omit .m "b" "e"', "map[a:1]"),
        ('values (dict "a" 1)', "[1]"),
        ('dig "b" "c" "no" .m', "x"),
        ('dig "b" "x" "no" .m', "no"),
        ('dig "x" "y" "no" .m', "no"),
        (
            'merge (dict "a" 1 "n" (dict "x" 1) "e" "") (dict "a" 2 "n" (dict "x" 2 "y" 3) "e" "f" "g" 0)',
            "map[a:1 e:f g:0 n:map[x:1 y:3]]",
        ),
        (
            'mergeOverwrite (dict "a" true "b" "x" "l" (list 1)) (dict "a" false "b" "" "l" (list))',
            "map[a:false b: l:[]]",
        ),
        ('merge (dict "a" (list 1)) (dict "a" (list 2 3))', "map[a:[1]]"),
        ('merge (dict "a" (dict)) (dict "a" (dict "b" 1))', "map[a:map[b:1]]"),
        ('mergeOverwrite (dict "a" (dict "b" 1)) (dict "a" 5)', "map[a:5]"),
        ('mergeOverwrite (dict "a" 1) (dict "a" .z)', "map[a:<nil>]"),
        ('mustMerge (dict "a" 1) (dict "b" 2)', "map[a:1 b:2]"),
        ('mustMergeOverwrite (dict "a" 1) (dict "a" 2)', "map[a:2]"),
        ('unset (set (dict "x" 1) "y" 2) "x"', "map[y:2]"),
    ],
)
def test_a_call_has_the_result_of_sprig(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    "call",
    [
        'dig "a" "y" "no" .m',
        'get .l "a"',
    ],
)
def test_arguments_that_sprig_refuses_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
