"""Expensive work is divided into slices. Slices of several works alternate, by client."""

import asyncio
import gc
import weakref
from itertools import pairwise
from time import perf_counter

import pytest

from memkube.time.request_context import REQUEST_CONTEXT, RequestContext
from memkube.time.turns import Turns

SLICE = 0.011


class Client:
    def __init__(self, flow: str) -> None:
        self.flow = flow


async def work(log: list[str], name: str, slices: int) -> None:
    """Occupy the event loop for this number of slices, for a client named by the first letter of `name`."""
    REQUEST_CONTEXT.set(RequestContext(Client(name[0])))
    turns = Turns()
    for _ in range(slices):
        end = perf_counter() + SLICE
        while perf_counter() < end:
            pass
        log.append(name)
        await turns.give()
    log.append(f"{name} is done")


@pytest.mark.anyio
async def test_others_run_between_any_two_slices() -> None:
    log: list[str] = []
    tasks = [asyncio.ensure_future(work(log, name, 4)) for name in ("a1", "a2", "b1")]
    while not all(task.done() for task in tasks):
        log.append("-")
        await asyncio.sleep(0)
    after_the_first = [name for name in log if "done" not in name][4:]
    assert all("-" in pair for pair in pairwise(after_the_first))


@pytest.mark.anyio
async def test_clients_take_turns_whatever_they_have_to_do() -> None:
    log: list[str] = []
    names = [*(f"a{number}" for number in range(6)), "b0"]
    await asyncio.gather(*(work(log, name, 4) for name in names))
    done = [name for name in log if "done" in name]
    assert done.index("b0 is done") == 0


@pytest.mark.anyio
async def test_what_is_short_ends_before_what_is_long() -> None:
    log: list[str] = []
    await asyncio.gather(work(log, "a-long", 12), work(log, "a-short", 2))
    assert log.index("a-short is done") < log.index("a-long is done")


@pytest.mark.anyio
async def test_work_of_one_length_ends_one_after_another() -> None:
    log: list[str] = []
    await asyncio.gather(*(work(log, f"a{number}", 7) for number in range(4)))
    assert [name for name in log if "done" in name] == [f"a{number} is done" for number in range(4)]
    assert log.index("a0 is done") < len(log) - 6


@pytest.mark.anyio
async def test_work_that_is_given_up_keeps_nobody_waiting() -> None:
    log: list[str] = []
    given_up, other = (asyncio.ensure_future(work(log, name, 4)) for name in ("a1", "a2"))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.wait_for(other, 60)
    assert "a2 is done" in log
    assert "a1 is done" not in log


def test_nothing_is_kept_of_a_loop_that_is_gone() -> None:
    loop = asyncio.new_event_loop()
    loop.run_until_complete(work([], "a", 2))
    loop.close()
    gone = weakref.ref(loop)
    del loop
    gc.collect()
    assert gone() is None
