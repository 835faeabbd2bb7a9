import re
from typing import Any

import pytest

from memkube.apimachinery.json_path import JsonPath

DOCUMENT = {
    "spec": {"a.b": 1, "list": [{"name": "x", "n": 1}, {"name": "y", "n": 2}], "words": ["p", "q", "r"]},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Idle", "status": "False"}]},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.words[1]", ["q"]),
        (".spec.words[-1]", ["r"]),
        (".spec.words[0:2]", ["p", "q"]),
        (r".spec['a\.b']", [1]),
        (r".spec.a\.b", [1]),
        (".spec.list[*].name", ["x", "y"]),
        (".spec.list[?(@.n>1)].name", ["y"]),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        ("..name", ["x", "y"]),
        (".spec.missing.more", []),
        ("@", [DOCUMENT]),
    ],
)
def test_a_path_finds_what_it_leads_to(path: str, found: list[Any]) -> None:
    assert JsonPath(path).find(DOCUMENT) == found


@pytest.mark.parametrize(
    "path", [".spec.words[3]", ".spec.words[0:4]", ".spec[0]", ".spec.words[2:1]", ".spec.list[?(@.n=1)]", ".spec foo"]
)
def test_a_path_with_an_error_finds_nothing(path: str) -> None:
    assert JsonPath(path).find(DOCUMENT) == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (".spec.words[", "unterminated array"),
        (".spec.words[a]", "invalid array index a"),
        (".spec.words[?(@.n", "unterminated filter"),
        (".spec.words[?(@.n)", "unclosed array expect ]"),
        ("....name", "invalid multiple recursive descent"),
        ("*", "unrecognized character in action: U+002A '*'"),
        ("'name", "unterminated quoted string"),
        (".spec\n", "unclosed action"),
    ],
)
def test_a_path_that_cannot_be_read_is_refused(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        JsonPath(path)
