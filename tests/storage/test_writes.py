import asyncio

import pytest

from memkube.storage.errors import KeyExists, KeyNotFound
from memkube.storage.interface import Storage
from tests.storage.notes import Note, rewrite

pytestmark = pytest.mark.anyio
KEY = "/notes/default/one"


class Refused(Exception):
    pass


async def test_a_new_storage_is_at_revision_zero(storage: Storage[Note]) -> None:
    assert storage.seen == 0


async def test_create_returns_the_value_with_its_revision(storage: Storage[Note]) -> None:
    assert await storage.create(KEY, Note("a")) == Note("a", 1)
    assert storage.seen == 1


async def test_a_created_value_can_be_read(storage: Storage[Note]) -> None:
    created = await storage.create(KEY, Note("a"))
    assert await storage.get(KEY) == created


async def test_create_stamps_over_a_revision_that_the_value_brings(storage: Storage[Note]) -> None:
    assert await storage.create(KEY, Note("a", 77)) == Note("a", 1)


async def test_create_refuses_a_key_that_is_taken(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    with pytest.raises(KeyExists) as refusal:
        await storage.create(KEY, Note("b"))
    assert refusal.value.key == KEY
    assert await storage.get(KEY) == Note("a", 1)
    assert storage.seen == 1


async def test_a_refused_creation_hears_of_it_when_what_took_the_key_can_be_seen(storage: Storage[Note]) -> None:
    async def created_or_seen(text: str) -> Note:
        try:
            return await storage.create(KEY, Note(text))
        except KeyExists:
            return await storage.get(KEY)

    created, seen = await asyncio.gather(created_or_seen("a"), created_or_seen("b"))
    assert seen == created


async def test_values_that_are_created_together_are_created_one_after_the_other(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    watcher = storage.watch("/notes/", after=1)
    assert await storage.create_all({KEY + "2": Note("b"), KEY: Note("c"), KEY + "1": Note("d")}) == 2
    events = [event for _ in range(2) if storage.seen > watcher.revision for event in await watcher.next(10)]
    assert [(event.type, event.key, event.value) for event in events] == [
        ("created", KEY + "2", Note("b", 2)),
        ("created", KEY + "1", Note("d", 3)),
    ]
    assert (await storage.list("/notes/")).values == [Note("a", 1), Note("d", 3), Note("b", 2)]


async def test_creations_together_wake_whoever_waits_for_one_of_them(storage: Storage[Note]) -> None:
    watcher = storage.watch("/notes/other/", after=0)
    waiting = asyncio.ensure_future(watcher.next(10))
    await asyncio.sleep(0)
    await storage.create_all({KEY: Note("a"), "/notes/other/one": Note("b"), KEY + "1": Note("c")})
    assert [event.value for event in await waiting] == [Note("b", 2)]


@pytest.mark.parametrize("prefix", ["/", "/notes/", "/notes/default/", "/notes/def"])
async def test_an_empty_list_is_filled(storage: Storage[Note], prefix: str) -> None:
    assert (await storage.list(prefix)).values == []
    await storage.create(KEY, Note("a"))
    assert (await storage.list(prefix)).values == [Note("a", 1)]


@pytest.mark.parametrize("prefix", ["/", "/notes/", "/notes/default/", "/notes/def"])
async def test_an_empty_list_is_filled_by_creations_together(storage: Storage[Note], prefix: str) -> None:
    assert (await storage.list(prefix)).values == []
    await storage.create_all({KEY: Note("a")})
    assert (await storage.list(prefix)).values == [Note("a", 1)]


async def test_a_key_can_be_taken_again_after_its_deletion(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    await storage.delete(KEY)
    assert await storage.create(KEY, Note("b")) == Note("b", 3)


async def test_get_of_a_missing_key_tells_the_newest_revision(storage: Storage[Note]) -> None:
    await storage.create("/notes/default/two", Note("b"))
    with pytest.raises(KeyNotFound) as refusal:
        await storage.get(KEY)
    assert (refusal.value.key, refusal.value.revision) == (KEY, 1)


async def test_a_prefix_of_a_key_is_no_key(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    with pytest.raises(KeyNotFound):
        await storage.get(KEY[:-1])


async def test_all_prefixes_share_one_counter(storage: Storage[Note]) -> None:
    first = await storage.create("/notes/default/one", Note("a"))
    second = await storage.create("/letters/default/one", Note("b"))
    third = await storage.update("/notes/default/one", rewrite("c"))
    fourth = await storage.delete("/letters/default/one")
    assert [note.revision for note in (first, second, third, fourth)] == [1, 2, 3, 4]


async def test_update_gives_the_newest_value_and_stores_the_answer(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))

    async def longer(note: Note) -> Note:
        return Note(f"{note.text}{note.revision}")

    assert await storage.update(KEY, longer) == Note("a1", 2)
    assert await storage.get(KEY) == Note("a1", 2)


async def test_update_runs_again_where_another_write_came_between(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    seen: list[str] = []

    async def change(note: Note) -> Note:
        seen.append(note.text)
        if len(seen) == 1:
            await storage.update(KEY, rewrite("b"))
        return Note(f"{note.text}!")

    assert await storage.update(KEY, change) == Note("b!", 3)
    assert seen == ["a", "b"]


async def test_update_runs_again_on_a_value_that_was_deleted_and_created_anew(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    seen: list[Note] = []

    async def change(note: Note) -> Note:
        seen.append(note)
        if len(seen) == 1:
            await storage.delete(KEY)
            await storage.create(KEY, Note("a"))
        return Note("b")

    await storage.update(KEY, change)
    assert seen == [Note("a", 1), Note("a", 3)]


async def test_update_ends_where_the_key_is_deleted_meanwhile(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))

    async def change(_: Note) -> Note:
        await storage.delete(KEY)
        return Note("b")

    with pytest.raises(KeyNotFound):
        await storage.update(KEY, change)
    assert storage.seen == 2


async def test_an_update_that_changes_nothing_writes_nothing(storage: Storage[Note]) -> None:
    created = await storage.create(KEY, Note("a"))

    async def same(note: Note) -> Note:
        return note

    assert await storage.update(KEY, same) == created
    assert storage.seen == 1


async def test_an_update_whose_change_returns_none_writes_nothing(storage: Storage[Note]) -> None:
    created = await storage.create(KEY, Note("a"))

    async def nothing(_: Note) -> None:
        return None

    assert await storage.update(KEY, nothing) == created
    assert storage.seen == 1


async def test_an_update_that_would_change_nothing_still_runs_again(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    seen: list[str] = []

    async def change(note: Note) -> Note:
        seen.append(note.text)
        if len(seen) == 1:
            await storage.update(KEY, rewrite("b"))
        return note

    assert await storage.update(KEY, change) == Note("b", 2)
    assert seen == ["a", "b"]


async def test_what_a_change_raises_ends_the_update(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))

    async def refuse(_: Note) -> Note:
        raise Refused

    with pytest.raises(Refused):
        await storage.update(KEY, refuse)
    assert await storage.get(KEY) == Note("a", 1)


async def test_update_of_a_missing_key_is_refused(storage: Storage[Note]) -> None:
    with pytest.raises(KeyNotFound):
        await storage.update(KEY, rewrite("a"))


async def test_delete_returns_the_last_value_with_the_revision_of_the_deletion(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    assert await storage.delete(KEY) == Note("a", 2)
    with pytest.raises(KeyNotFound):
        await storage.get(KEY)


async def test_delete_of_a_missing_key_is_refused(storage: Storage[Note]) -> None:
    with pytest.raises(KeyNotFound):
        await storage.delete(KEY)


async def test_a_check_can_refuse_a_deletion(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))

    async def refuse(_: Note) -> None:
        raise Refused

    with pytest.raises(Refused):
        await storage.delete(KEY, refuse)
    assert await storage.get(KEY) == Note("a", 1)
    assert storage.seen == 1


async def test_a_check_runs_again_where_another_write_came_between(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))
    seen: list[str] = []

    async def check(note: Note) -> None:
        seen.append(note.text)
        if len(seen) == 1:
            await storage.update(KEY, rewrite("b"))

    assert await storage.delete(KEY, check) == Note("b", 3)
    assert seen == ["a", "b"]


async def test_a_deletion_ends_where_another_came_first(storage: Storage[Note]) -> None:
    await storage.create(KEY, Note("a"))

    async def check(_: Note) -> None:
        await storage.delete(KEY)

    with pytest.raises(KeyNotFound):
        await storage.delete(KEY, check)
    assert storage.seen == 2
