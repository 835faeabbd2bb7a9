import asyncio
import gc
import weakref

import pytest

from memkube.storage.errors import RevisionCompacted
from memkube.storage.interface import HistoryBounds, Storage
from tests.storage.conftest import Engine
from tests.storage.notes import Note, asleep, rewrite

pytestmark = pytest.mark.anyio
KEY = "/notes/one"


async def write(storage: Storage[Note], times: int, key: str = KEY) -> None:
    await storage.create(key, Note("1"))
    for number in range(1, times):
        await storage.update(key, rewrite(str(number + 1)))


async def test_compaction_leaves_the_present(storage: Storage[Note]) -> None:
    await write(storage, 5)
    await storage.compact(5)
    assert await storage.get(KEY) == Note("5", 5)
    assert list((await storage.list("/notes/")).values) == [Note("5", 5)]
    assert storage.seen == 5


async def test_a_list_before_the_compaction_is_refused(storage: Storage[Note]) -> None:
    await write(storage, 5)
    await storage.compact(3)
    with pytest.raises(RevisionCompacted) as refusal:
        await storage.list("/notes/", revision=2)
    assert (refusal.value.revision, refusal.value.oldest) == (2, 4)


@pytest.mark.parametrize("revision", [3, 4, 5])
async def test_a_list_since_the_compaction_is_answered(storage: Storage[Note], revision: int) -> None:
    await write(storage, 5)
    await storage.compact(3)
    page = await storage.list("/notes/", revision=revision)
    assert list(page.values) == [Note(str(revision), revision)]


async def test_a_watch_from_before_the_compaction_is_refused(storage: Storage[Note]) -> None:
    await write(storage, 5)
    await storage.compact(3)
    with pytest.raises(RevisionCompacted) as refusal:
        await storage.watch("/notes/", after=2).next()
    assert (refusal.value.revision, refusal.value.oldest) == (2, 4)


async def test_a_watch_since_the_compaction_sees_the_rest(storage: Storage[Note]) -> None:
    await write(storage, 5)
    await storage.compact(3)
    assert [event.revision for event in await storage.watch("/notes/", after=3).next()] == [4, 5]


async def test_a_watcher_that_compaction_overtook_is_refused(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    await write(storage, 5)
    await storage.compact(3)
    with pytest.raises(RevisionCompacted):
        await watcher.next()


async def test_compaction_of_a_compacted_revision_does_nothing(storage: Storage[Note]) -> None:
    await write(storage, 5)
    await storage.compact(3)
    await storage.compact(2)
    assert [event.revision for event in await storage.watch("/notes/", after=3).next()] == [4, 5]


async def test_compaction_ahead_of_the_present_compacts_what_there_is(storage: Storage[Note]) -> None:
    await write(storage, 5)
    await storage.compact(99)
    watcher = storage.watch("/notes/", after=5)
    await storage.update(KEY, rewrite("6"))
    assert [event.revision for event in await watcher.next()] == [6]


async def test_a_sleeping_watcher_that_missed_nothing_survives_compaction(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    waiting = await asleep(watcher)
    await write(storage, 5, key="/letters/one")
    await storage.compact(5)
    await asyncio.sleep(0)
    await storage.create(KEY, Note("a"))
    assert [event.revision for event in await waiting] == [6]


async def test_a_slow_reader_falls_out_of_the_bounded_history(engine: Engine) -> None:
    storage = await engine(HistoryBounds(changes=10))
    watcher = storage.watch("/notes/", after=0)
    await write(storage, 11)
    with pytest.raises(RevisionCompacted):
        await watcher.next()


async def test_a_reader_as_slow_as_the_history_is_long_sees_all(engine: Engine) -> None:
    storage = await engine(HistoryBounds(changes=10))
    watcher = storage.watch("/notes/", after=0)
    await write(storage, 10)
    assert len(await watcher.next()) == 10


async def test_lists_reach_back_as_far_as_the_bounded_history(engine: Engine) -> None:
    storage = await engine(HistoryBounds(changes=10))
    await write(storage, 15)
    assert list((await storage.list("/notes/", revision=5)).values) == [Note("5", 5)]
    with pytest.raises(RevisionCompacted):
        await storage.list("/notes/", revision=4)


async def test_a_sleeping_watcher_does_not_fall_out_for_changes_elsewhere(engine: Engine) -> None:
    storage = await engine(HistoryBounds(changes=10))
    watcher = storage.watch("/notes/", after=0)
    waiting = await asleep(watcher)
    await write(storage, 25, key="/letters/one")
    await storage.create(KEY, Note("a"))
    assert [event.revision for event in await waiting] == [26]


async def test_values_outlive_the_history_of_their_creation(engine: Engine) -> None:
    storage = await engine(HistoryBounds(changes=10))
    await storage.create("/notes/old", Note("old"))
    await write(storage, 30)
    assert await storage.get("/notes/old") == Note("old", 1)


async def test_history_is_bounded_by_the_bytes_that_changes_wrote_and_replaced(engine: Engine) -> None:
    storage = await engine(HistoryBounds(size=100))
    await storage.create(KEY, Note("x" * 10))
    for number in range(9):
        await storage.update(KEY, rewrite(f"{number}" * 10))
    with pytest.raises(RevisionCompacted) as refusal:
        await storage.watch("/notes/", after=4).next()
    assert refusal.value.oldest == 6
    assert [event.revision for event in await storage.watch("/notes/", after=5).next()] == [6, 7, 8, 9, 10]


async def test_a_change_that_is_larger_than_all_history_is_kept_alone(engine: Engine) -> None:
    storage = await engine(HistoryBounds(size=100))
    await storage.create(KEY, Note("x"))
    await storage.update(KEY, rewrite("y" * 1000))
    assert [event.revision for event in await storage.watch("/notes/", after=1).next()] == [2]
    with pytest.raises(RevisionCompacted):
        await storage.watch("/notes/", after=0).next()


async def test_compaction_lets_go_of_what_was_written_last(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("gone"))
    await storage.delete(KEY)
    events = await storage.watch("/notes/", after=0).next()
    values = [weakref.ref(event.value) for event in events]
    del events
    await storage.compact(storage.seen)
    gc.collect()
    assert [value() for value in values] == [None, None]
