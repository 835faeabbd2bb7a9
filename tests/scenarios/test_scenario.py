"""Reading scenarios: errors name the file, the field, and the nearest known name."""

from pathlib import Path
from typing import Any

import pytest

import memkube
from memkube.scenarios.scenario import read_scenario

POD = {"resource": "pods"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "until: Field required"),
        ({"until": "1h", "step": []}, "unknown field 'step': did you mean 'steps'?"),
        ({"cluster": {"node": 3}}, r"cluster\.node: unknown field 'node': did you mean 'nodes'?"),
        ({"steps": [{"at": "1m", "failnode": "a"}]}, r"steps\[0\]\.failnode: .*did you mean 'failNode'?"),
        ({"steps": [{"at": "1m"}]}, r"steps\[0\]: a step must have one action, one of failNode"),
        ({"steps": [{"failNode": "a", "recoverNode": "a"}]}, "one action, not failNode and recoverNode"),
        ({"steps": [{"at": "noon", "failNode": "a"}]}, r"steps\[0\]\.at: 'noon' is not a time: write a duration"),
        ({"steps": [{"for": "1m", "deleteRule": "a"}]}, "deleteRule cannot be undone"),
        ({"steps": [{"until": "1m", "failNode": "a"}]}, "add 'every', or use 'for'"),
        ({"steps": [{"every": "1m", "for": "1m", "failNode": "a"}]}, "'for' must be shorter than 'every'"),
        ({"steps": [{"load": {"total": "1"}}]}, "a step with 'load' and 'total' needs 'for', its duration"),
        ({"steps": [{"load": {"cpu": "8x%"}}]}, "'8x%' is not a share such as 80%"),
        ({"steps": [{"rule": {"name": "a", "pullSecond": 1}}]}, "did you mean 'pullSeconds'?"),
        ({"steps": [{"fault": {"effect": {"type": "delay", "seconds": 1}}}]}, "needs a name, by which it is removed"),
        ({"expect": [POD]}, r"expect\[0\]: nothing is checked: add one of condition"),
        ({"expect": [{**POD, "condition": "create"}]}, "a condition is about one object: add its name"),
        ({"expect": [{**POD, "name": "a", "condition": "redy"}]}, "unknown condition 'redy'"),
        ({"expect": [{**POD, "expression": "objects.sise()"}]}, "expression: .*sise"),
        ({"expect": [{**POD, "name": "a", "count": 1}]}, "remove the name"),
    ],
)
def test_a_mistake_is_a_usage_error_in_the_words_of_the_file(content: dict[str, Any], message: str) -> None:
    with pytest.raises(memkube.UsageError, match=message) as refused:
        read_scenario({"until": "1h", **content} if content else content)
    assert "pydantic" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("until: [", "scenario.yaml: "),
        ("- a\n", "a scenario must be an object with the fields"),
        ("until: 1h\nuntil: 2h\n", "already set in map"),
        ("until: 1h\nseed: x\n", r"scenario\.yaml: seed: "),
    ],
)
def test_a_file_that_is_no_scenario_is_refused_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(text)
    with pytest.raises(memkube.UsageError, match=message):
        read_scenario(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(memkube.UsageError, match=r"none\.yaml: No such file"):
        read_scenario(tmp_path / "none.yaml")
