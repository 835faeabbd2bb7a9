"""Calls to a real etcd with memkube's own connection."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from memkube.storage.errors import StorageClosed, StorageFailed, StorageUnavailable
from memkube.storage.etcd import connection
from memkube.storage.etcd.call import CallFailed
from memkube.storage.etcd.client import EtcdClient
from memkube.storage.etcd.connection import GrpcConnection
from memkube.storage.etcd.messages import message
from memkube.storage.etcd.options import EtcdOptions
from tests.etcd_server import EtcdServer, linked, needs_etcd

pytestmark = [pytest.mark.anyio, needs_etcd]
_HEADERS = ((b"te", b"trailers"), (b"content-type", b"application/grpc"))
_LARGE = 1_400_000
"""Size in bytes of a large value. etcd accepts requests of up to 1.5 MiB."""


def put(key: bytes, value: bytes) -> Any:
    operation = message("RequestOp")(request_put=message("PutRequest")(key=key, value=value))
    return message("TxnRequest")(success=[operation])


def read(key: bytes) -> Any:
    return message("RangeRequest")(key=key)


@pytest.fixture
async def client(etcd_server: EtcdServer) -> AsyncIterator[EtcdClient]:
    client = EtcdClient(EtcdOptions.of(etcd_server.url))
    await client.open()
    yield client
    client.close()


@pytest.fixture
def own_etcd(tmp_path: Path) -> Iterator[EtcdServer]:
    """An etcd that a test may kill or pause."""
    server = EtcdServer(tmp_path / "data")
    yield server
    server.kill()


async def test_what_is_larger_than_a_window_comes_and_goes_whole(client: EtcdClient) -> None:
    values = [bytes([number]) * _LARGE for number in range(20)]
    for number, value in enumerate(values):
        await client.call("txn", put(b"/large/%d" % number, value))
    answers = await asyncio.gather(*(client.call("range", read(b"/large/%d" % number)) for number in range(20)))
    assert [answer.kvs[0].value for answer in answers] == values


async def test_many_calls_at_once_are_answered_each(client: EtcdClient) -> None:
    await asyncio.gather(*(client.call("txn", put(b"/many/%d" % number, b"%d" % number)) for number in range(500)))
    answers = await asyncio.gather(*(client.call("range", read(b"/many/%d" % number)) for number in range(500)))
    assert [int(answer.kvs[0].value) for answer in answers] == list(range(500))


async def test_what_etcd_refuses_is_told_in_its_words(client: EtcdClient) -> None:
    with pytest.raises(StorageFailed, match="etcdserver: key is not provided"):
        await client.call("txn", put(b"", b""))


async def test_a_call_of_what_is_not_there_ends_without_a_message(etcd_server: EtcdServer) -> None:
    connection = await GrpcConnection.open(etcd_server.endpoint, None)
    call = connection.call(b"/etcdserverpb.KV/Nothing", _HEADERS, lambda _: None)
    call.send(b"", last=True)
    with pytest.raises(CallFailed, match="unknown method Nothing") as failed:
        await call.ended
    assert failed.value.code == 12
    connection.close()


async def test_calls_under_way_fail_when_the_connection_breaks(etcd_server: EtcdServer) -> None:
    async with linked(etcd_server.endpoint) as link:
        client = EtcdClient(EtcdOptions.of(f"http://{link.endpoint}"))
        await client.open()
        reads = [asyncio.ensure_future(client.call("range", read(b"/a"))) for _ in range(3)]
        await asyncio.sleep(0)
        link.cut()
        failed = await asyncio.gather(*reads, return_exceptions=True)
        assert {type(error) for error in failed} == {StorageUnavailable}
        link.mend()
        assert (await client.call("range", read(b"/a"))).header.revision
        client.close()


async def test_who_is_told_nothing_in_time_stops_waiting(own_etcd: EtcdServer) -> None:
    client = EtcdClient(EtcdOptions.of(own_etcd.url))
    await client.open()
    with own_etcd.paused(), pytest.raises(StorageUnavailable, match="no answer within 0 s"):
        await client.call("range", read(b"/a"), 0.3)
    assert (await client.call("range", read(b"/a"))).header.revision
    client.close()


@pytest.mark.slow
async def test_a_member_that_stands_still_is_pinged_and_given_up(own_etcd: EtcdServer) -> None:
    connection = await GrpcConnection.open(own_etcd.endpoint, None)
    call = connection.call(b"/etcdserverpb.Watch/Watch", _HEADERS, lambda _: None)
    with own_etcd.paused(), pytest.raises(CallFailed, match="etcd does not answer pings"):
        await asyncio.wait_for(call.ended, 60)
    assert not connection.is_open


async def test_when_numbers_are_used_up_calls_go_on_by_another_connection(
    client: EtcdClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_LAST_STREAM", 9)
    await asyncio.gather(*(client.call("txn", put(b"/numbers", b"%d" % number)) for number in range(40)))
    assert (await client.call("range", read(b"/numbers"))).kvs[0].value


async def test_a_client_that_is_closed_says_so(client: EtcdClient) -> None:
    waiting = asyncio.ensure_future(client.call("range", read(b"/a")))
    await asyncio.sleep(0)
    client.close()
    with pytest.raises(StorageClosed):
        await waiting
    with pytest.raises(StorageClosed):
        await client.call("range", read(b"/a"))
