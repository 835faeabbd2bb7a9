"""The etcd engine with other writers of the same keys, and while etcd is unavailable."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

import pytest

from memkube.storage.errors import RestoreRefused, RevisionCompacted, StorageUnavailable, StorageUnusable
from memkube.storage.etcd.engine import EtcdStorage
from memkube.storage.etcd.options import EtcdOptions
from memkube.storage.interface import Event, HistoryBounds, Watcher
from memkube.storage.lifetimes import Lifetimes
from memkube.time.clock import RealClock
from tests.etcd_server import EtcdServer, linked, needs_etcd
from tests.storage.notes import Note, NoteCodec, rewrite

pytestmark = [pytest.mark.anyio, needs_etcd]
KEY = "/notes/one"
Open: TypeAlias = Callable[..., AbstractAsyncContextManager[EtcdStorage[Note]]]


def opening(server: EtcdServer) -> Open:
    """Return a function that opens further clients of one store."""
    options = EtcdOptions.of(server.url, f"/{uuid.uuid4().hex}")

    @asynccontextmanager
    async def opened(lifetimes: Lifetimes | None = None, endpoint: str = "") -> AsyncIterator[EtcdStorage[Note]]:
        chosen = replace(options, endpoints=(endpoint,)) if endpoint else options
        storage = EtcdStorage(chosen, NoteCodec(), HistoryBounds(1000), lifetimes)
        await storage.start()
        try:
            yield storage
        finally:
            await storage.stop()

    return opened


@pytest.fixture
def opened(etcd_server: EtcdServer) -> Open:
    return opening(etcd_server)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[EtcdServer]:
    """An etcd that a test may kill or pause. It syncs acknowledged writes to disk."""
    server = EtcdServer(tmp_path / "data")
    yield server
    server.kill()


async def events_of(watcher: Watcher[Note], count: int) -> list[Event[Note]]:
    found: list[Event[Note]] = []
    async with asyncio.timeout(60):
        while len(found) < count:
            found += await watcher.next()
    return found


async def eventually(work: Callable[[], Awaitable[Note]]) -> Note:
    """Retry until etcd answers again."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await work()
            except StorageUnavailable:
                continue


def texts(events: Sequence[Event[Note]]) -> list[str]:
    return [event.value.text for event in events]


async def test_whatever_one_has_written_the_other_reads(opened: Open) -> None:
    async with opened() as one, opened() as other:
        for number in range(50):
            written = await one.create(f"/notes/{number}", Note(f"{number}"))
            assert await other.get(f"/notes/{number}") == written
            assert (await other.list("/notes/")).revision >= written.revision


async def test_what_is_known_to_be_empty_here_is_so_until_the_other_writes(opened: Open) -> None:
    async with opened() as one, opened() as other:
        here, newest = one.emptiness("/notes/", at_least=0), one.emptiness("/notes/")
        assert not (await one.list("/notes/", at_least=0)).values
        assert (here.known, newest.known) == (True, False)
        await other.create(KEY, Note("a"))
        await one.get(KEY)
        assert not here.known


async def test_a_read_of_what_the_other_has_answered_waits_for_it(opened: Open) -> None:
    async with opened() as one, opened() as other:
        written = await one.create(KEY, Note("a"))
        assert await other.get(KEY, at_least=written.revision) == written


async def test_updates_by_two_lose_none(opened: Open) -> None:
    async def add_one(note: Note) -> Note:
        return Note(str(int(note.text) + 1))

    async def count(storage: EtcdStorage[Note]) -> None:
        for _ in range(25):
            await storage.update(KEY, add_one)

    async with opened() as one, opened() as other:
        await one.create(KEY, Note("0"))
        await asyncio.gather(*(count(storage) for storage in (one, other, one, other)))
        assert (await one.get(KEY)).text == (await other.get(KEY)).text == "100"


async def test_both_see_all_changes_in_one_order(opened: Open) -> None:
    async def write(storage: EtcdStorage[Note], name: str) -> None:
        for number in range(20):
            await storage.create(f"/notes/{name}{number}", Note(name))
            await storage.update(f"/notes/{name}{number}", rewrite("changed"))
            await storage.delete(f"/notes/{name}{number}")

    async with opened() as one, opened() as other:
        watchers = [storage.watch("/notes/", after=storage.seen) for storage in (one, other)]
        await asyncio.gather(write(one, "a"), write(other, "b"))
        seen, same = [await events_of(watcher, 120) for watcher in watchers]
        assert seen == same
        assert [event.revision for event in seen] == sorted({event.revision for event in seen})


async def test_a_change_is_tried_again_on_what_the_other_has_written(opened: Open) -> None:
    async with opened() as one, opened() as other:
        await one.create(KEY, Note("a"))
        tried: list[str] = []

        async def change(note: Note) -> Note:
            tried.append(note.text)
            if note.text == "a":
                await other.update(KEY, rewrite("b"))
                raise ValueError(note.text)
            return Note(note.text + "!")

        assert (await one.update(KEY, change)).text == "b!"
        assert tried == ["a", "b"]


