"""Lists that use an index, and pages at older revisions, equal lists that examine every value."""

import asyncio
from dataclasses import dataclass, field
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkube.storage.interface import HistoryBounds, MatchValue, Page
from memkube.storage.memory import MemoryStorage
from tests.storage.conftest import Engine
from tests.storage.notes import Note, NoteCodec, rewrite

MANY = 400
"""Number of values with which an engine uses an index instead of examining all values."""


@dataclass(frozen=True)
class ByFirstLetter:
    prefix: str = "/n/"

    def of(self, value: Note) -> str | None:
        return value.text[:1] or None


INDEX = ByFirstLetter()
A = MatchValue(INDEX, "a")
NOT_A = MatchValue(INDEX, "a", negated=True)


def key(number: int) -> str:
    return f"/n/{number % 3}/{number:04}"


@pytest.mark.anyio
@pytest.mark.parametrize("match", [A, NOT_A])
async def test_a_list_that_is_looked_for_finds_what_matches(engine: Engine, match: MatchValue[Note]) -> None:
    storage = await engine(HistoryBounds())
    for number in range(MANY):
        await storage.create(key(number), Note("abc"[number % 3 // 2] + str(number)))
    await storage.list("/n/", matching=[match])
    await storage.update(key(0), rewrite("b"))
    await storage.update(key(2), rewrite("a"))
    await storage.delete(key(3))
    found = await storage.list("/n/", matching=[match])
    expected = [note for note in (await storage.list("/n/")).values if match.matches(note)]
    assert found.values == expected
    assert 0 < len(expected) < MANY - 1


@pytest.mark.anyio
async def test_what_follows_a_page_counts_those_that_do_not_match(engine: Engine) -> None:
    storage = await engine(HistoryBounds())
    for number in range(MANY):
        await storage.create(f"/n/{number:04}", Note("a" if number < 10 else "b"))
    page = await storage.list("/n/", limit=10, matching=[A])
    assert (len(page.values), page.remaining) == (10, MANY - 10)


@pytest.mark.anyio
@pytest.mark.parametrize("engine", ["memory", "sqlite"], indirect=True)
async def test_an_index_is_right_after_a_restore(engine: Engine) -> None:
    storage = await engine(HistoryBounds())
    for number in range(MANY):
        await storage.create(key(number), Note("a" if number < 10 else "b"))
    saved = await storage.save()
    await storage.list("/n/", matching=[A])
    for number in range(10):
        await storage.delete(key(number))
    await storage.restore(saved)
    assert len((await storage.list("/n/", matching=[A])).values) == 10


@pytest.mark.anyio
async def test_an_index_that_is_kept_from_the_beginning_follows_every_change() -> None:
    storage = MemoryStorage(NoteCodec(), indices=[INDEX])
    for number in range(MANY):
        await storage.create(key(number), Note("a" if number < 10 else "b"))
    assert len((await storage.list("/n/", matching=[A])).values) == 10


@pytest.mark.anyio
async def test_writes_while_an_index_is_made_are_in_it() -> None:
    storage = MemoryStorage(NoteCodec())
    for number in range(0, 2 * MANY, 2):
        await storage.create(f"/n/{number:04}", Note("a"))
    listed = asyncio.ensure_future(storage.list("/n/", matching=[A]))
    await asyncio.sleep(0)
    await storage.create("/n/0001", Note("a"))
    await storage.create("/n/0799", Note("a"))
    await storage.update("/n/0000", rewrite("b"))
    await storage.update("/n/0798", rewrite("b"))
    await storage.delete("/n/0002")
    await storage.delete("/n/0796")
    expected = [f"/n/{number:04}" for number in range(4, 796, 2)]
    assert (await listed).keys == ["/n/0001", *expected, "/n/0799"]


@dataclass(frozen=True)
class Counted:
    """An index that records its number each time that it computes the index value of a note."""

    number: int
    asked: list[int] = field(compare=False)
    prefix: str = "/n/"

    def of(self, value: Note) -> str | None:
        self.asked.append(self.number)
        return value.text


@pytest.mark.anyio
async def test_so_many_indices_are_kept_and_those_that_are_used() -> None:
    storage, asked = MemoryStorage(NoteCodec()), list[int]()
    for number in range(MANY):
        await storage.create(key(number), Note("a"))
    for number in range(100):
        await storage.list("/n/", matching=[MatchValue(Counted(number, asked), "a")])
        await storage.list("/n/", matching=[MatchValue(Counted(0, asked), "a")])
    asked.clear()
    await storage.create("/n/new", Note("a"))
    assert sorted(asked) == [0, *range(85, 100)]


CHANGES = st.lists(st.tuples(st.integers(0, 40), st.sampled_from(["a", "b", ""])), max_size=60)


@settings(max_examples=40, deadline=None)
@given(before=CHANGES, after=CHANGES, limit=st.integers(1, 9), match=st.sampled_from([None, A, NOT_A]))
def test_pages_show_their_revision_whatever_is_written_between_them(
    before: list[tuple[int, str]], after: list[tuple[int, str]], limit: int, match: MatchValue[Note] | None
) -> None:
    asyncio.run(_compare_pages(before, after, limit, match))


async def _compare_pages(
    before: list[tuple[int, str]], after: list[tuple[int, str]], limit: int, match: MatchValue[Note] | None
) -> None:
    storage = MemoryStorage(NoteCodec(), indices=[INDEX])
    # With this number of values, the engine uses the index.
    for number in range(260):
        await storage.create(f"/n/{number:04}x", Note("b" if number % 50 else "a"))
    for change in before:
        await _change(storage, *change)
    then = await storage.list("/n/")
    everything = list(zip(then.keys, then.values, strict=True))
    expected = [pair for pair in everything if match is None or match.matches(pair[1])]
    start, found, changes = "", list[tuple[str, Note]](), iter(after)
    while True:
        matching = () if match is None else [match]
        page: Page[Note] = await storage.list(
            "/n/", limit=limit, start=start, revision=then.revision, matching=matching
        )
        found += zip(page.keys, page.values, strict=True)
        if len(page.keys) < limit:
            break
        start = page.keys[-1] + "\0"
        assert page.remaining == sum(key >= start for key, _ in everything)
        for change in islice(changes, len(after) // 4 + 1):
            await _change(storage, *change)
    assert found == expected


async def _change(storage: MemoryStorage[Note], number: int, text: str) -> None:
    """Create or change a value, or delete it if `text` is empty."""
    place = f"/n/{number * 7:04}" + "xy"[number % 2]
    there = place in (await storage.list(place)).keys
    if not text:
        if there:
            await storage.delete(place)
    elif there:
        await storage.update(place, rewrite(text + str(number)))
    else:
        await storage.create(place, Note(text + str(number)))
