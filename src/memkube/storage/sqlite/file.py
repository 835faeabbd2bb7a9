"""A SQLite file with revisions of values, written in one transaction for each batch of changes.

Like etcd's database, the table has a row for each change in the history and for the current value of each key. The next
row with the same key supersedes a row. A superseded row is deleted when the change in that next row is compacted.
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
"""Version of the table format, stored as the file's ``user_version``."""
_APPLICATION: Final = int.from_bytes(b"mkub")
_TABLES: Final = """
CREATE TABLE revisions (
    revision INTEGER PRIMARY KEY, type TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL
) STRICT;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""


class Row(NamedTuple):
    """A row of the table: a change in the history, or a current value whose change has been compacted."""

    revision: int
    type: EventType
    key: str
    value: bytes


class SqliteFile:
    """A SQLite file, locked by this process while it is open.

    Its methods must not be called by several threads at once.
    """

    def __init__(self, path: str | PathLike[str], *, durable: bool = True) -> None:
        """Open or create the file.

        With `durable`, each commit waits for the disk. Raises StorageUnusable if the file cannot be opened.
        """
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
        """Return the stored metadata of the storage, by name. Raises StorageUnusable if the file cannot be read."""
        with _reading():
            return dict(self._connection.execute("SELECT name, value FROM facts"))

    def rows(self) -> Iterator[Row]:
        """Yield all rows, sorted by revision. Raises StorageUnusable if the file cannot be read."""
        with _reading():
            yield from map(
                Row._make,
                self._connection.execute("SELECT revision, type, key, value FROM revisions ORDER BY revision"),
            )

    def write(self, rows: Sequence[Row], superseded: Iterable[int], facts: Mapping[str, str]) -> None:
        """Add rows, delete the rows with the revisions `superseded`, and store metadata (`facts`), in one transaction.

        Raises StorageFailed if the file cannot be written.
        """
        with self._transaction():
            self._connection.executemany("DELETE FROM revisions WHERE revision = ?", ((each,) for each in superseded))
            self._insert(rows, facts)

    def replace(self, rows: Iterable[Row], facts: Mapping[str, str]) -> None:
        """Replace all rows, and store metadata (`facts`), in one transaction.

        Raises StorageFailed if the file cannot be written.
        """
        with self._transaction():
            self._connection.execute("DELETE FROM revisions")
            self._insert(rows, facts)

    def size(self) -> int:
        """Return the size of the file on disk in bytes, including the write-ahead log."""
        return sum(path.stat().st_size for path in self._paths if path.exists())

    def close(self) -> None:
        """Close the file and release its lock."""
        self._connection.close()

    def _insert(self, rows: Iterable[Row], facts: Mapping[str, str]) -> None:
        self._connection.executemany("INSERT INTO revisions VALUES (?, ?, ?, ?)", rows)
        self._connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())

    def _prepare(self, durable: bool) -> None:
        execute = self._connection.execute
        # SQLite holds the lock until the file is closed, so that no second server can open the file.
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
            raise StorageUnusable(f"{path} is another program's database: choose another file")
        (version,) = execute("PRAGMA user_version").fetchone()
        if version != FORMAT:
            raise StorageUnusable(
                f"{path} has format version {version}; this version of memkube reads version {FORMAT}"
            )
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
            raise StorageFailed(f"cannot write to the SQLite file: {error}") from error


@contextmanager
def _opening(path: str | PathLike[str]) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise StorageUnusable(f"{path} is used by another server: stop it, or choose another file") from error
        raise StorageUnusable(f"{path} cannot be opened: {error}") from error
    except sqlite3.DatabaseError as error:
        raise StorageUnusable(f"{path} is damaged or not a SQLite database: {error}") from error


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StorageUnusable(f"cannot read the SQLite file: {error}") from error
