"""Watches that call a function when they have events, instead of being awaited by a task."""

import asyncio
import gc
import weakref

import pytest

from memkube.storage.interface import Storage
from tests.storage.notes import Note, asleep

pytestmark = pytest.mark.anyio
KEY = "/notes/default/one"


async def test_a_watch_calls_when_there_is_something_to_read(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=storage.seen)
    called = asyncio.Event()
    watcher.call_when_ready(called.set)
    await storage.create("/other/one", Note("a"))
    await asyncio.sleep(0)
    assert not called.is_set()
    await storage.create(KEY, Note("a"))
    await called.wait()
    assert [event.key for event in await watcher.next()] == [KEY]


async def test_who_is_called_reads_without_waiting(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=storage.seen)
    assert list(watcher.read()) == []
    called = asyncio.Event()
    watcher.call_when_ready(called.set)
    await storage.create(KEY, Note("a"))
    await called.wait()
    assert [event.key for event in watcher.read()] == [KEY]
    assert list(watcher.read()) == []


async def test_who_is_interrupted_between_a_change_and_the_call_misses_nothing(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=storage.seen)
    called = asyncio.Event()
    watcher.call_when_ready(called.set)
    await storage.create(KEY, Note("a"))
    await storage.create("/notes/two", Note("b"))
    watcher.interrupt()
    await called.wait()
    assert [event.key for event in watcher.read()] == [KEY, "/notes/two"]


async def test_all_who_wait_are_called_although_one_of_them_fails(storage: Storage[Note]) -> None:
    def fail() -> None:
        raise ValueError("on purpose")

    failures: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
    called = [asyncio.Event() for _ in range(2)]
    for callback in (called[0].set, fail, called[1].set, fail):
        storage.watch("/notes/", after=storage.seen).call_when_ready(callback)
    await storage.create(KEY, Note("a"))
    await asyncio.gather(*(event.wait() for event in called))
    await asyncio.sleep(0)
    assert [type(failure["exception"]) for failure in failures] == [ValueError, ValueError]


async def test_a_watch_that_is_to_call_survives_history_that_others_make(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=storage.seen)
    called = asyncio.Event()
    watcher.call_when_ready(called.set)
    other = await storage.create("/other/one", Note("a"))
    await storage.compact(storage.seen)
    assert other.revision == storage.seen
    await storage.create(KEY, Note("a"))
    await called.wait()
    assert [event.key for event in await watcher.next()] == [KEY]


async def test_a_watch_calls_at_once_when_it_lags_behind(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    watcher = storage.watch("/notes/", after=0)
    called = asyncio.Event()
    watcher.call_when_ready(called.set)
    await called.wait()


async def test_a_watch_calls_again_whenever_it_is_told_to(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=storage.seen)
    for name in ("one", "two", "three"):
        called = asyncio.Event()
        watcher.call_when_ready(called.set)
        await storage.create(f"/notes/{name}", Note("a"))
        await called.wait()
        assert [event.key for event in watcher.read()] == [f"/notes/{name}"]


async def test_who_has_been_called_waits_as_others_do(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=storage.seen)
    called = asyncio.Event()
    watcher.call_when_ready(called.set)
    await storage.create(KEY, Note("a"))
    await called.wait()
    assert [event.key for event in await watcher.next()] == [KEY]
    waiting = await asleep(watcher)
    await storage.create("/notes/two", Note("b"))
    assert [event.key for event in await waiting] == ["/notes/two"]


async def test_nobody_remembers_a_watch_that_is_interrupted_and_dropped(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=storage.seen)
    called = asyncio.Event()
    watcher.call_when_ready(called.set)
    await storage.create(KEY, Note("a"))
    await called.wait()
    watcher.interrupt()
    dropped = weakref.ref(watcher)
    del watcher
    gc.collect()
    assert dropped() is None


async def test_a_watch_does_not_call_when_the_storage_closes(storage: Storage[Note]) -> None:
    calls: list[None] = []
    storage.watch("/notes/", after=0).call_when_ready(lambda: calls.append(None))
    storage.close()
    await asyncio.sleep(0)
    assert not calls
