from pathlib import Path

import anyio
import httpx
import pytest

import memkube

_SETTINGS = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"colour": "blue"}}


@pytest.mark.anyio
async def test_the_loop_goes_on_while_something_is_waited_for() -> None:
    async with memkube.Memkube(controllers="none") as kube, anyio.create_task_group() as tasks:
        found = []

        async def wait() -> None:
            found.append(await kube.wait_for("configmaps", "settings", "create"))

        tasks.start_soon(wait)
        await kube.apply(_SETTINGS)
    assert [state["data"] for state in found if state] == [{"colour": "blue"}]


@pytest.mark.anyio
async def test_awaited_it_does_what_it_does_otherwise() -> None:
    async with memkube.Memkube(nodes=2, clock="stepped") as kube:
        await kube.nodes.fail("node-2")
        before = kube.clock.now()
        assert (await kube.clock.advance(60) - before).total_seconds() == 60
        assert [node.failed for node in await kube.nodes.all()] == [False, True]
        await kube.behaviors.put("crashing", {"exitCode": 1})
        assert list(await kube.behaviors.all()) == ["crashing"]
        assert kube.url in kube.kubeconfig.read_text()
        with pytest.raises(memkube.Refused, match="not found"):
            await kube.object("configmaps", "settings")


@pytest.mark.anyio
async def test_a_wait_can_be_cancelled() -> None:
    async with memkube.Memkube(controllers="none") as kube:
        with anyio.move_on_after(0.05) as scope:
            await kube.wait_for("configmaps", "settings", "create", timeout=60)
        assert scope.cancelled_caught
        assert await kube.objects("configmaps", "default") == []


@pytest.mark.anyio
async def test_the_bare_application_serves_httpx_without_a_socket() -> None:
    async with (
        memkube.asgi_application(controllers="none") as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://memkube") as client,
    ):
        created = await client.post("/api/v1/namespaces/default/configmaps", json=_SETTINGS)
        listed = await client.get("/api/v1/namespaces/default/configmaps")
    assert [created.json()["metadata"]["uid"]] == [item["metadata"]["uid"] for item in listed.json()["items"]]


@pytest.mark.anyio
async def test_the_bare_application_names_a_storage_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(memkube.ServerError, match=r"cluster\.db"):
        async with memkube.asgi_application(controllers="none", storage=f"sqlite:{tmp_path}/missing/cluster.db"):
            pass
