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
        (".spec['a.b']", [1]),
        (r".spec.a\.b", [1]),
        (".spec.list[*].name", ["x", "y"]),
        (".spec.list[?(@.n>1)].name", ["y"]),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        ("..name", ["x", "y"]),
        (".spec.missing.more", []),
        (".", [DOCUMENT]),
    ],
)
def test_a_path_finds_what_it_leads_to(path: str, found: list[Any]) -> None:
    assert JsonPath(path).find(DOCUMENT) == found


def test_a_path_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ValueError, match="unsupported JSONPath syntax"):
        JsonPath(".spec.words[")
