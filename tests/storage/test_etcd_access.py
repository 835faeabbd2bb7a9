"""An etcd with authentication, and an etcd with several members."""

from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import httpx
import pytest

from memkube.storage.errors import StorageUnusable
from memkube.storage.etcd.engine import EtcdStorage
from memkube.storage.etcd.options import EtcdOptions
from memkube.storage.interface import HistoryBounds
from tests.etcd_server import EtcdServer, members, needs_etcd
from tests.hooks.listening import LOOPBACK, Certificates
from tests.storage.etcd.test_engine import KEY, events_of, eventually, texts
from tests.storage.notes import Note, NoteCodec, rewrite

pytestmark = [pytest.mark.anyio, needs_etcd]
_PASSWORD: Final = "p@ss/word"


@asynccontextmanager
async def opened(options: EtcdOptions) -> AsyncIterator[EtcdStorage[Note]]:
    storage = EtcdStorage(options, NoteCodec(), HistoryBounds(1000))
    await storage.start()
    try:
        yield storage
    finally:
        await storage.stop()


async def is_asked_and_tells(storage: EtcdStorage[Note]) -> None:
    watcher = storage.watch("/notes/", after=await storage.current_revision())
    created = await storage.create(KEY, Note("a"))
    assert await storage.get(KEY) == created
    await storage.update(KEY, rewrite("b"))
    assert texts(await events_of(watcher, 2)) == ["a", "b"]


@pytest.fixture
def signed(tmp_path: Path) -> Iterator[EtcdOptions]:
    """An etcd with TLS that requires client certificates."""
    authority, files = Certificates.make(), {name: tmp_path / f"{name}.pem" for name in ("ca", "server", "client")}
    files["ca"].write_bytes(authority.bundle)
    for name in ("server", "client"):
        files[name].write_bytes(authority.issue(LOOPBACK))
    options = [f"--cert-file={files['server']}", f"--key-file={files['server']}"]
    options += ["--client-cert-auth", f"--trusted-ca-file={files['ca']}"]
    server = EtcdServer(tmp_path / "data", options, "https")
    yield EtcdOptions.of(server.url, "/registry", files["ca"], files["client"], files["client"])
    server.kill()


async def test_an_etcd_is_shown_a_certificate(signed: EtcdOptions) -> None:
    async with opened(signed) as storage:
        await is_asked_and_tells(storage)


@pytest.mark.slow
async def test_who_shows_none_is_turned_away(signed: EtcdOptions) -> None:
    with pytest.raises(StorageUnusable):
        await EtcdStorage(replace(signed, cert_file=None, key_file=None), NoteCodec()).start()


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[EtcdServer]:
    """An etcd with the users ``root``, ``memkube``, and ``nobody``, who has no rights."""
    server = EtcdServer(tmp_path / "data")
    with httpx.Client(base_url=f"{server.url}/v3/auth/", trust_env=False) as client:
        everything = b64encode(b"\0").decode()
        users: list[tuple[str, dict[str, object]]] = [
            ("user/add", {"name": name, "password": _PASSWORD}) for name in ("root", "memkube", "nobody")
        ]
        steps: Sequence[tuple[str, dict[str, object]]] = (
            ("role/add", {"name": "all"}),
            ("role/grant", {"name": "all", "perm": {"permType": 2, "key": everything, "range_end": everything}}),
            *users,
            ("user/grant", {"user": "root", "role": "root"}),
            ("user/grant", {"user": "memkube", "role": "all"}),
            ("enable", {}),
        )
        for path, body in steps:
            client.post(path, json=body).raise_for_status()
    yield server
    server.kill()


async def test_an_etcd_is_told_who_asks_again_and_again(guarded: EtcdServer) -> None:
    options = EtcdOptions.of(f"http://memkube:p%40ss%2Fword@{guarded.endpoint}")
    async with opened(options) as storage:
        await is_asked_and_tells(storage)
        guarded.restart()
        # After its restart, etcd does not know the token any more.
        await eventually(lambda: storage.update(KEY, rewrite("c")))
        assert (await storage.get(KEY)).text == "c"


@pytest.mark.parametrize("who", ["memkube:wrong@", "nobody:p%40ss%2Fword@", ""])
async def test_who_may_not_ask_is_told_so(guarded: EtcdServer, who: str) -> None:
    with pytest.raises(
        StorageUnusable, match=r"etcd refused the request: etcdserver: (authentication failed|permission|user name)"
    ):
        await EtcdStorage(EtcdOptions.of(f"http://{who}{guarded.endpoint}"), NoteCodec()).start()


@pytest.mark.slow
async def test_it_goes_on_with_two_of_three_members(tmp_path: Path) -> None:
    servers = members(tmp_path, 3)
    options = EtcdOptions.of(",".join(server.url for server in servers))
    async with opened(options) as storage:
        watcher = storage.watch("/notes/", after=storage.seen)
        await eventually(lambda: storage.create(KEY, Note("a")))
        servers[0].kill()
        await eventually(lambda: storage.update(KEY, rewrite("b")))
        assert (await eventually(lambda: storage.get(KEY))).text == "b"
        servers[0].start()
        with servers[1].paused():
            await eventually(lambda: storage.update(KEY, rewrite("c")))
            assert (await eventually(lambda: storage.get(KEY))).text == "c"
        assert texts(await events_of(watcher, 3)) == ["a", "b", "c"]
    for server in servers:
        server.kill()
