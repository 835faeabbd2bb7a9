from pathlib import Path
from typing import Any

import pytest

from memkube.controllers.nodes.pools import read_pools
from memkube.controllers.options import ControllerOptions
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import running
from tests.controllers.nodes import machines, node, taints

SMALL: dict[str, Any] = {
    "name": "small",
    "count": 3,
    "labels": {"disk": "ssd"},
    "taints": [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}],
    "zones": ["zone-a", "zone-b"],
    "capacity": {"cpu": 4, "memory": "8Gi", "example.com/gpu": 1},
}


def pools(*given: dict[str, Any], nodes: int = 0) -> ControllerOptions:
    return ControllerOptions(nodes, node_pools=read_pools(given))


@pytest.mark.anyio
async def test_nodes_of_a_pool_have_its_labels_taints_zones_and_capacity() -> None:
    async with running("kubelet", options=pools(SMALL)) as cluster:
        second = await node(cluster, "small-1")
        labels = second["metadata"]["labels"]
        assert (labels["disk"], labels["memkube.dev/node-pool"]) == ("ssd", "small")
        assert labels["topology.kubernetes.io/zone"] == "zone-b"
        assert second["status"]["allocatable"] == {
            "cpu": "4",
            "ephemeral-storage": "100Gi",
            "example.com/gpu": "1",
            "memory": "8Gi",
            "pods": "110",
        }
        assert "dedicated:NoSchedule" in await taints(cluster, "small-1")


@pytest.mark.anyio
async def test_pools_are_added_to_the_nodes_outside_of_pools() -> None:
    async with running("kubelet", options=pools(SMALL, {"name": "big"}, nodes=1)) as cluster:
        stored = (await cluster.store("nodes").list("", ListOptions())).items
        assert sorted(n.name for n in stored) == ["big-0", "node-1", "small-0", "small-1", "small-2"]
        assert len({machine.host_ip for machine in machines(cluster)}) == 5


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"lables": {}}, "pools[0].lables: unknown field 'lables': did you mean 'labels'?"),
        ({"capacity": {"memroy": "1Gi"}}, "pools[0].capacity: unknown resource 'memroy': did you mean 'memory'?"),
        ({"capacity": {"cpu": "four"}}, "pools[0].capacity.cpu: quantities must match the regular expression"),
        ({"capacity": {"pods": 300}}, "pools[0].capacity: pods: must be no more than 250"),
        ({"capacity": {"example.com/gpu": "500m"}}, "pools[0].capacity: example.com/gpu: must be an integer"),
        ({"taints": [{"key": "a", "effect": "Never"}]}, "pools[0].taints[0].effect: Input should be 'NoSchedule'"),
        (
            {"labels": {"topology.kubernetes.io/zone": "a"}},
            "a pool cannot set the label 'topology.kubernetes.io/zone': use zones instead",
        ),
        ({"name": "Small"}, "pools[0].name: a lowercase RFC 1123 label must consist of"),
        (
            {"name": "node"},
            "pools[0].name: a pool cannot have the name 'node': names of nodes outside of pools begin with it",
        ),
        ({"autoscaling": {"min": 4, "max": 9}}, "pools[0]: count must be from 4 to 9, the limits of autoscaling"),
    ],
)
def test_what_a_pool_cannot_be_is_refused_with_its_place(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=r"^node pools: ") as refused:
        read_pools([{**SMALL, **change}])
    assert problem in str(refused.value)


def test_two_pools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two pools have the name 'small'"):
        read_pools([SMALL, SMALL])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("pools: [", "cannot read the node pools"),
        ("[]", "must contain an object with the field pools"),
        ("a: 1", "pools.yaml: "),
    ],
)
def test_a_pool_file_that_cannot_be_read_is_named(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "pools.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=problem):
        read_pools(path)


def test_a_pool_file_that_does_not_exist_is_named_once(tmp_path: Path) -> None:
    path = tmp_path / "pools.yaml"
    with pytest.raises(ValueError, match=f"^cannot read the node pools {path}: No such file or directory$"):
        read_pools(path)


def test_too_many_nodes_in_pools_are_refused() -> None:
    with pytest.raises(ValueError, match="the number of nodes must be between 0 and 3000, not 3001"):
        pools({"name": "big", "count": 3000}, nodes=1)


@pytest.mark.anyio
async def test_memory_pressure_is_that_of_the_capacity_of_a_pool() -> None:
    tiny = {"name": "tiny", "capacity": {"memory": "300Mi"}}
    async with running("kubelet", options=pools(tiny)) as cluster:
        assert cluster.manager.kubelet is not None
        machine = machines(cluster).get("tiny-0")
        assert machine is not None
        # Only 1Mi of memory is available, which is below the kubelet's eviction threshold of 100Mi.
        cluster.manager.kubelet.evictions.set_available(machine, {"memory": 2**20})
        await cluster.settle()
        assert machine.pressures == ("MemoryPressure",)
