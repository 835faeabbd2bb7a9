"""Engines for the storage contract, whose tests run on each of them."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from memkube.storage.etcd.engine import EtcdStorage
from memkube.storage.etcd.options import EtcdOptions
from memkube.storage.interface import HistoryBounds, Storage
from memkube.storage.memory import MemoryStorage
from memkube.storage.sqlite.engine import SqliteStorage
from tests.etcd_server import EtcdServer, needs_etcd
from tests.storage.notes import Note, NoteCodec
from tests.storage.shifted import Shifted, ShiftedCodec

Engine: TypeAlias = Callable[[HistoryBounds], Awaitable[Storage[Note]]]
"""Function that creates an empty storage with these limits of its history."""


@pytest.fixture(params=["memory", "sqlite", pytest.param("etcd", marks=needs_etcd)])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    opened: list[Storage[Note]] = []

    async def memory(history: HistoryBounds) -> Storage[Note]:
        return MemoryStorage(NoteCodec(), history)

    async def sqlite(history: HistoryBounds) -> Storage[Note]:
        opened.append(SqliteStorage(tmp_path / f"{len(opened)}.db", NoteCodec(), history))
        return opened[-1]

    async def etcd(history: HistoryBounds) -> Storage[Note]:
        server: EtcdServer = request.getfixturevalue("etcd_server")
        options, codec = EtcdOptions.of(server.url, f"/{uuid.uuid4().hex}"), ShiftedCodec()
        storage = EtcdStorage(options, codec, history)
        opened.append(storage)
        await storage.start()
        return Shifted(storage, codec, storage.seen)

    yield {"memory": memory, "sqlite": sqlite, "etcd": etcd}[request.param]
    for storage in opened:
        await storage.stop()


@pytest.fixture
async def storage(engine: Engine) -> Storage[Note]:
    return await engine(HistoryBounds(changes=1000))
