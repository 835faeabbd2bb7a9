"""The storage contract runs against every engine listed here."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from memkube.storage.interface import HistoryBounds, Storage
from memkube.storage.memory import MemoryStorage
from memkube.storage.sqlite import SqliteStorage
from tests.storage.notes import Note, NoteCodec

Engine: TypeAlias = Callable[[HistoryBounds], Storage[Note]]
"""Makes an empty storage that remembers this much."""


def memory(history: HistoryBounds) -> Storage[Note]:
    return MemoryStorage(NoteCodec(), history)


@pytest.fixture(params=["memory", "sqlite"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    opened: list[SqliteStorage[Note]] = []

    def sqlite(history: HistoryBounds) -> Storage[Note]:
        opened.append(SqliteStorage(tmp_path / f"{len(opened)}.db", NoteCodec(), history))
        return opened[-1]

    yield memory if request.param == "memory" else sqlite
    for storage in opened:
        storage.close()


@pytest.fixture
def storage(engine: Engine) -> Storage[Note]:
    return engine(HistoryBounds(changes=1000))
