"""The copy of etcd's values in this process, if etcd refuses requests."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from memkube.storage.errors import StorageFailed
from memkube.storage.etcd.client import CALL_SECONDS, EtcdClient
from memkube.storage.etcd.messages import message
from memkube.storage.etcd.options import EtcdOptions
from memkube.storage.etcd.reflector import Change, EtcdKeys, EtcdReflector
from tests.etcd_server import EtcdServer, needs_etcd

pytestmark = [pytest.mark.anyio, needs_etcd]


class RefusedOnce(EtcdClient):
    """A client whose next read fails as if etcd had too many requests."""

    refuses = False

    async def call(self, name: str, request: Any, seconds: float = CALL_SECONDS) -> Any:
        if name == "range" and self.refuses:
            self.refuses = False
            raise StorageFailed("etcdserver: too many requests")
        return await super().call(name, request, seconds)


class Copy:
    """A copy of etcd's values, without changes at first.

    The event `reloaded` is set when all values are loaded again, the event `changed` with each change.
    """

    seen = 0

    def __init__(self) -> None:
        self.reloaded = asyncio.Event()
        self.changed = asyncio.Event()

    def load(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        self.seen = revision

    def apply(self, changes: Sequence[Change], revision: int) -> None:
        self.seen = revision
        if changes:
            self.changed.set()

    def reload(self, values: Mapping[str, tuple[int, bytes]], revision: int) -> None:
        self.seen = revision
        self.reloaded.set()


async def test_values_are_read_again_after_etcd_has_refused_that_once(etcd_server: EtcdServer) -> None:
    client, copy = RefusedOnce(EtcdOptions.of(etcd_server.url)), Copy()
    written = message("RequestOp")(request_put=message("PutRequest")(key=b"/refused/a", value=b"{}"))
    for _ in range(2):
        revision = (await client.call("txn", message("TxnRequest")(success=[written]))).header.revision
    await client.call("compact", message("CompactionRequest")(revision=revision))
    client.refuses = True
    running = asyncio.create_task(EtcdReflector(client, EtcdKeys("/refused"), copy).run())
    async with asyncio.timeout(30):
        await copy.reloaded.wait()
    assert copy.seen >= revision
    client.close()
    await running


async def test_each_interruption_of_the_watch_is_logged_once(
    etcd_server: EtcdServer, caplog: pytest.LogCaptureFixture
) -> None:
    client, copy = EtcdClient(EtcdOptions.of(etcd_server.url)), Copy()
    written = message("RequestOp")(request_put=message("PutRequest")(key=b"/logged/a", value=b"{}"))
    reflector = EtcdReflector(client, EtcdKeys("/logged"), copy)
    await reflector.load("3.5.25", 100)
    running = asyncio.create_task(reflector.run())
    for interruptions in range(3):
        if interruptions:
            etcd_server.restart()
        copy.changed.clear()
        writer = EtcdClient(EtcdOptions.of(etcd_server.url))
        async with asyncio.timeout(60):
            await writer.call("txn", message("TxnRequest")(success=[written]))
            await copy.changed.wait()
        writer.close()
        assert len(caplog.records) == interruptions
    client.close()
    await running
