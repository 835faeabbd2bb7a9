"""Revisions of values in a file of SQLite: one transaction for each batch of changes.

The table holds the newest revision of each key and the history, as etcd does: a row is superseded by a later one with
the same key, and goes when the change that did so is compacted.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Final, NamedTuple

from memkube.storage.errors import StorageFailed, StorageUnusable
from memkube.storage.interface import EventType

FORMAT: Final = 1
"""The version of the tables, as the file's ``user_version``."""
_APPLICATION: Final = int.from_bytes(b"mkub")
_TABLES: Final = """
CREATE TABLE revisions (
    revision INTEGER PRIMARY KEY, type TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL
) STRICT;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""


class Row(NamedTuple):
    """One change, or a value that is older than the history."""

    revision: int
    type: EventType
    key: str
    value: bytes


class SqliteFile:
    """A file that belongs to this process for as long as it is open. Its methods are called by one thread at a time."""

    def __init__(self, path: str | PathLike[str], *, durable: bool = True) -> None:
        """`durable`: what is written has reached the disk. Raises StorageUnusable."""
        self._paths = Path(path), Path(f"{fspath(path)}-wal")
        with _opening(path):
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            with _opening(path):
                self._prepare(durable)
                self._check(path)
        except BaseException:
            self._connection.close()
            raise

    def facts(self) -> Mapping[str, str]:
        """What is kept besides the rows. Raises StorageUnusable."""
        with _reading():
            return dict(self._connection.execute("SELECT name, value FROM facts"))

    def rows(self) -> Iterator[Row]:
        """All rows by revision. Raises StorageUnusable."""
        with _reading():
            yield from map(
                Row._make,
                self._connection.execute("SELECT revision, type, key, value FROM revisions ORDER BY revision"),
            )

    def write(self, rows: Sequence[Row], superseded: Iterable[int], facts: Mapping[str, str]) -> None:
        """Adds rows, removes those with the superseded revisions and notes facts. Raises StorageFailed, or does all."""
        with self._transaction():
            self._connection.executemany("DELETE FROM revisions WHERE revision = ?", ((each,) for each in superseded))
            self._insert(rows, facts)

    def replace(self, rows: Iterable[Row], facts: Mapping[str, str]) -> None:
        """Puts these rows in the place of all others. Raises StorageFailed, or does all."""
        with self._transaction():
            self._connection.execute("DELETE FROM revisions")
            self._insert(rows, facts)

    def size(self) -> int:
        """How many bytes it has on disk, its log among them."""
        return sum(path.stat().st_size for path in self._paths if path.exists())

    def close(self) -> None:
        """Lets go of the file."""
        self._connection.close()

    def _insert(self, rows: Iterable[Row], facts: Mapping[str, str]) -> None:
        self._connection.executemany("INSERT INTO revisions VALUES (?, ?, ?, ?)", rows)
        self._connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())

    def _prepare(self, durable: bool) -> None:
        execute = self._connection.execute
        # The lock is kept until the file is closed, so that a second server is refused.
        execute("PRAGMA locking_mode = EXCLUSIVE")
        execute("PRAGMA journal_mode = WAL")
        execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
        execute("BEGIN EXCLUSIVE")
        if not execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            execute(f"PRAGMA application_id = {_APPLICATION}")
            execute(f"PRAGMA user_version = {FORMAT}")
            for statement in filter(str.strip, _TABLES.split(";")):
                execute(statement)
        execute("COMMIT")

    def _check(self, path: str | PathLike[str]) -> None:
        execute = self._connection.execute
        if execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            raise StorageUnusable(f"{path} is another program's database")
        (version,) = execute("PRAGMA user_version").fetchone()
        if version != FORMAT:
            raise StorageUnusable(f"{path} is of format {version}: this version of memkube reads {FORMAT}")
        (found,) = execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise StorageUnusable(f"{path} is damaged: {found}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise StorageFailed(f"cannot be written: {error}") from error


@contextmanager
def _opening(path: str | PathLike[str]) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise StorageUnusable(f"{path} is used by another server") from error
        raise StorageUnusable(f"{path} cannot be opened: {error}") from error
    except sqlite3.DatabaseError as error:
        raise StorageUnusable(f"{path} is damaged, or no database of SQLite: {error}") from error


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StorageUnusable(f"cannot be read: {error}") from error
