"""State that servers on one storage share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from memkube.apimachinery.model import Document
from memkube.registry.objects.codec import ObjectCodec
from memkube.registry.objects.stored import StoredObject
from memkube.registry.replicas.shared_state import SharedState
from memkube.storage.memory import MemoryStorage

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def two(storage: MemoryStorage[StoredObject]) -> AsyncIterator[tuple[SharedState, SharedState]]:
    one, other = SharedState(storage), SharedState(storage)
    await one.begin(shared=True)
    await other.begin(shared=True)
    try:
        yield one, other
    finally:
        await one.end()
        await other.end()


def storage() -> MemoryStorage[StoredObject]:
    return MemoryStorage(ObjectCodec())


class Told:
    """Records the changes that a follower of shared state receives."""

    def __init__(self, state: SharedState, collection: str) -> None:
        self._told: asyncio.Queue[tuple[str, Document | None]] = asyncio.Queue()
        state.follow(collection, lambda name, value: self._told.put_nowait((name, value)))

    async def next(self) -> tuple[str, Document | None]:
        async with asyncio.timeout(60):
            return await self._told.get()

    @property
    def is_all(self) -> bool:
        return self._told.empty()


async def test_what_one_writes_the_other_is_told() -> None:
    async with two(storage()) as (one, other):
        told = Told(other, "rules")
        await one.put("rules", "a", {"x": 1})
        assert await told.next() == ("a", {"x": 1})
        await one.delete("rules", "a")
        assert await told.next() == ("a", None)


async def test_whoever_writes_knows_it_at_once_and_is_told_once() -> None:
    async with two(storage()) as (one, other):
        told, told_later = Told(one, "rules"), Told(other, "rules")
        await one.put("rules", "a", {"x": 1})
        assert one.get("rules", "a") == {"x": 1}
        await told_later.next()
        await one.put("rules", "b", {"x": 2})
        await told_later.next()
        assert [await told.next(), await told.next()] == [("a", {"x": 1}), ("b", {"x": 2})]
        assert told.is_all


async def test_followers_are_told_what_is_there_already() -> None:
    async with two(storage()) as (one, _):
        await one.put("rules", "b", {})
        await one.put("rules", "a", {})
        await one.put("others", "c", {})
        told = Told(one, "rules")
        assert [await told.next(), await told.next()] == [("a", {}), ("b", {})]
        assert told.is_all


async def test_of_two_who_write_first_both_get_what_the_first_wrote() -> None:
    async with two(storage()) as (one, other):
        found = await asyncio.gather(one.first("keys", "a", {"of": 1}), other.first("keys", "a", {"of": 2}))
        assert found[0] == found[1]


async def test_what_is_asked_of_storage_is_the_newest() -> None:
    kept = storage()
    one, other = SharedState(kept), SharedState(kept)
    await one.put("keys", "a", {"x": 1})
    assert (other.get("keys", "a"), await other.newest("keys", "a")) == (None, {"x": 1})


async def test_those_whose_history_is_gone_read_everything_again() -> None:
    kept = storage()
    async with two(kept) as (one, other):
        await one.put("rules", "old", {})
        told = Told(other, "rules")
        assert await told.next() == ("old", {})
        # The other server cannot read these changes before the history is compacted.
        await one.delete("rules", "old")
        await one.put("rules", "new", {})
        await kept.compact(kept.seen)
        assert sorted([await told.next(), await told.next()]) == [("new", {}), ("old", None)]


async def test_objects_know_nothing_of_it() -> None:
    kept = storage()
    await SharedState(kept).put("rules", "a", {})
    assert not (await kept.list("/")).values
