import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from memkube.time.activity import Activity
from memkube.time.clock import Clock, RealClock, ScaledClock, SteppedClock, clock_named

START = datetime(2026, 1, 1, tzinfo=UTC)

pytestmark = pytest.mark.anyio


def in_seconds(clock: Clock, seconds: float) -> datetime:
    return clock.now() + timedelta(seconds=seconds)


async def test_a_stepped_clock_stands_still() -> None:
    clock = SteppedClock(START)
    await asyncio.sleep(0)
    assert clock.now() == START


async def test_an_advance_moves_time_by_exactly_what_it_says() -> None:
    clock = SteppedClock(START)
    await clock.advance(2.5)
    assert clock.now() == START + timedelta(seconds=2.5)


async def test_timers_go_off_in_order_and_at_their_own_instants() -> None:
    clock, seen = SteppedClock(START), list[tuple[str, float]]()
    for name, seconds in (("c", 3), ("a", 1), ("b", 1), ("late", 11)):
        clock.call_at(in_seconds(clock, seconds), lambda name=name: seen.append((name, clock.now().second)))  # type: ignore[misc]
    await clock.advance(10)
    assert seen == [("a", 1), ("b", 1), ("c", 3)]


async def test_a_timer_that_another_sets_goes_off_in_the_same_advance() -> None:
    clock, seen = SteppedClock(START), list[int]()

    def tick() -> None:
        seen.append(clock.now().second)
        clock.call_at(in_seconds(clock, 2), tick)

    tick()
    await clock.advance(5)
    assert seen == [0, 2, 4]


async def test_a_cancelled_timer_does_not_go_off() -> None:
    clock, seen = SteppedClock(START), list[str]()
    clock.call_at(in_seconds(clock, 1), lambda: seen.append("rung")).cancel()
    await clock.advance(2)
    assert seen == []


async def test_cancelled_timers_are_let_go_of() -> None:
    clock = SteppedClock(START, most_cancelled=10)
    rung: list[str] = []
    clock.call_at(in_seconds(clock, 5), lambda: rung.append("kept"))
    for _ in range(1000):
        timer = clock.call_at(in_seconds(clock, 3600), lambda: rung.append("never"))
        timer.cancel()
        timer.cancel()
    assert clock.timers <= 12
    await clock.advance(3600)
    assert (rung, clock.timers) == (["kept"], 0)


async def test_an_advance_returns_when_the_work_that_it_set_off_is_done() -> None:
    clock, done = SteppedClock(START), list[datetime]()

    async def work() -> None:
        await clock.sleep_until(in_seconds(clock, 1))
        with clock.activity:
            await asyncio.sleep(0.005)
            done.append(clock.now())

    task = asyncio.create_task(work())
    await clock.advance(60)
    assert done == [START + timedelta(seconds=1)]
    await task


async def test_advances_at_the_same_time_add_up() -> None:
    clock = SteppedClock(START)
    await asyncio.gather(clock.advance(1), clock.advance(2))
    assert clock.now() == START + timedelta(seconds=3)


async def test_sleeping_until_the_past_ends_with_the_next_advance() -> None:
    clock = SteppedClock(START)
    sleeper = asyncio.create_task(clock.sleep_until(START - timedelta(days=1)))
    await clock.advance(0)
    assert sleeper.done()
    assert clock.now() == START


@pytest.mark.parametrize("clock", [RealClock(), ScaledClock(100)])
async def test_a_running_clock_wakes_no_sleeper_too_early(clock: Clock) -> None:
    instant = in_seconds(clock, 0.0105)
    await clock.sleep_until(instant)
    assert clock.now() >= instant


async def test_a_scaled_clock_runs_so_many_times_as_fast() -> None:
    scaled, real = ScaledClock(100_000), RealClock()
    before = real.now()
    await scaled.sleep_until(in_seconds(scaled, 1000))
    assert real.now() - before < timedelta(seconds=500)


@pytest.mark.parametrize(("name", "kind"), [("real", RealClock), ("stepped", SteppedClock), ("x0.5", ScaledClock)])
def test_clocks_have_names(name: str, kind: type) -> None:
    assert type(clock_named(name)) is kind


@pytest.mark.parametrize("name", ["", "x", "x0", "x-1", "60", "xinf", "Real"])
def test_there_are_no_other_clocks(name: str) -> None:
    with pytest.raises(ValueError, match="unknown clock"):
        clock_named(name)


async def test_an_idle_server_is_at_rest() -> None:
    await Activity().at_rest()


async def test_rest_comes_when_all_work_is_done() -> None:
    activity = Activity()
    activity.begin()
    activity.begin()
    resting = asyncio.create_task(activity.at_rest())
    await asyncio.sleep(0.001)
    activity.end()
    await asyncio.sleep(0.001)
    assert not resting.done()
    activity.end()
    await resting


async def test_work_that_follows_from_work_keeps_a_server_from_rest() -> None:
    activity, done = Activity(), list[str]()
    woken = asyncio.get_running_loop().create_future()

    async def follow() -> None:
        await woken
        with activity:
            await asyncio.sleep(0.001)
            done.append("followed")

    following = asyncio.create_task(follow())
    await asyncio.sleep(0)
    with activity:
        woken.set_result(None)
    await activity.at_rest()
    assert done == ["followed"]
    await following


async def test_several_may_wait_for_rest() -> None:
    activity = Activity()
    with activity:
        waiting = [asyncio.create_task(activity.at_rest()) for _ in range(2)]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