async def test_a_new_server_knows_what_has_happened_before(opened: Open) -> None:
    async with opened() as one:
        revision = (await one.create(KEY, Note("a"))).revision
        await one.update(KEY, rewrite("b"))
        await one.delete(KEY)
        async with opened() as other:
            events = await events_of(other.watch("/notes/", after=revision), 2)
            assert [(event.type, event.value.text) for event in events] == [("updated", "b"), ("deleted", "b")]
            assert (await other.list("/notes/", revision=revision)).values == [Note("a", revision)]


async def test_a_new_server_knows_nothing_of_what_etcd_has_forgotten(opened: Open) -> None:
    async with opened() as one:
        revision = (await one.create(KEY, Note("a"))).revision
        newest = (await one.update(KEY, rewrite("b"))).revision
        await one.compact(newest)
        async with opened() as other:
            assert (await other.get(KEY)).text == "b"
            with pytest.raises(RevisionCompacted):
                await other.watch("/notes/", after=revision).next()


async def test_values_expire_with_their_lease_and_watchers_see_it(opened: Open) -> None:
    lifetimes = Lifetimes(RealClock(), {"/events/": timedelta(seconds=1)})
    async with opened(lifetimes) as one, opened(lifetimes) as other:
        watcher = other.watch("/", after=other.seen)
        await one.create("/events/a", Note("a"))
        await one.create("/events/b", Note("b"))
        await one.create(KEY, Note("kept"))
        assert [event.type for event in await events_of(watcher, 5)] == ["created"] * 3 + ["deleted"] * 2
        assert (await other.list("/")).keys == [KEY]


async def test_a_restore_is_refused(opened: Open) -> None:
    async with opened() as storage:
        created = await storage.create(KEY, Note("a"))
        with pytest.raises(RestoreRefused):
            await storage.restore(await storage.save())
        assert await storage.get(KEY) == created


async def test_a_watch_goes_on_when_etcd_comes_back(own_server: EtcdServer) -> None:
    async with opening(own_server)() as storage:
        watcher = storage.watch("/notes/", after=storage.seen)
        await storage.create(KEY, Note("before"))
        own_server.restart()
        await eventually(lambda: storage.create("/notes/two", Note("after")))
        assert texts(await events_of(watcher, 2)) == ["before", "after"]


async def test_what_was_acknowledged_survives_the_end_of_etcd(own_server: EtcdServer) -> None:
    opened = opening(own_server)
    async with opened() as storage:
        written = [await storage.create(f"/notes/{number:02}", Note("a")) for number in range(30)]
        own_server.restart()
    async with opened() as storage:
        assert (await storage.list("/notes/")).values == written


@pytest.mark.slow
async def test_without_etcd_reads_may_be_old_and_others_fail(own_server: EtcdServer) -> None:
    async with opening(own_server)() as storage:
        created = await storage.create(KEY, Note("a"))
        own_server.kill()
        assert await storage.get(KEY, at_least=0) == created
        work = (storage.get(KEY), storage.create("/notes/two", Note("b")), storage.update(KEY, rewrite("c")))
        failures = await asyncio.gather(*work, return_exceptions=True)
        assert [type(failure) for failure in failures] == [StorageUnavailable] * 3
        own_server.start()
        assert await eventually(lambda: storage.get(KEY)) == created


@pytest.mark.slow
async def test_an_etcd_that_stands_still_is_waited_for_so_long(own_server: EtcdServer) -> None:
    async with opening(own_server)() as storage:
        created = await storage.create(KEY, Note("a"))
        with own_server.paused(), pytest.raises(StorageUnavailable):
            await storage.get(KEY)
        assert await eventually(lambda: storage.get(KEY)) == created


async def test_a_server_that_misses_history_says_so_to_its_watchers(etcd_server: EtcdServer) -> None:
    opened = opening(etcd_server)
    async with linked(etcd_server.endpoint) as link, opened() as other, opened(endpoint=link.endpoint) as behind:
        await other.create(KEY, Note("a"))
        await other.create("/notes/old", Note("old"))
        watcher = behind.watch("/notes/", after=await behind.current_revision())
        link.cut()
        await other.delete(KEY)
        newest = (await other.create("/notes/two", Note("b"))).revision
        await other.compact(newest)
        link.mend()
        with pytest.raises(RevisionCompacted):
            await events_of(watcher, 1)
        assert (await behind.list("/notes/")).keys == ["/notes/old", "/notes/two"]


async def test_a_watch_goes_on_behind_a_partition(etcd_server: EtcdServer) -> None:
    opened = opening(etcd_server)
    async with linked(etcd_server.endpoint) as link, opened() as other, opened(endpoint=link.endpoint) as behind:
        watcher = behind.watch("/notes/", after=behind.seen)
        await other.create("/notes/one", Note("before"))
        assert texts(await events_of(watcher, 1)) == ["before"]
        link.cut()
        for text in ("meanwhile", "and again"):
            await other.update("/notes/one", rewrite(text))
        link.mend()
        assert texts(await events_of(watcher, 2)) == ["meanwhile", "and again"]


def test_an_etcd_that_is_not_there_is_said_so() -> None:
    storage = EtcdStorage(EtcdOptions.of("http://127.0.0.1:1"), NoteCodec())
    with pytest.raises(StorageUnusable, match=r"cannot connect to etcd at 127\.0\.0\.1:1"):
        storage.check()
