"""Sprig's functions for lists. The expected texts are those of Sprig 3.3."""

import pytest

from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("compact .l", "[b a b 3]"),
        ("uniq .l", "[b a <nil> 3]"),
        ('uniq (list 1 true 1.0 (list 1) (list 1) (dict "a" 1) (dict "a" 1))', "[1 true 1 [1] map[a:1]]"),
        ("uniq (until 100000) | len", "100000"),
        ('without .l "b"', "[a <nil> 3]"),
        ('has "a" .l', "true"),
        ("has 3 .l", "false"),
        ('has "x" .z', "false"),
        ("first .l", "b"),
        ("last .l", "3"),
        ("rest .l", "[a b <nil> 3]"),
        ("initial .l", "[b a b <nil>]"),
        ("reverse .l", "[3 <nil> b a b]"),
        ("first (list)", "<no value>"),
        ("rest (list)", "[]"),
        ('append .l "q"', "[b a b <nil> 3 q]"),
        ("push .l 1", "[b a b <nil> 3 1]"),
        ("prepend .l 1", "[1 b a b <nil> 3]"),
        ("concat .l (list 1 2)", "[b a b <nil> 3 1 2]"),
        ("tuple 1 2", "[1 2]"),
        ("slice .l 1 3", "[a b]"),
        ("slice .l 2", "[b <nil> 3]"),
        ("slice (list) 1", "<no value>"),
        ("chunk 2 .l", "[[b a] [b <nil>] [3]]"),
        ("chunk 3 (list)", "[]"),
        ("mustFirst .l", "b"),
        ("mustUniq .l", "[b a <nil> 3]"),
        ('mustHas "a" .l', "true"),
        ("mustSlice .l 0 1", "[b]"),
        ("mustChunk 4 .l", "[[b a b <nil>] [3]]"),
        ("toStrings .l", "[b a b 3]"),
        ('toStrings "x"', "[x]"),
        ("toStrings .z", "[]"),
        ('join "-" .l', "b-a-b-3"),
        ('join "-" "x"', "x"),
        ("sortAlpha .l", "[3 a b b]"),
        ("until 3", "[0 1 2]"),
        ("until -3", "[0 -1 -2]"),
        ("untilStep 0 10 3", "[0 3 6 9]"),
        ("untilStep 3 0 -1", "[3 2 1]"),
        ("untilStep 0 3 0", "[]"),
        ("until (int .n)", "[0 1 2]"),
    ],
)
def test_a_call_has_the_result_of_sprig(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


@pytest.mark.parametrize(
    "call",
    [
        'first "x"',
        "slice .l 3 9",
        "until .n",
        "until (add 1 2)",
        "chunk (add 1) .l",
    ],
)
def test_arguments_that_sprig_refuses_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
