"""Values with a limited lifetime, on a stepped clock."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import pytest

from memkube.storage.errors import KeyNotFound
from memkube.storage.interface import HistoryBounds, Storage
from memkube.storage.lifetimes import Lifetimes
from memkube.storage.memory import MemoryStorage
from memkube.storage.sqlite.engine import SqliteStorage
from memkube.time.clock import SteppedClock
from tests.storage.notes import Note, NoteCodec, rewrite

pytestmark = pytest.mark.anyio
KEY = "/events/default/one"
Open: TypeAlias = Callable[[], Storage[Note]]


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture(params=["memory", "sqlite"])
def opened(request: pytest.FixtureRequest, clock: SteppedClock, tmp_path: Path) -> Iterator[Open]:
    storages: list[Storage[Note]] = []
    lifetimes = Lifetimes(clock, {"/events/": timedelta(minutes=1), "/letters/": timedelta(minutes=2)})

    def open_() -> Storage[Note]:
        if request.param == "memory":
            storages.append(MemoryStorage(NoteCodec(), HistoryBounds(), lifetimes))
        else:
            for storage in storages:
                storage.close()
            storages.append(SqliteStorage(tmp_path / "notes.db", NoteCodec(), HistoryBounds(), lifetimes))
        return storages[-1]

    yield open_
    for storage in storages:
        storage.close()


async def is_there(storage: Storage[Note], key: str = KEY) -> bool:
    try:
        await storage.get(key)
    except KeyNotFound:
        return False
    return True


async def test_a_value_goes_when_its_time_is_up(opened: Open, clock: SteppedClock) -> None:
    storage = opened()
    await storage.create(KEY, Note("a"))
    await storage.create("/letters/one", Note("b"))
    await storage.create("/notes/one", Note("c"))
    await clock.advance(59)
    assert await is_there(storage)
    await clock.advance(1)
    assert (await storage.list("/")).keys == ["/letters/one", "/notes/one"]
    await clock.advance(60)
    assert (await storage.list("/")).keys == ["/notes/one"]


async def test_watchers_see_that_it_goes(opened: Open, clock: SteppedClock) -> None:
    storage = opened()
    await storage.create(KEY, Note("a"))
    watcher = storage.watch("/events/", after=1)
    await clock.advance(60)
    assert [(event.type, event.value) for event in await watcher.next()] == [("deleted", Note("a", 2))]


async def same(note: Note) -> Note:
    return note


@pytest.mark.parametrize(("change", "lives"), [(rewrite("b"), True), (same, False)])
async def test_a_change_begins_a_life_and_an_update_without_one_does_not(
    opened: Open, clock: SteppedClock, change: Callable[[Note], Awaitable[Note]], lives: bool
) -> None:
    storage = opened()
    await storage.create(KEY, Note("a"))
    await clock.advance(40)
    await storage.update(KEY, change)
    await clock.advance(40)
    assert await is_there(storage) is lives


async def test_a_value_that_is_created_again_has_a_life_of_its_own(opened: Open, clock: SteppedClock) -> None:
    storage = opened()
    await storage.create(KEY, Note("a"))
    await clock.advance(40)
    await storage.delete(KEY)
    await storage.create(KEY, Note("b"))
    await clock.advance(59)
    assert await is_there(storage)
    await clock.advance(1)
    assert not await is_there(storage)


async def test_lives_are_saved_and_restored(opened: Open, clock: SteppedClock) -> None:
    storage = opened()
    await storage.create(KEY, Note("a"))
    saved = await storage.save()
    await clock.advance(30)
    await storage.update(KEY, rewrite("b"))
    await storage.restore(saved)
    await clock.advance(30)
    assert not await is_there(storage)


@pytest.mark.parametrize("opened", ["sqlite"], indirect=True)
async def test_what_is_found_at_the_start_begins_a_whole_life(opened: Open, clock: SteppedClock) -> None:
    storage = opened()
    await storage.create(KEY, Note("a"))
    await clock.advance(40)
    storage = opened()
    await storage.start()
    await clock.advance(40)
    assert await is_there(storage)
    await clock.advance(20)
    assert not await is_there(storage)
