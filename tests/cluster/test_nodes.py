"""The simulated nodes and their pools, through the Python API."""

from pathlib import Path

import pytest

import memkube

POOL = {"name": "db", "count": 2, "labels": {"disk": "ssd"}, "zones": ["zone-a", "zone-b"]}


def names(kube: memkube.Memkube) -> list[str]:
    return [node.name for node in kube.nodes]


def test_a_cluster_has_the_nodes_of_its_pools() -> None:
    with memkube.Memkube(node_pools=[POOL], clock="stepped") as kube:
        assert [(node.name, node.pool, node.zone) for node in kube.nodes] == [
            ("db-0", "db", "zone-a"),
            ("db-1", "db", "zone-b"),
        ]
        assert kube.get("nodes", "db-0")["metadata"]["labels"]["disk"] == "ssd"


def test_pools_come_from_a_file_or_its_content_in_addition_to_nodes(tmp_path: Path) -> None:
    path = tmp_path / "pools.yaml"
    path.write_text("pools: [{name: db, count: 2}]")
    with memkube.Memkube(node_pools=path, nodes=1) as kube:
        assert names(kube) == ["node-1", "db-0", "db-1"]
    with memkube.Memkube(node_pools={"pools": [{"name": "one"}]}) as kube:
        assert names(kube) == ["one-0"]


def test_a_wrong_pool_is_a_usage_error() -> None:
    with pytest.raises(memkube.UsageError, match="unknown field 'lables': did you mean 'labels'"):
        memkube.Memkube(node_pools=[{"name": "db", "lables": {}}]).__enter__()


def test_the_nodes_of_a_snapshot_keep_their_pools() -> None:
    with memkube.Memkube(node_pools=[POOL], clock="stepped") as kube:
        before, taken = kube.get("nodes", "db-1"), kube.snapshot()
    with memkube.Memkube(snapshot=taken) as again:
        assert names(again) == ["db-0", "db-1"]
        again.nodes.fail("db-1")
        again.nodes.recover("db-1")
        assert again.get("nodes", "db-1")["metadata"]["uid"] == before["metadata"]["uid"]
        assert again.get("nodes", "db-1")["status"]["nodeInfo"] == before["status"]["nodeInfo"]
    with pytest.raises(memkube.UsageError, match="the nodes and their pools are those of the snapshot"):
        memkube.Memkube(snapshot=taken, node_pools=[POOL]).__enter__()


def test_equal_seeds_give_equal_machines() -> None:
    def identities() -> list[str]:
        with memkube.Memkube(node_pools=[POOL], clock="stepped", seed=7) as kube:
            return [kube.get("nodes", name)["status"]["nodeInfo"]["bootID"] for name in names(kube)]

    assert identities() == identities()
