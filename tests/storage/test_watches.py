import asyncio

import pytest

from memkube.storage.errors import StorageClosed
from memkube.storage.interface import Event, Storage
from tests.storage.notes import Note, asleep, rewrite

pytestmark = pytest.mark.anyio
KEY = "/notes/default/one"


async def live_a_life(storage: Storage[Note], key: str = KEY) -> None:
    await storage.create(key, Note("a"))
    await storage.update(key, rewrite("b"))
    await storage.delete(key)


LIFE = [
    Event(1, "created", KEY, Note("a", 1), None),
    Event(2, "updated", KEY, Note("b", 2), Note("a", 1)),
    Event(3, "deleted", KEY, Note("b", 3), Note("b", 2)),
]


async def test_a_watch_from_the_beginning_sees_all_changes_in_one_batch(storage: Storage[Note]) -> None:
    await live_a_life(storage)
    assert list(await storage.watch("/notes/", after=0).next()) == LIFE


@pytest.mark.parametrize("after", [0, 1, 2])
async def test_a_watch_sees_what_is_later_than_its_revision(storage: Storage[Note], after: int) -> None:
    await live_a_life(storage)
    assert list(await storage.watch("/notes/", after=after).next()) == LIFE[after:]


async def test_a_watch_from_the_present_sees_nothing_of_the_past(storage: Storage[Note]) -> None:
    await live_a_life(storage)
    assert list(await storage.watch("/notes/", after=3).next(timeout=0)) == []


async def test_a_watch_from_a_list_misses_nothing_and_repeats_nothing(storage: Storage[Note]) -> None:
    await storage.create("/notes/a", Note("a"))
    page = await storage.list("/notes/")
    await storage.create("/notes/b", Note("b"))
    watcher = storage.watch("/notes/", after=page.revision)
    assert [event.key for event in await watcher.next()] == ["/notes/b"]


async def test_a_watch_wakes_for_a_change(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=storage.seen)
    waiting = await asleep(watcher)
    await storage.create(KEY, Note("a"))
    assert list(await waiting) == LIFE[:1]


