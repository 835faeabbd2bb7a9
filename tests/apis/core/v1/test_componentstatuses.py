import socket

import httpx
import pytest

from memkube.apis.core.v1.componentstatuses.components import Health, probe
from memkube.server.server import Server
from memkube.server.settings import Settings

_ADDRESS = "/api/v1/componentstatuses"


@pytest.mark.anyio
async def test_where_nobody_listens_a_component_is_not_well() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        refused = f"dial tcp 127.0.0.1:{port}: connect: connection refused"
        assert await probe(port) == Health("False", f'Get "https://127.0.0.1:{port}/healthz": {refused}')


@pytest.mark.anyio
async def test_who_does_not_speak_tls_is_not_well(server: Server) -> None:
    assert (await probe(server.port)).status == "False"


def test_controllers_of_this_process_are_well() -> None:
    with (
        Server(Settings(controllers=("namespace-controller", "scheduler"))).in_thread() as server,
        httpx.Client(base_url=server.url) as client,
    ):
        items = client.get(_ADDRESS).json()["items"]
    assert [item["metadata"]["name"] for item in items] == ["controller-manager", "etcd-0", "scheduler"]
    assert [item["conditions"][0]["message"] for item in items] == ["ok", "ok", "ok"]


def test_a_list_of_what_is_computed_has_no_revision(client: httpx.Client) -> None:
    selected = client.get(_ADDRESS, params={"fieldSelector": "metadata.name=etcd-0"}).json()
    assert selected["metadata"] == {}
    assert [item["metadata"] for item in selected["items"]] == [{"name": "etcd-0"}]
    assert client.get(_ADDRESS, params={"labelSelector": "a=b"}).json()["items"] == []
