import pytest

from memkube.storage.errors import RevisionInFuture
from memkube.storage.interface import HistoryBounds, Page, Storage
from memkube.storage.memory import MemoryStorage
from tests.storage.notes import Note, NoteCodec, rewrite

pytestmark = pytest.mark.anyio


async def fill(storage: Storage[Note], *names: str, prefix: str = "/notes/") -> None:
    for name in names:
        await storage.create(f"{prefix}{name}", Note(name))


def texts(page: Page[Note]) -> list[str]:
    return [note.text for note in page.values]


async def test_an_empty_list_has_the_revision_of_the_storage(storage: Storage[Note]) -> None:
    await fill(storage, "a")
    page = await storage.list("/letters/")
    assert (list(page.values), page.revision, page.remaining) == ([], 1, 0)


async def test_a_list_is_in_the_order_of_its_keys(storage: Storage[Note]) -> None:
    await fill(storage, "b/y", "c/x", "a/z", "b/x")
    page = await storage.list("/notes/")
    assert list(page.keys) == ["/notes/a/z", "/notes/b/x", "/notes/b/y", "/notes/c/x"]
    assert texts(page) == ["a/z", "b/x", "b/y", "c/x"]


async def test_a_list_shows_each_value_with_its_own_revision(storage: Storage[Note]) -> None:
    await fill(storage, "a", "b")
    await storage.update("/notes/a", rewrite("c"))
    page = await storage.list("/notes/")
    assert list(page.values) == [Note("c", 3), Note("b", 2)]


@pytest.mark.parametrize("neighbour", ["/note/x", "/notes", "/notes0/x", "/notes-more/x", "/letters/x"])
async def test_a_list_has_nothing_of_other_prefixes(storage: Storage[Note], neighbour: str) -> None:
    await fill(storage, "a")
    await storage.create(neighbour, Note("stranger"))
    assert texts(await storage.list("/notes/")) == ["a"]


async def test_names_of_any_characters_are_listed(storage: Storage[Note]) -> None:
    await fill(storage, "\U0001f600", "z", "é")
    assert texts(await storage.list("/notes/")) == ["z", "é", "\U0001f600"]


async def test_a_limited_list_tells_how_many_values_follow(storage: Storage[Note]) -> None:
    await fill(storage, "a", "b", "c", "d", "e")
    page = await storage.list("/notes/", limit=2)
    assert (texts(page), page.remaining) == (["a", "b"], 3)


@pytest.mark.parametrize("limit", [3, 4])
async def test_a_limit_that_is_not_exceeded_leaves_nothing(storage: Storage[Note], limit: int) -> None:
    await fill(storage, "a", "b", "c")
    page = await storage.list("/notes/", limit=limit)
    assert (texts(page), page.remaining) == (["a", "b", "c"], 0)


async def test_a_list_starts_at_the_key_asked_for(storage: Storage[Note]) -> None:
    await fill(storage, "a", "b", "c", "d")
    page = await storage.list("/notes/", start="/notes/b", limit=2)
    assert (texts(page), page.remaining) == (["b", "c"], 1)


async def test_a_list_can_start_at_a_key_that_is_gone(storage: Storage[Note]) -> None:
    await fill(storage, "a", "b", "c")
    await storage.delete("/notes/b")
    assert texts(await storage.list("/notes/", start="/notes/b")) == ["c"]


@pytest.mark.parametrize(("start", "expected"), [("/a", ["a"]), ("/zebra", []), ("/notes/b", [])])
async def test_a_start_outside_of_the_prefix_brings_no_strangers(
    storage: Storage[Note], start: str, expected: list[str]
) -> None:
    await fill(storage, "a")
    await storage.create("/letters/a", Note("stranger"))
    await storage.create("/post/a", Note("stranger"))
    page = await storage.list("/notes/", start=start, limit=5)
    assert (texts(page), page.remaining) == (expected, 0)


async def test_a_list_at_an_older_revision_knows_no_later_creation(storage: Storage[Note]) -> None:
    await fill(storage, "a", "c")
    await fill(storage, "b")
    page = await storage.list("/notes/", revision=2)
    assert (texts(page), page.revision) == (["a", "c"], 2)


async def test_a_list_at_an_older_revision_takes_updates_back(storage: Storage[Note]) -> None:
    await fill(storage, "a")
    await storage.update("/notes/a", rewrite("b"))
    await storage.update("/notes/a", rewrite("c"))
    assert list((await storage.list("/notes/", revision=1)).values) == [Note("a", 1)]
    assert list((await storage.list("/notes/", revision=2)).values) == [Note("b", 2)]


async def test_a_list_at_an_older_revision_has_what_was_deleted_since(storage: Storage[Note]) -> None:
    await fill(storage, "a", "b")
    await storage.delete("/notes/a")
    assert list((await storage.list("/notes/", revision=2)).values) == [Note("a", 1), Note("b", 2)]


async def test_a_list_at_an_older_revision_sees_through_a_recreation(storage: Storage[Note]) -> None:
    await fill(storage, "a")
    await storage.delete("/notes/a")
    await storage.create("/notes/a", Note("again"))
    assert texts(await storage.list("/notes/", revision=1)) == ["a"]
    assert texts(await storage.list("/notes/", revision=2)) == []