async def test_a_watch_goes_on_where_it_left_off(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    await storage.create(KEY, Note("a"))
    first = list(await watcher.next())
    await storage.update(KEY, rewrite("b"))
    await storage.delete(KEY)
    assert first + list(await watcher.next()) == LIFE


async def test_batches_come_in_order_of_revision_over_all_keys(storage: Storage[Note]) -> None:
    for name in ("c", "a", "b"):
        await storage.create(f"/notes/{name}", Note(name))
    await storage.update("/notes/a", rewrite("d"))
    events = await storage.watch("/notes/", after=0).next()
    assert [(event.revision, event.value.text) for event in events] == [(1, "c"), (2, "a"), (3, "b"), (4, "d")]


async def test_a_watch_of_one_key_sees_that_key(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    await storage.create("/notes/default/two", Note("b"))
    assert [event.key for event in await storage.watch(KEY, after=0).next()] == [KEY]


async def test_a_watch_sees_nothing_of_other_prefixes(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    await live_a_life(storage, "/notes-more/default/one")
    await live_a_life(storage, "/letters/default/one")
    assert list(await watcher.next(timeout=0)) == []


async def test_readers_of_different_prefixes_share_a_place_and_not_their_events(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    await storage.create("/letters/default/one", Note("b"))
    for prefix in ("/notes/", "/letters/", "/notes/"):
        events = await storage.watch(prefix, after=0).next()
        assert [event.key for event in events] == [f"{prefix}default/one"]


async def test_a_change_elsewhere_does_not_end_the_wait(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    waiting = await asleep(watcher)
    await storage.create("/letters/default/one", Note("x"))
    await asyncio.sleep(0)
    await storage.create(KEY, Note("a"))
    assert [event.key for event in await waiting] == [KEY]


async def test_a_watch_tells_how_far_it_has_come(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    assert watcher.revision == 0
    await storage.create(KEY, Note("a"))
    await watcher.next()
    assert watcher.revision == 1


async def test_a_quiet_watch_comes_along_with_changes_elsewhere(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    await live_a_life(storage, "/letters/default/one")
    await watcher.next(timeout=0)
    assert watcher.revision == 3


async def test_a_wait_that_times_out_has_come_along_with_changes_elsewhere(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    waiting = await asleep(watcher)
    await live_a_life(storage, "/letters/default/one")
    watcher.interrupt()
    assert list(await waiting) == []
    assert watcher.revision == 3


async def test_a_watch_from_the_future_skips_what_comes_before(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=2)
    waiting = await asleep(watcher)
    for _ in range(2):
        await storage.create(f"/notes/{storage.seen}", Note("early"))
        await asyncio.sleep(0)
    await storage.create(KEY, Note("a"))
    assert [event.revision for event in await waiting] == [3]


@pytest.mark.parametrize("timeout", [0, 0.01])
async def test_a_timeout_returns_nothing_and_the_watch_lives_on(storage: Storage[Note], timeout: float) -> None:
    watcher = storage.watch("/notes/", after=0)
    assert list(await watcher.next(timeout=timeout)) == []
    await storage.create(KEY, Note("a"))
    assert list(await watcher.next(timeout=timeout)) == LIFE[:1]


async def test_a_cancelled_wait_loses_nothing(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    waiting = await asleep(watcher)
    waiting.cancel()
    await storage.create(KEY, Note("a"))
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert list(await watcher.next(timeout=0)) == LIFE[:1]


async def test_every_one_of_many_watchers_wakes(storage: Storage[Note]) -> None:
    watchers = [storage.watch("/notes/", after=0) for _ in range(200)]
    waiting = [await asleep(watcher) for watcher in watchers]
    await storage.create(KEY, Note("a"))
    assert [list(await task) for task in waiting] == [LIFE[:1]] * 200


async def test_watchers_of_prefixes_inside_each_other_all_wake(storage: Storage[Note]) -> None:
    watchers = [storage.watch(prefix, after=0) for prefix in ("/", "/notes/", "/notes/default/", KEY)]
    waiting = [await asleep(watcher) for watcher in watchers]
    await storage.create(KEY, Note("a"))
    assert [list(await task) for task in waiting] == [LIFE[:1]] * 4


async def test_each_of_two_readers_has_a_place_of_its_own(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    quick, slow = storage.watch("/notes/", after=0), storage.watch("/notes/", after=0)
    await quick.next()
    await storage.update(KEY, rewrite("b"))
    assert [event.revision for event in await quick.next()] == [2]
    assert [event.revision for event in await slow.next()] == [1, 2]


async def test_an_update_that_changes_nothing_is_no_event(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))

    async def same(note: Note) -> Note:
        return note

    await storage.update(KEY, same)
    assert list(await storage.watch("/notes/", after=1).next(timeout=0)) == []


async def test_closing_the_storage_ends_sleeping_watches(storage: Storage[Note]) -> None:
    waiting = await asleep(storage.watch("/notes/", after=0))
    storage.close()
    with pytest.raises(StorageClosed):
        await waiting


async def test_a_closed_storage_shows_what_happened_before(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    await storage.create(KEY, Note("a"))
    storage.close()
    assert list(await watcher.next()) == LIFE[:1]
    with pytest.raises(StorageClosed):
        await watcher.next()


async def test_an_interrupted_wait_returns_nothing_and_the_watch_lives_on(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    waiting = await asleep(watcher)
    watcher.interrupt()
    assert list(await waiting) == []
    await live_a_life(storage)
    assert list(await watcher.next()) == LIFE


async def test_an_interruption_that_meets_no_wait_has_no_effect(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/", after=0)
    watcher.interrupt()
    waiting = await asleep(watcher)
    await live_a_life(storage)
    assert next(iter(await waiting)) == LIFE[0]
