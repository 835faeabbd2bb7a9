"""Checks of a hunt's description, which are made before anything runs."""

from pathlib import Path
from typing import Any

import pytest

from memkube.errors import UsageError
from memkube.hunting.description import Hunt, located, read_hunt
from memkube.hunting.history import CompiledInvariant
from memkube.hunting.hunter import hunt

HUNT: dict[str, Any] = {"operator": {"command": ["true"]}, "workload": [{"run": "true"}]}


def test_a_hunt_may_be_a_dictionary() -> None:
    read = read_hunt(HUNT)
    assert (read.quiet_seconds, [one.identity for one in read.operators]) == (1.0, ["operator"])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"workload": []}, "workload"),
        ({"workload": [{"run": "a", "advance": "5m"}]}, "a step must have exactly one of"),
        ({"workload": [{"advance": "soon"}]}, "soon"),
        ({"workload": [{"aply": "a.yaml"}]}, "aply"),
        ({"operator": {"command": []}}, "operator"),
        ({"operator": {"command": "x --y"}}, "hunt: operator.command: Input should be a valid list"),
        ({"operator": [{"command": ["a"], "envs": {}}]}, "hunt: operator[0].envs: unknown field"),
        ({"operator": []}, "at least one operator is required"),
        ({"operator": [{"command": ["a"]}, {"command": ["b"]}]}, "two operators have the same identity"),
        ({"quiet": "0s"}, "quiet must be more than 0s"),
        ({"ignore": ["spec"]}, "every JSON pointer must begin with /"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match="hunt: ") as raised:
        read_hunt({**HUNT, **changes})
    assert why in str(raised.value)


def test_files_are_relative_to_that_of_the_hunt(tmp_path: Path) -> None:
    file = tmp_path / "hunt.yaml"
    file.write_text("operator: {command: [sleep, '1']}\nworkload: [{apply: a.yaml}]\n")
    read: Hunt = read_hunt(file)
    assert located(read.workload[0].apply, read.folder) == [tmp_path / "a.yaml"]


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"missing\.yaml"):
        read_hunt(tmp_path / "missing.yaml")


def test_an_invariant_that_does_not_compile_is_refused() -> None:
    invariants = [{"name": "odd", "expression": "objects +"}]
    with pytest.raises(UsageError, match="odd"):
        CompiledInvariant(read_hunt({**HUNT, "invariants": invariants}).invariants[0])


def test_an_unknown_pattern_is_refused() -> None:
    with pytest.raises(UsageError, match="choose from crash"):
        hunt(HUNT, patterns=["crsh"])


def test_a_workload_that_does_nothing_is_no_reference() -> None:
    with pytest.raises(UsageError, match="the run without faults fails"):
        hunt({**HUNT, "controllers": "none"})
