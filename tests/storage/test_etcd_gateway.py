"""Which revision an etcd has come to, by its gateway; and where it has none."""

import asyncio
import uuid
from pathlib import Path

import pytest

from memkube.storage.etcd import EtcdStorage
from memkube.storage.etcd_gateway import EtcdGateway, GatewayFailed
from memkube.storage.etcd_options import EtcdOptions
from tests.etcd_server import EtcdServer, linked, needs_etcd
from tests.storage.notes import Note, NoteCodec

pytestmark = [pytest.mark.anyio, needs_etcd]


async def test_the_gateway_tells_of_what_was_written(etcd_server: EtcdServer) -> None:
    options = EtcdOptions.of(etcd_server.url, f"/{uuid.uuid4().hex}")
    storage, gateway = EtcdStorage(options, NoteCodec()), EtcdGateway(options, b"/anything")
    await storage.start()
    for number in range(3):
        written = await storage.create(f"/notes/{number}", Note("a"))
        assert await gateway.newest(etcd_server.endpoint, "") >= written.revision
    gateway.close()
    await storage.stop()


async def test_an_etcd_without_a_gateway_is_read_as_well(tmp_path: Path) -> None:
    server = EtcdServer(tmp_path / "data", ["--enable-grpc-gateway=false"])
    storage = EtcdStorage(EtcdOptions.of(server.url), NoteCodec())
    await storage.start()
    with pytest.raises(GatewayFailed):
        await EtcdGateway(EtcdOptions.of(server.url), b"/anything").newest(server.endpoint, "")
    created = await storage.create("/notes/one", Note("a"))
    assert await storage.get("/notes/one") == created
    await storage.stop()
    server.kill()


async def test_a_gateway_that_hung_up_is_left_alone_for_a_moment(etcd_server: EtcdServer) -> None:
    async with linked(etcd_server.endpoint) as link:
        gateway = EtcdGateway(EtcdOptions.of(f"http://{link.endpoint}"), b"/anything")
        assert await gateway.newest(link.endpoint, "")
        link.cut()
        with pytest.raises(GatewayFailed):
            await gateway.newest(link.endpoint, "")
        link.mend()
        begun = asyncio.get_running_loop().time()
        with pytest.raises(GatewayFailed):
            await gateway.newest(link.endpoint, "")
        assert asyncio.get_running_loop().time() - begun < 1
