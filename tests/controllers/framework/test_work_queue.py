import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from memkube.apimachinery.errors import bad_request
from memkube.controllers.framework.work_queue import Retries, TryAgain, WorkQueue
from memkube.telemetry.measures import QueueSeries
from memkube.time.clock import SteppedClock

pytestmark = pytest.mark.anyio


_RETRIES = Retries(longest_delay=60)


@asynccontextmanager
async def working(
    process: Callable[[str], Awaitable[None]],
    clock: SteppedClock,
    retries: Retries = _RETRIES,
    max_yields: int = 0,
) -> AsyncIterator[WorkQueue[str]]:
    queue = WorkQueue("test", process, clock, retries=retries, max_yields=max_yields)
    task = asyncio.create_task(queue.run())
    yield queue
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    queue.close()


class Recorder:
    """Records the seconds at which each key is processed. Fails as often as a test says."""

    def __init__(self, clock: SteppedClock, failures: list[Exception] | None = None) -> None:
        self.clock = clock
        self.start = clock.now()
        self.failures = failures or []
        self.seen: list[tuple[str, float]] = []

    async def __call__(self, key: str) -> None:
        self.seen.append((key, (self.clock.now() - self.start).total_seconds()))
        if self.failures:
            raise self.failures.pop(0)


async def test_keys_are_dealt_with_in_order() -> None:
    clock = SteppedClock()
    record = Recorder(clock)
    async with working(record, clock) as queue:
        queue.add("b")
        queue.add("a")
        await clock.activity.at_rest()
    assert record.seen == [("b", 0), ("a", 0)]


async def test_a_waiting_key_is_dealt_with_once() -> None:
    clock = SteppedClock()
    record = Recorder(clock)
    async with working(record, clock) as queue:
        queue.add("a")
        queue.add("a")
        await clock.activity.at_rest()
    assert record.seen == [("a", 0)]


async def test_a_key_added_while_it_is_dealt_with_comes_again_afterwards() -> None:
    clock, log = SteppedClock(), list[str]()

    async def process(key: str) -> None:
        log.append("begin")
        if len(log) == 1:
            queue.add(key)
        await asyncio.sleep(0)
        log.append("end")

    async with working(process, clock) as queue:
        queue.add("a")
        await clock.activity.at_rest()
    assert log == ["begin", "end", "begin", "end"]


async def test_of_several_delays_the_shortest_counts() -> None:
    clock = SteppedClock()
    record = Recorder(clock)
    async with working(record, clock) as queue:
        for seconds in (8, 5, 7):
            queue.add_after("a", seconds)
        await clock.advance(20)
    assert record.seen == [("a", 5)]


@pytest.mark.parametrize("failure", [TryAgain(), bad_request("no"), RuntimeError("a bug")])
async def test_a_failure_brings_a_key_back_after_a_delay_that_doubles(failure: Exception) -> None:
    clock = SteppedClock()
    record = Recorder(clock, [failure] * 3)
    async with working(record, clock) as queue:
        queue.add("a")
        await clock.advance(20)
    assert [seconds for _, seconds in record.seen] == [0, 0.005, 0.015, 0.035]


async def test_delays_stop_growing() -> None:
    clock = SteppedClock()
    record = Recorder(clock, [TryAgain()] * 100)
    async with working(record, clock) as queue:
        queue.add("a")
        await clock.advance(1000)
    assert record.seen[-1][1] - record.seen[-2][1] == 60


async def test_the_first_delay_can_be_longer() -> None:
    clock = SteppedClock()
    record = Recorder(clock, [TryAgain()] * 3)
    async with working(record, clock, Retries(first_delay=1)) as queue:
        queue.add("a")
        await clock.advance(20)
    assert [seconds for _, seconds in record.seen] == [0, 1, 3, 7]


