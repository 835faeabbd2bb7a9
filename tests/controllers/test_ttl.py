import pytest

from tests.controllers.cluster import Cluster, running

CONTROLLER = "ttl-controller"
TTL = "node.alpha.kubernetes.io/ttl"

pytestmark = pytest.mark.anyio


async def add_nodes(cluster: Cluster, first: int, last: int) -> None:
    for number in range(first, last + 1):
        await cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{number}"}})


async def annotations(cluster: Cluster, name: str) -> dict[str, str]:
    """Return the annotations of a node after the controller has checked it."""
    await cluster.clock.advance(1)
    node = await cluster.get("nodes", name, "")
    assert node is not None
    found: dict[str, str] = node["metadata"]["annotations"]
    return found


async def ttl(cluster: Cluster, name: str) -> str:
    return (await annotations(cluster, name))[TTL]


async def test_nodes_get_the_annotation() -> None:
    async with running(CONTROLLER) as cluster:
        await add_nodes(cluster, 1, 1)
        assert await ttl(cluster, "n1") == "0"


@pytest.mark.parametrize("written", ["77", "soon", "", "1_0", "0x0"])
async def test_another_value_is_replaced(written: str) -> None:
    async with running(CONTROLLER) as cluster:
        await add_nodes(cluster, 1, 1)
        await cluster.change("nodes", "n1", "", metadata={"annotations": {TTL: written, "mine": "x"}})
        assert await annotations(cluster, "n1") == {TTL: "0", "mine": "x"}


@pytest.mark.parametrize("written", ["+0", "-0", "00"])
async def test_other_spellings_of_the_number_stay(written: str) -> None:
    async with running(CONTROLLER) as cluster:
        await add_nodes(cluster, 1, 1)
        await cluster.change("nodes", "n1", "", metadata={"annotations": {TTL: written}})
        assert await ttl(cluster, "n1") == written


async def test_larger_clusters_have_longer_times() -> None:
    async with running(CONTROLLER) as cluster:
        await add_nodes(cluster, 1, 100)
        assert await ttl(cluster, "n100") == "0"
        await add_nodes(cluster, 101, 101)
        assert (await ttl(cluster, "n100"), await ttl(cluster, "n101")) == ("0", "15")
        for number in range(1, 12):
            await cluster.delete("nodes", f"n{number}")
        await cluster.change("nodes", "n101", "", metadata={"labels": {"a": "b"}})
        assert await ttl(cluster, "n101") == "15"
        await cluster.delete("nodes", "n12")
        await cluster.change("nodes", "n101", "", metadata={"labels": {"a": "c"}})
        assert await ttl(cluster, "n101") == "0"
