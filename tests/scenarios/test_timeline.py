from typing import Any

import pytest

import memkube
from memkube.scenarios.scenario import read_scenario
from memkube.scenarios.timeline import timeline

START = "2026-01-05T08:00:00Z"


def occurrences(*steps: dict[str, Any], until: str = "10m") -> list[str]:
    """Return the time and the number of each step. The end of an action has a minus before the number."""
    scenario = read_scenario({"cluster": {"start": START}, "steps": steps, "until": until})
    return [f"{one.instant:%H:%M:%S} {'' if one.is_begin else '-'}{one.number}" for one in timeline(scenario)]


def test_steps_happen_in_the_order_of_their_times() -> None:
    first, second = {"at": "3m", "failNode": "a"}, {"at": "08:01", "recoverNode": "a"}
    assert occurrences(first, second) == ["08:01:00 1", "08:03:00 0"]


def test_steps_of_one_time_happen_in_the_order_of_the_file() -> None:
    assert occurrences({"failNode": "a"}, {"failNode": "b"}) == ["08:00:00 0", "08:00:00 1"]


def test_a_step_repeats_until_its_end_or_that_of_the_scenario() -> None:
    step = {"at": "1m", "every": "4m", "deleteRule": "a"}
    assert occurrences(step) == ["08:01:00 0", "08:05:00 0", "08:09:00 0"]
    assert occurrences({**step, "until": "6m"}) == ["08:01:00 0", "08:05:00 0"]


def test_an_action_ends_before_others_of_the_same_time_begin() -> None:
    assert occurrences({"at": "2m", "failNode": "a"}, {"for": "2m", "failNode": "b"}) == [
        "08:00:00 1",
        "08:02:00 -1",
        "08:02:00 0",
    ]


def test_a_shared_load_is_divided_again_every_15_seconds() -> None:
    step = {"load": {"total": "1"}, "for": "40s"}
    assert occurrences(step) == ["08:00:00 0", "08:00:15 0", "08:00:30 0", "08:00:40 -0"]


def test_steps_after_the_end_do_not_happen() -> None:
    assert occurrences({"at": "10m", "failNode": "a"}, {"at": "11m", "failNode": "b"}) == ["08:10:00 0"]


def test_a_step_before_the_start_is_refused() -> None:
    with pytest.raises(memkube.UsageError, match=r"steps\[0\].at: 2026-01-05T07:00:00Z is before the start"):
        occurrences({"at": "2026-01-05T07:00:00Z", "failNode": "a"})


def test_too_many_occurrences_are_refused() -> None:
    with pytest.raises(
        memkube.UsageError, match=r"steps\[0\].every: the steps of the scenario happen more than 1000000 times"
    ):
        occurrences({"every": "1ms", "deleteRule": "a"}, until="1h")
