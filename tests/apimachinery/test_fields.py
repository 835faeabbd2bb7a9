import pytest

from memkube.apimachinery import fields
from memkube.apimachinery.fields import FieldRequirement


@pytest.mark.parametrize(
    ("text", "requirements"),
    [
        ("metadata.name=a", [FieldRequirement("metadata.name", "=", "a")]),
        ("metadata.name==a", [FieldRequirement("metadata.name", "=", "a")]),
        ("metadata.name!=a", [FieldRequirement("metadata.name", "!=", "a")]),
        ("b=1,a=2", [FieldRequirement("a", "=", "2"), FieldRequirement("b", "=", "1")]),
        (",a=2,", [FieldRequirement("a", "=", "2")]),
        ("a=!b", [FieldRequirement("a", "=", "!b")]),
        (r"a=1\,2\=3\\", [FieldRequirement("a", "=", r"1,2=3" + "\\")]),
        (" a = b ", [FieldRequirement(" a ", "=", " b ")]),
        ("=a", [FieldRequirement("", "=", "a")]),
    ],
)
def test_a_selector_reads_as_its_requirements(text: str, requirements: list[FieldRequirement]) -> None:
    assert list(fields.parse(text).requirements) == requirements


@pytest.mark.parametrize("text", ["", ",", "=", "==", "!="])
def test_a_selector_that_says_nothing_selects_everything(text: str) -> None:
    selector = fields.parse(text)
    assert not selector.requirements
    assert selector.matches({"metadata.name": "a"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name", "invalid selector: 'name'; can't understand 'name'"),
        ("a=1,!name", "invalid selector: 'a=1,!name'; can't understand '!name'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        ("a===b", "invalid field selector: unescaped character in value: 61"),
        (r"a=\b", r"invalid field selector: invalid escape sequence: \b"),
        ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_what_cannot_be_parsed_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        fields.parse(text)
    assert str(caught.value) == message


def test_every_requirement_must_be_met() -> None:
    selector = fields.parse("a=1,b!=2")
    assert selector.matches({"a": "1", "b": "3"})
    assert not selector.matches({"a": "1", "b": "2"})


def test_a_missing_field_reads_as_empty() -> None:
    assert fields.parse("a=").matches({})
    assert not fields.parse("a!=").matches({})


def test_the_exact_value_is_what_an_equality_asks_for() -> None:
    selector = fields.parse("a=1,b!=2")
    assert selector.exact_value("a") == "1"
    assert selector.exact_value("b") is None


def test_one_term_takes_any_value() -> None:
    assert fields.equals("metadata.name", "a=,b").matches({"metadata.name": "a=,b"})
