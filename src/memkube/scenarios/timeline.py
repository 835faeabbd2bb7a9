"""Computes the times at which the steps of a scenario are performed and undone, in order."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from memkube.errors import UsageError
from memkube.scenarios.scenario import Scenario, Step

MOST_OCCURRENCES: Final = 1_000_000
"""Maximum number of occurrences that the steps of a scenario may have in total."""
_SHARING_SECONDS: Final = 15.0
"""Seconds between two distributions of a total CPU load among the running pods: the period of autoscalers."""


@dataclass(frozen=True, slots=True, order=True)
class Occurrence:
    """A time at which a step's action is performed or undone.

    Occurrences are sorted by time. At the same time, those that undo an action come before those that perform one;
    otherwise, they have the order of their steps.
    """

    instant: datetime
    is_begin: bool
    """True if the action is performed, False if it is undone."""
    number: int
    """Number of the step, from 0."""
    step: Step = field(compare=False)


def timeline(scenario: Scenario) -> list[Occurrence]:
    """Return the occurrences of a scenario's steps up to its end, in order of time.

    Raises UsageError if a step is before the start, or if there are too many occurrences.
    """
    start = scenario.cluster.start
    end = scenario.until.after(start)
    if end < start:
        raise UsageError(f"until: {scenario.until} is before the start of the scenario's clock")
    found: list[Occurrence] = []
    for number, step in enumerate(scenario.steps):
        first = step.at.after(start)
        if first < start:
            raise UsageError(f"steps[{number}].at: {step.at} is before the start of the scenario's clock")
        for begin in _beginnings(step, first, start, end):
            found += (one for one in _occurrences(number, step, begin) if one.instant <= end)
            if len(found) > MOST_OCCURRENCES:
                raise UsageError(
                    f"steps[{number}].every: the steps of the scenario happen more than {MOST_OCCURRENCES} times in all"
                )
    return sorted(found)


def _beginnings(step: Step, first: datetime, start: datetime, end: datetime) -> Iterator[datetime]:
    last = end if step.until is None else min(step.until.after(start), end)
    begin = first
    while begin <= last:
        yield begin
        if step.every is None:
            return
        begin += timedelta(seconds=step.every)


def _occurrences(number: int, step: Step, begin: datetime) -> Iterator[Occurrence]:
    yield Occurrence(begin, True, number, step)
    if step.lasts is None:
        return
    end = begin + timedelta(seconds=step.lasts)
    if step.load is not None and step.load.is_shared:
        again = begin + timedelta(seconds=_SHARING_SECONDS)
        while again < end:
            yield Occurrence(again, True, number, step)
            again += timedelta(seconds=_SHARING_SECONDS)
    yield Occurrence(end, False, number, step)
