"""Escaping of property names in expressions."""

import pytest

from memkube.cel.identifiers import escaped, unescaped


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("plain", "plain"),
        ("with-dash", "with__dash__dash"),
        ("a.b/c", "a__dot__b__slash__c"),
        ("a__b", "a__underscores__b"),
        ("a_b", "a_b"),
        ("namespace", "__namespace__"),
        ("in", "__in__"),
        ("while", "__while__"),
        ("_x", "_x"),
    ],
)
def test_names_are_escaped_and_read_back(name: str, written: str) -> None:
    assert escaped(name) == written
    assert unescaped(written) == name


@pytest.mark.parametrize("name", ["", "1a", "a b", "é", "a$"])
def test_some_names_cannot_be_written(name: str) -> None:
    assert escaped(name) is None


@pytest.mark.parametrize("written", ["__unknown__", "a__in__", "__true__x"])
def test_some_escapes_mean_nothing(written: str) -> None:
    assert unescaped(written) is None
