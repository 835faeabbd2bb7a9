"""The storage contract runs against every engine listed here."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from memkube.storage.interface import HistoryBounds, Storage
from memkube.storage.memory import MemoryStorage
from tests.storage.notes import Note, NoteCodec

Engine: TypeAlias = Callable[[HistoryBounds], Storage[Note]]
"""Makes an empty storage that remembers this much."""


def memory(history: HistoryBounds) -> Storage[Note]:
    return MemoryStorage(NoteCodec(), history)


@pytest.fixture(params=[memory])
def engine(request: pytest.FixtureRequest) -> Engine:
    made: Engine = request.param
    return made


@pytest.fixture
def storage(engine: Engine) -> Storage[Note]:
    return engine(HistoryBounds(changes=1000))
