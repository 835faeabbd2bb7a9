from ipaddress import IPv4Network

import pytest

from memkube.controllers.node_ipam import CidrSet, NoBlockLeft
from tests.controllers.cluster import Cluster, running

CONTROLLER = "node-ipam-controller"

pytestmark = pytest.mark.anyio


async def add_node(cluster: Cluster, name: str, *blocks: str) -> None:
    await cluster.create(
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": {"podCIDRs": list(blocks)}}
    )


async def blocks(cluster: Cluster, *names: str) -> list[list[str]]:
    nodes = [await cluster.get("nodes", name, "") for name in names]
    return [node["spec"].get("podCIDRs", []) if node else [] for node in nodes]


async def test_nodes_without_a_block_get_the_next_free_one() -> None:
    async with running(CONTROLLER) as cluster:
        await add_node(cluster, "mine", "10.240.1.0/24")
        for name in ("a", "b"):
            await add_node(cluster, name)
        assert await blocks(cluster, "mine", "a", "b") == [["10.240.1.0/24"], ["10.240.0.0/24"], ["10.240.2.0/24"]]


async def test_simulated_nodes_keep_their_blocks() -> None:
    async with running("kubelet", CONTROLLER, nodes=2) as cluster:
        assert await blocks(cluster, "node-1", "node-2") == [["10.244.1.0/24"], ["10.244.2.0/24"]]


@pytest.mark.parametrize("block", ["192.168.0.0/24", "fd00::/64"])
async def test_blocks_outside_the_range_are_ignored(block: str) -> None:
    async with running(CONTROLLER) as cluster:
        await add_node(cluster, "mine", block)
        await add_node(cluster, "a")
        assert await blocks(cluster, "a") == [["10.240.0.0/24"]]


def small(*occupied: str) -> CidrSet:
    """Return a set of four blocks with 16 addresses each, some of which are occupied."""
    blocks = CidrSet(IPv4Network("10.0.0.0/26"), 28)
    for network in occupied:
        blocks.occupy(IPv4Network(network))
    return blocks


@pytest.mark.parametrize(
    ("occupied", "free"),
    [
        ((), "10.0.0.0/28"),
        (("10.0.0.0/28",), "10.0.0.16/28"),
        (("10.0.0.0/27",), "10.0.0.32/28"),
        (("10.0.0.1/32",), "10.0.0.16/28"),
        (("9.0.0.0/8",), "10.0.0.0/28"),
    ],
)
def test_a_network_occupies_each_block_that_it_overlaps(occupied: tuple[str, ...], free: str) -> None:
    assert str(small(*occupied).allocate()) == free


def test_a_released_block_is_allocated_again_after_all_others() -> None:
    blocks = small()
    first = blocks.allocate()
    blocks.release(first)
    assert [str(blocks.allocate()) for _ in range(4)] == ["10.0.0.16/28", "10.0.0.32/28", "10.0.0.48/28", "10.0.0.0/28"]
    with pytest.raises(NoBlockLeft):
        blocks.allocate()


def test_a_larger_network_occupies_all_blocks() -> None:
    with pytest.raises(NoBlockLeft):
        small("10.0.0.0/8").allocate()
