"""Sprig's functions for regular expressions. The expected texts are those of Sprig 3.3."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('regexMatch "^a.c$" "abc"', "true"),
        ('regexMatch "(" "a"', "false"),
        ('mustRegexMatch "a" "a"', "true"),
        ('regexFind "x" "abc" | quote', '""'),
        ('regexFindAll "[2,4,6,8]" "123456789" -1', "[2 4 6 8]"),
        ('regexFindAll "[0-9]" "123" 2', "[1 2]"),
        ('regexFindAll "a*" "baaab" -1 | len', "3"),
        ('regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W"', "-W-xxW-"),
        ('regexReplaceAll "a(x*)b" "-ab-axxb-" "$1W"', "---"),
        ('regexReplaceAll "(?P<x>b)" "abc" "<$x>$$"', "a<b>$c"),
        ('regexReplaceAll "x*" "abc" "-"', "-a-b-c-"),
        ('regexReplaceAllLiteral "a(x*)b" "-ab-axxb-" "${1}"', "-${1}-${1}-"),
        ('regexQuoteMeta "1.2.3*[a]"', "1\\.2\\.3\\*\\[a\\]"),
        ('regexSplit "z+" "pizza" -1', "[pi a]"),
        ('regexSplit "z+" "pizzazoo" 2', "[pi azoo]"),
        ('regexSplit "" "abc" -1', "[a b c]"),
        ('regexSplit "a" "a" -1', "[ ]"),
        ('regexSplit "z" "" -1 | len', "1"),
        ('regexSplit "b" "banana" 0 | len', "0"),
        ('mustRegexSplit "a" "xay" -1', "[x y]"),
    ],
)
def test_a_call_has_the_result_of_sprig(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    "call",
    [
        'regexFind "(" "a"',
        'mustRegexMatch "(" "a"',
        'regexFindAll "a" "a" (add 1)',
    ],
)
def test_arguments_that_sprig_refuses_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
