from typing import Any

import pytest
import yaml

from memkube.endpoints.responses.yaml_text import to_yaml


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("*", "'*'"),
        ("&", "'&'"),
        ("!", "'!'"),
        ("=", "="),
        ("<<", "<<"),
        ("~", '"~"'),
        ("null", '"null"'),
        ("a", "a"),
        ("", '""'),
    ],
)
def test_strings_are_quoted_as_in_the_reference(text: str, written: str) -> None:
    assert to_yaml({"a": text}).decode() == f"a: {written}\n"


@pytest.mark.parametrize("text", ["*", "&a", "!", "~", "1", "true", "a: b", "#"])
def test_what_is_written_is_read_as_the_same_string(text: str) -> None:
    assert yaml.safe_load(to_yaml({"a": text})) == {"a": text}


class Schema(dict[str, Any]):
    """A subclass of dict, as documents of the server contain."""


def test_maps_of_other_types_are_written_as_maps() -> None:
    assert to_yaml({"b": Schema(d=1, c=[2])}) == b"b:\n  c:\n  - 2\n  d: 1\n"
