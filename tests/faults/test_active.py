import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memkube import faults
from memkube.faults.active import MOST_RULES, FaultExists, Faults, TooManyFaults
from memkube.faults.attributes import RequestAttributes, Stage
from memkube.faults.rules import FaultRule, Match, Occasions

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_GET = RequestAttributes(verb="get", resource="pods", name="web")


def rule(**when: Any) -> FaultRule:
    return FaultRule(effect=faults.drop(), when=Occasions(**when))


def falls(count: int, **when: Any) -> list[bool]:
    fault = Faults().add(rule(**when), _NOW)
    return [fault.falls_on(_GET, _NOW) for _ in range(count)]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({}, "11111"),
        ({"first": 2}, "11000"),
        ({"after": 3}, "00011"),
        ({"every": 2}, "10101"),
        ({"after": 1, "every": 2, "first": 1}, "01000"),
    ],
)
def test_a_fault_falls_by_count(when: dict[str, int], expected: str) -> None:
    assert falls(5, **when) == [digit == "1" for digit in expected]


def test_chance_repeats_itself() -> None:
    seen = falls(1_000, probability=0.3)
    assert seen == falls(1_000, probability=0.3)
    assert seen != falls(1_000, probability=0.3, seed=1)
    assert 200 < sum(seen) < 400


def test_only_what_fits_is_counted() -> None:
    fault = Faults().add(FaultRule(effect=faults.drop(), match=Match(names=("db",))), _NOW)
    assert not fault.falls_on(_GET, _NOW)
    assert (fault.matched, fault.hits) == (0, 0)


def test_a_fault_ends_at_its_instant() -> None:
    fault = Faults().add(rule(until=_NOW + timedelta(seconds=1)), _NOW)
    assert fault.falls_on(_GET, _NOW)
    assert not fault.falls_on(_GET, _NOW + timedelta(seconds=1))


def test_names_are_given_and_kept_apart() -> None:
    active = Faults()
    added = [active.add(FaultRule(effect=faults.close_watch()), _NOW) for _ in range(2)]
    assert [fault.name for fault in added] == ["close-watch-1", "close-watch-2"]
    with pytest.raises(FaultExists):
        active.add(FaultRule(name="close-watch-1", effect=faults.drop()), _NOW)


def test_there_are_only_so_many_faults() -> None:
    active = Faults()
    for _ in range(MOST_RULES):
        active.add(rule(), _NOW)
    with pytest.raises(TooManyFaults):
        active.add(rule(), _NOW)


def test_without_rules_nobody_asks() -> None:
    active = Faults()
    assert not active.present
    name = active.add(rule(), _NOW).name
    assert active.present
    active.remove(name, _NOW)
    assert not active.present
    assert list(active.about(Stage.REQUEST)) == []


@pytest.mark.anyio
async def test_a_fault_that_is_removed_lets_go() -> None:
    active = Faults()
    fault = active.add(rule(), _NOW)
    held = asyncio.ensure_future(fault.removal())
    active.clear(_NOW)
    await held
    assert fault.removal().done()


def test_a_clock_drifts_while_its_fault_is_there() -> None:
    active = Faults()
    rate = FaultRule(effect=faults.clock_drift(10, node="node-1", rate=0.5))
    name = active.add(rate, _NOW).name
    later = _NOW + timedelta(seconds=20)
    assert active.drift("node-1", later) == timedelta(seconds=20)
    assert active.drift("node-2", later) == timedelta()
    active.remove(name, later)
    assert active.drift("node-1", later - timedelta(seconds=10)) == timedelta(seconds=15)
    assert active.drift("node-1", later) == timedelta()


def test_so_many_clients_are_remembered() -> None:
    fault = Faults().add(FaultRule(effect=faults.stale_reads()), _NOW)
    for number in range(1_001):
        fault.remember(("", str(number)), 5)
    assert len(fault.shown) == 1_000
    assert ("", "0") not in fault.shown
