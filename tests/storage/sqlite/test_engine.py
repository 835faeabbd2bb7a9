"""The SQLite engine: data that survives the process, and errors for damaged files."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memkube.storage.errors import RevisionCompacted, StorageUnusable
from memkube.storage.interface import HistoryBounds
from memkube.storage.sqlite.engine import SqliteStorage
from memkube.storage.sqlite.file import FORMAT
from tests.storage.notes import Note, NoteCodec, rewrite

pytestmark = pytest.mark.anyio
KEY = "/notes/one"


@contextmanager
def opened(path: Path, changes: int = 1000) -> Iterator[SqliteStorage[Note]]:
    storage = SqliteStorage(path, NoteCodec(), HistoryBounds(changes))
    try:
        yield storage
    finally:
        storage.close()


async def notes_in(path: Path) -> tuple[list[Note], int]:
    with opened(path) as storage:
        return list((await storage.list("/notes/")).values), storage.seen


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.db"


async def test_values_and_revisions_outlive_the_process(path: Path) -> None:
    with opened(path) as storage:
        await storage.create(KEY, Note("a"))
        await storage.create("/notes/two", Note("b"))
        await storage.update(KEY, rewrite("c"))
        await storage.delete("/notes/two")
    with opened(path) as storage:
        page = await storage.list("/notes/")
        assert (list(page.keys), list(page.values), page.revision) == ([KEY], [Note("c", 3)], 4)
        assert await storage.create("/notes/two", Note("d")) == Note("d", 5)


async def test_a_watch_resumes_after_a_restart(path: Path) -> None:
    with opened(path) as storage:
        await storage.create(KEY, Note("a"))
        await storage.update(KEY, rewrite("b"))
        seen = list(await storage.watch("/notes/", after=1).next())
    with opened(path) as storage:
        assert list(await storage.watch("/notes/", after=1).next()) == seen
        assert [event.previous for event in seen] == [Note("a", 1)]


async def test_a_file_holds_no_more_history_than_it_may(path: Path) -> None:
    with opened(path, changes=10) as storage:
        await storage.create(KEY, Note("a"))
        for number in range(50):
            await storage.update(KEY, rewrite(f"text {number}"))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM revisions").fetchone()[0] <= 12
    with opened(path, changes=10) as storage:
        assert await storage.get(KEY) == Note("text 49", 51)
        with pytest.raises(RevisionCompacted):
            await storage.watch("/notes/", after=30).next()


async def test_what_was_compacted_stays_so_after_a_restart(path: Path) -> None:
    with opened(path) as storage:
        await storage.create(KEY, Note("a"))
        await storage.delete(KEY)
        await storage.compact(2)
    with opened(path) as storage:
        assert (storage.seen, list((await storage.list("/")).values)) == (2, [])
        with pytest.raises(RevisionCompacted):
            await storage.list("/", revision=1)


async def test_a_restore_outlives_the_process(path: Path) -> None:
    with opened(path) as storage:
        await storage.create(KEY, Note("before"))
        saved = await storage.save()
        await storage.update(KEY, rewrite("after"))
        await storage.restore(saved)
        revision = storage.seen
    with opened(path) as storage:
        assert (await storage.get(KEY), storage.seen) == (Note("before", 1), revision)
        await storage.update(KEY, rewrite("once more"))
    with opened(path) as storage:
        assert await storage.get(KEY) == Note("once more", revision + 1)


async def test_a_second_server_on_one_file_is_refused(path: Path) -> None:
    with opened(path) as storage:
        with pytest.raises(StorageUnusable, match="used by another server"):
            SqliteStorage(path, NoteCodec())
        await storage.create(KEY, Note("a"))


def tables_of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE letters (text TEXT)")


def newer_format(path: Path) -> None:
    SqliteStorage(path, NoteCodec()).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")


def no_database(path: Path) -> None:
    path.write_bytes(b"apiVersion: v1\n" * 100)


def missing_folder(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere" / "notes.db")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (tables_of_another_program, "another program's database"),
        (newer_format, f"has format version {FORMAT + 1}; this version of memkube reads version {FORMAT}"),
        (no_database, "damaged or not a SQLite database"),
        (missing_folder, "cannot be opened"),
    ],
)
def test_a_file_that_is_not_ours_is_refused(path: Path, spoil: object, why: str) -> None:
    assert callable(spoil)
    spoil(path)
    with pytest.raises(StorageUnusable, match=why):
        SqliteStorage(path, NoteCodec())


def test_a_damaged_file_is_refused(path: Path) -> None:
    async def fill() -> None:
        with opened(path) as storage:
            for number in range(200):
                await storage.create(f"/notes/{number}", Note("text" * 100))

    asyncio.run(fill())
    data = bytearray(path.read_bytes())
    data[8192:20480] = b"\xff" * 12288
    path.write_bytes(data)
    with pytest.raises(StorageUnusable, match="damaged"):
        SqliteStorage(path, NoteCodec())


FULL = """
import asyncio, resource, sys
from memkube.storage.errors import StorageFailed
from memkube.storage.sqlite.engine import SqliteStorage
from tests.storage.notes import Note, NoteCodec

async def main():
    storage = SqliteStorage(sys.argv[1], NoteCodec())
    await storage.create("/notes/one", Note("a"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, limits[1]))
    try:
        await storage.create("/notes/large", Note("a" * 200_000))
    except StorageFailed:
        print("refused")
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    print(await storage.create("/notes/two", Note("b")))
    storage.close()

asyncio.run(main())
"""


def test_a_full_disk_refuses_one_write_and_loses_none(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["refused", "Note(text='b', revision=2)"]
    assert [note.text for note in asyncio.run(notes_in(path))[0]] == ["a", "b"]


KILLED = """
import asyncio, sys
from memkube.storage.sqlite.engine import SqliteStorage
from tests.storage.notes import Note, NoteCodec

async def write(storage, name):
    number = 0
    while True:
        number += 1
        note = await storage.create(f"/notes/{name}-{number}", Note(f"{name}-{number}"))
        print(note.text, note.revision, flush=True)

async def main():
    storage = SqliteStorage(sys.argv[1], NoteCodec())
    await asyncio.gather(*(write(storage, f"{sys.argv[2]}-{each}") for each in range(8)))

asyncio.run(main())
"""


def test_whatever_was_acknowledged_is_there_after_kill_9(path: Path) -> None:
    acknowledged: dict[str, int] = {}
    for life in range(5):
        program = [sys.executable, "-c", KILLED, str(path), str(life)]
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(20 + 10 * life)]
            process.kill()
            lines += process.stdout.readlines()
        acknowledged |= {text: int(number) for text, number in (line.split() for line in lines if line.endswith("\n"))}
        notes, revision = asyncio.run(notes_in(path))
        assert acknowledged.items() <= {note.text: note.revision for note in notes}.items()
        assert sorted(note.revision for note in notes) == list(range(1, revision + 1))
