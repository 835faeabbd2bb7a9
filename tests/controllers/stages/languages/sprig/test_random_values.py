"""Sprig's functions whose results are random."""

import random

import pytest

from memkube.controllers.stages.languages.sprig.random_values import RandomFunctions
from memkube.controllers.stages.languages.template_values import TemplateError
from tests.controllers.stages.languages.rendering import rendered


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("randInt 10 20", "15"),
        ("randAlpha 3", "AAA"),
        ("randAlphaNum 2", "FF"),
        ("randNumeric 2", "55"),
        ("randAscii 2", "OO"),
        ("randBytes 3", "gICA"),
        ("uuidv4", "80000000-0000-4000-8000-000000000000"),
    ],
)
def test_a_call_draws_its_result(call: str, expected: str) -> None:
    assert rendered(f"{{{{ {call} }}}}") == expected


def test_shuffled_texts_have_the_same_letters() -> None:
    generator = random.Random(5)
    shuffled = RandomFunctions(generator.randrange).functions["shuffle"].call("abcdefgh")
    assert shuffled != "abcdefgh"
    assert sorted(shuffled) == list("abcdefgh")


@pytest.mark.parametrize("call", ["randInt 5 5", "randAlpha .n", "randAlpha 5000000"])
def test_invalid_arguments_are_errors(call: str) -> None:
    with pytest.raises(TemplateError, match="error calling"):
        rendered(f"{{{{ {call} }}}}")
