import asyncio

import pytest

from memkube.storage.errors import RevisionCompacted, StorageRestored
from memkube.storage.interface import HistoryBounds, Storage
from tests.storage.conftest import Engine
from tests.storage.notes import Note, asleep, rewrite

pytestmark = [
    pytest.mark.anyio,
    # The etcd engine refuses restores: see tests/storage/test_etcd.py.
    pytest.mark.parametrize("engine", ["memory", "sqlite"], indirect=True),
]
KEY = "/notes/one"


async def test_restored_values_keep_the_revisions_that_they_carry(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    await storage.create("/notes/two", Note("stays"))
    saved = await storage.save()
    await storage.update(KEY, rewrite("after"))
    await storage.create("/notes/three", Note("goes"))
    await storage.restore(saved)
    page = await storage.list("/notes/")
    assert dict(zip(page.keys, page.values, strict=True)) == {
        KEY: Note("before", 1),
        "/notes/two": Note("stays", 2),
    }


async def test_what_was_saved_stays_as_it_was(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    saved = await storage.save()
    for _ in range(2):
        await storage.restore(saved)
        await storage.delete(KEY)
    await storage.restore(saved)
    assert await storage.get(KEY) == Note("before", 1)


async def test_revisions_go_on_behind_all_that_were_used(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    saved = await storage.save()
    await storage.update(KEY, rewrite("after"))
    used = storage.seen
    await storage.restore(saved)
    assert storage.restored > used
    assert storage.seen >= storage.restored
    assert (await storage.update(KEY, rewrite("once more"))).revision == storage.seen


async def test_a_watch_from_before_the_restore_is_refused(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    saved = await storage.save()
    await storage.update(KEY, rewrite("after"))
    await storage.restore(saved)
    with pytest.raises(RevisionCompacted):
        await storage.watch("/notes/", after=2).next()
    with pytest.raises(RevisionCompacted):
        await storage.list("/notes/", revision=1)


async def test_a_watcher_that_sleeps_wakes_to_find_its_history_gone(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    saved = await storage.save()
    waiting = await asleep(storage.watch("/notes/", after=storage.seen))
    await storage.restore(saved)
    with pytest.raises(RevisionCompacted):
        await waiting


@pytest.mark.parametrize("survives_restore", [True, False])
async def test_a_watcher_that_is_called_finds_what_one_that_sleeps_does(
    storage: Storage[Note], survives_restore: bool
) -> None:
    saved = await storage.save()
    watcher = storage.watch("/notes/", after=storage.seen, survives_restore=survives_restore)
    for name in ("one", "two"):
        called = asyncio.Event()
        watcher.call_when_ready(called.set)
        await (storage.create(KEY, Note("gone")) if name == "one" else storage.restore(saved))
        await called.wait()
        if name == "one" or survives_restore:
            assert [event.key for event in watcher.read()] == [KEY]
    if not survives_restore:
        with pytest.raises(RevisionCompacted):
            watcher.read()


async def test_a_watcher_that_survives_sees_what_the_restore_changed(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    await storage.create("/notes/back", Note("back"))
    saved = await storage.save()
    await storage.update(KEY, rewrite("after"))
    await storage.delete("/notes/back")
    await storage.create("/notes/gone", Note("gone"))
    waiting = await asleep(storage.watch("/notes/", after=storage.seen, survives_restore=True))
    await storage.restore(saved)
    told = [(event.type, event.key, event.value.text) for event in await waiting]
    assert told == [("created", "/notes/back", "back"), ("deleted", "/notes/gone", "gone"), ("updated", KEY, "before")]


async def test_a_watcher_that_lags_does_not_survive(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    saved = await storage.save()
    watcher = storage.watch("/notes/", after=0, survives_restore=True)
    await storage.restore(saved)
    with pytest.raises(RevisionCompacted):
        await watcher.next()


async def test_a_watch_goes_on_behind_the_restore(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    await storage.restore(await storage.save())
    watcher = storage.watch("/notes/", after=storage.seen)
    await storage.update(KEY, rewrite("after"))
    assert [event.value.text for event in await watcher.next()] == ["after"]


async def test_an_update_that_a_restore_comes_between_is_in_neither_state(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    saved = await storage.save()
    begun, restored = asyncio.Event(), asyncio.Event()

    async def change(_: Note) -> Note:
        begun.set()
        await restored.wait()
        return Note("lost")

    writing = asyncio.ensure_future(storage.update(KEY, change))
    await begun.wait()
    await storage.restore(saved)
    restored.set()
    with pytest.raises(StorageRestored):
        await writing
    assert await storage.get(KEY) == Note("before", 1)


async def test_a_deletion_that_a_restore_comes_between_is_in_neither_state(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("before"))
    saved = await storage.save()

    async def check(_: Note) -> None:
        await storage.restore(saved)

    with pytest.raises(StorageRestored):
        await storage.delete(KEY, check)
    assert await storage.get(KEY) == Note("before", 1)


async def test_values_of_another_lineage_get_revisions_that_nothing_ever_had(engine: Engine) -> None:
    one, other = await engine(HistoryBounds()), await engine(HistoryBounds())
    for storage, text in ((one, "one"), (other, "other")):
        await storage.create("/notes/a", Note(text))
        await storage.create(KEY, Note(text))
    used = other.seen
    moved = await other.restore(await one.save())
    values = (await other.list("/notes/")).values
    assert [value.text for value in values] == ["one", "one"]
    assert [value.revision - moved for value in values] == [1, 2]
    assert used < min(value.revision for value in values)
    assert max(value.revision for value in values) < other.seen


async def test_a_storage_without_history_takes_over_the_lineage(engine: Engine) -> None:
    one, other = await engine(HistoryBounds()), await engine(HistoryBounds())
    await one.create(KEY, Note("one"))
    saved = await one.save()
    assert await other.restore(saved) == 0
    await other.update(KEY, rewrite("other"))
    assert await other.restore(saved) == 0
    assert await other.get(KEY) == Note("one", 1)
    await one.update(KEY, rewrite("one's own"))
    assert await other.restore(await one.save()) > 0


async def test_of_a_restore_that_changes_more_than_history_holds_the_newest_changes_are_kept(engine: Engine) -> None:
    storage = await engine(HistoryBounds(changes=10))
    saved = await storage.save()
    for number in range(15):
        await storage.create(f"/notes/{number:02}", Note("goes"))
    await storage.restore(saved)
    with pytest.raises(RevisionCompacted):
        await storage.watch("/notes/", after=storage.restored).next()
    events = await storage.watch("/notes/", after=storage.seen - 10).next()
    assert [(event.type, event.key) for event in events] == [("deleted", f"/notes/{n:02}") for n in range(5, 15)]
    assert [event.value.revision for event in events] == list(range(storage.seen - 9, storage.seen + 1))