async def test_a_list_at_an_older_revision_ignores_changes_elsewhere(storage: Storage[Note]) -> None:
    await fill(storage, "a")
    await fill(storage, "x", "y", prefix="/letters/")
    await storage.delete("/letters/x")
    page = await storage.list("/notes/", revision=2)
    assert (list(page.values), page.revision) == ([Note("a", 1)], 2)


async def test_pages_at_one_revision_fit_together_whatever_happens_between(storage: Storage[Note]) -> None:
    await fill(storage, "a", "b", "c", "d")
    first = await storage.list("/notes/", limit=2)
    await storage.delete("/notes/c")
    await storage.update("/notes/d", rewrite("changed"))
    await fill(storage, "bb", "e")
    second = await storage.list("/notes/", start="/notes/b\0", limit=2, revision=first.revision)
    assert (texts(first), first.remaining) == (["a", "b"], 2)
    assert (texts(second), second.remaining, second.revision) == (["c", "d"], 0, first.revision)


async def test_a_list_at_the_newest_revision_is_the_present(storage: Storage[Note]) -> None:
    await fill(storage, "a", "b")
    assert await storage.list("/notes/", revision=2) == await storage.list("/notes/")


async def test_a_page_does_not_change_behind_its_readers_back(storage: Storage[Note]) -> None:
    await fill(storage, "a", "b")
    page = await storage.list("/notes/")
    await storage.delete("/notes/a")
    await storage.update("/notes/b", rewrite("c"))
    assert list(page.values) == [Note("a", 1), Note("b", 2)]


async def test_a_list_at_a_revision_that_has_not_happened_is_refused(storage: Storage[Note]) -> None:
    await fill(storage, "a")
    with pytest.raises(RevisionInFuture) as refusal:
        await storage.list("/notes/", revision=2)
    assert (refusal.value.revision, refusal.value.current) == (2, 1)


async def test_a_list_that_was_taken_stays_as_it_was(storage: Storage[Note]) -> None:
    await storage.create("/notes/a", Note("1"))
    before = (await storage.list("/notes/")).values
    await storage.create("/notes/b", Note("2"))
    await storage.delete("/notes/a")
    after = (await storage.list("/notes/")).values
    assert [list(before), list(after)] == [[Note("1", 1)], [Note("2", 2)]]


async def test_the_current_revision_is_that_of_the_newest_change(storage: Storage[Note]) -> None:
    for number in range(3):
        await storage.create(f"/notes/{number}", Note("a"))
    assert await storage.current_revision() == storage.seen == 3


@pytest.mark.parametrize("at_least", [None, 0, 1, 2])
async def test_reads_may_say_how_old_they_may_be(storage: Storage[Note], at_least: int | None) -> None:
    for name in ("a", "b"):
        await storage.create(f"/notes/{name}", Note(name))
    assert await storage.get("/notes/a", at_least=at_least) == Note("a", 1)
    assert (await storage.list("/notes/", at_least=at_least)).revision == 2


async def test_reads_of_what_has_not_happened_are_refused(storage: Storage[Note]) -> None:
    await storage.create("/notes/a", Note("a"))
    for read in (storage.get("/notes/a", at_least=9), storage.list("/notes/", at_least=9)):
        with pytest.raises(RevisionInFuture) as refusal:
            await read
        assert (refusal.value.revision, refusal.value.current) == (9, 1)


async def test_what_is_known_of_a_prefix_is_what_a_list_returns(storage: Storage[Note]) -> None:
    for change in (None, "/notes/d", "/notes/a/a"):
        if change is not None:
            await storage.create(change, Note("new"))
        listed = await storage.list("/notes/")
        known = storage.list_cached("/notes/")
        assert known is None or list(known) == list(listed.values)
    assert storage.list_cached("/never/listed/") is None


async def test_emptiness_is_never_told_of_a_prefix_that_has_something(storage: Storage[Note]) -> None:
    told = storage.emptiness("/notes/")
    for key in ("/notes/d", "/notes/a/a"):
        assert not told.known or not (await storage.list("/notes/")).values
        await storage.create(key, Note("new"))
        assert not told.known
    for key in ("/notes/d", "/notes/a/a"):
        await storage.delete(key)
    assert not (await storage.list("/notes/")).values
    await storage.create("/notes/a/b", Note("new"))
    assert not told.known


@pytest.mark.parametrize("when", ["before", "after"])
async def test_memory_tells_of_emptiness_from_the_first_list_on(when: str) -> None:
    storage = MemoryStorage(NoteCodec(), HistoryBounds())
    if when == "before":
        storage.emptiness("/notes/")
    await storage.list("/notes/")
    assert storage.emptiness("/notes/").known


async def test_nothing_is_told_to_be_empty_behind_a_restore() -> None:
    storage = MemoryStorage(NoteCodec(), HistoryBounds())
    await storage.create("/notes/a", Note("saved"))
    saved = await storage.save()
    await storage.delete("/notes/a")
    await storage.list("/notes/")
    told = storage.emptiness("/notes/")
    assert told.known
    await storage.restore(saved)
    assert not told.known