async def test_success_forgets_failures() -> None:
    clock = SteppedClock()
    record = Recorder(clock, [TryAgain()])
    async with working(record, clock) as queue:
        queue.add("a")
        await clock.advance(1)
        record.failures.append(TryAgain())
        queue.add("a")
        await clock.advance(1)
    assert [seconds for _, seconds in record.seen] == [0, 0.005, 1, 1.005]


async def test_a_queue_that_stops_leaves_nobody_waiting_for_rest() -> None:
    clock = SteppedClock()
    record = Recorder(clock)
    async with working(record, clock) as queue:
        queue.add("a")
    await clock.activity.at_rest()


async def test_work_that_never_waits_lets_others_take_turns() -> None:
    clock = SteppedClock()
    record = Recorder(clock)
    async with working(record, clock) as queue:
        for key in "abcdefgh":
            queue.add(key)
        for _ in range(4):
            await asyncio.sleep(0)
        assert 0 < len(record.seen) < 8
        await clock.activity.at_rest()


async def test_what_it_does_is_counted() -> None:
    clock, measured, seen = SteppedClock(), QueueSeries(), list[tuple[int, bool]]()

    async def process(_: str) -> None:
        seen.append((len(measured.waiting), measured.begun is not None))
        if len(seen) == 1:
            raise TryAgain

    queue = WorkQueue("test", process, clock, measured=measured)
    queue.add("a")
    queue.add("b")
    task = asyncio.create_task(queue.run())
    await clock.advance(1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert seen == [(1, True), (0, True), (0, True)]
    assert (measured.adds, measured.retries, len(measured.waiting), measured.begun) == (3, 1, 0, None)
    assert sum(measured.waited.counts) == sum(measured.worked.counts) == 3
    queue.close()


async def test_a_key_that_fails_too_often_is_dropped() -> None:
    clock = SteppedClock()
    record = Recorder(clock, [TryAgain() for _ in range(9)])
    async with working(record, clock, Retries(most=2)) as queue:
        for _ in range(2):
            queue.add("a")
            await clock.advance(100)
    assert len(record.seen) == 6
    assert clock.timers == 0


@pytest.mark.parametrize(("max_yields", "times"), [(0, 3), (8, 1)])
async def test_a_queue_that_yields_lets_other_work_go_first(max_yields: int, times: int) -> None:
    clock = SteppedClock()
    record = Recorder(clock)
    async with working(record, clock, max_yields=max_yields) as queue:
        with clock.activity:
            for _ in range(3):
                queue.add("a")
                await asyncio.sleep(0)
                await asyncio.sleep(0)
        await clock.activity.at_rest()
    assert len(record.seen) == times


async def test_the_patience_of_a_queue_ends() -> None:
    clock = SteppedClock()
    record = Recorder(clock)
    async with working(record, clock, max_yields=8) as queue:
        with clock.activity:
            queue.add("a")
            for _ in range(20):
                await asyncio.sleep(0)
            assert len(record.seen) == 1


async def test_events_about_a_failed_key_can_be_postponed() -> None:
    clock = SteppedClock()
    record = Recorder(clock, [bad_request("no"), bad_request("no")])
    async with working(record, clock, Retries(first_delay=4, postpones_events=True)) as queue:
        queue.add("a")
        await clock.activity.at_rest()
        queue.add_for_event("a")
        await clock.advance(4)
        queue.add_for_event("a")
        await clock.advance(20)
    assert record.seen == [("a", 0), ("a", 4), ("a", 8)]


async def test_an_event_during_a_failing_attempt_can_be_postponed() -> None:
    clock = SteppedClock()
    seen: list[float] = []
    start = clock.now()

    async def process(key: str) -> None:
        seen.append((clock.now() - start).total_seconds())
        if len(seen) == 1:
            queue.add(key)
            raise bad_request("no")

    async with working(process, clock, Retries(first_delay=4, postpones_events=True)) as queue:
        queue.add("a")
        await clock.advance(20)
    assert seen == [0, 4]
