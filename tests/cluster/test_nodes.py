from pathlib import Path
from typing import Any

import pytest

import memkube

POOL = {"name": "db", "count": 2, "labels": {"disk": "ssd"}, "zones": ["zone-a", "zone-b"]}


def deployment(replicas: int) -> dict[str, Any]:
    container = {"name": "app", "image": "nginx:1", "resources": {"requests": {"cpu": "1"}}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


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


def test_nodes_are_added_to_a_pool_and_removed() -> None:
    with memkube.Memkube(node_pools=[POOL], clock="stepped") as kube:
        (added,) = kube.nodes.add("db", zone="zone-x")
        assert (added.name, added.zone) == ("db-2", "zone-x")
        assert kube.nodes.remove("db-0").name == "db-0"
        (pool,) = kube.nodes.pools()
        assert (pool.nodes, names(kube)) == (["db-1", "db-2"], ["db-1", "db-2"])
        with pytest.raises(memkube.Refused, match="unknown node pool 'dbs': did you mean 'db'"):
            kube.nodes.add("dbs")


def test_a_snapshot_has_the_nodes_that_were_added_and_not_those_removed() -> None:
    with memkube.Memkube(node_pools=[POOL], clock="stepped") as kube:
        kube.nodes.add("db")
        for name in ("db-0", "db-1", "db-2"):
            kube.nodes.remove(name)
        taken = kube.snapshot()
        kube.nodes.add("db")
        kube.restore(taken)
        assert names(kube) == []
        assert [node.name for node in kube.nodes.add("db")] == ["db-3"]


def test_a_later_server_on_the_same_storage_has_the_same_nodes(tmp_path: Path) -> None:
    storage = f"sqlite:{tmp_path / 'objects.db'}"
    with memkube.Memkube(node_pools=[POOL], storage=storage) as kube:
        kube.nodes.add("db")
        kube.nodes.remove("db-0")
        kube.nodes.partition("db-1")
    with memkube.Memkube(node_pools=[POOL], storage=storage) as again:
        assert [(node.name, node.partitioned) for node in again.nodes] == [("db-1", True), ("db-2", False)]
        assert [node.name for node in again.nodes.add("db")] == ["db-3"]


def test_a_snapshot_keeps_what_a_partitioned_node_does() -> None:
    container = {"name": "app", "image": "busybox", "command": ["sleep", "30"]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [container]}}
    with memkube.Memkube(clock="stepped") as kube:
        kube.apply(pod)
        kube.nodes.partition("node-1")
        kube.clock.advance(40)
        kube.patch("pods", "web", {"metadata": {"labels": {"new": "yes"}}})
        taken = kube.snapshot()
    with memkube.Memkube(snapshot=taken) as again:
        again.clock.advance(60)
        assert again.get("pods", "web")["status"]["containerStatuses"][0]["restartCount"] == 0
        again.nodes.heal("node-1")
        assert again.get("pods", "web")["status"]["containerStatuses"][0]["restartCount"] == 2


def test_a_partitioned_node_does_not_answer() -> None:
    container = {"name": "app", "image": "nginx:1"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [container]}}
    with memkube.Memkube(clock="stepped") as kube:
        kube.apply(pod)
        kube.nodes.partition("node-1")
        with pytest.raises(memkube.Refused, match="i/o timeout"):
            kube.logs("web")
        kube.nodes.reboot("node-1")
        kube.nodes.heal("node-1")
        assert kube.get("pods", "web")["status"]["containerStatuses"][0]["restartCount"] == 1


def test_a_pool_grows_and_shrinks_across_a_snapshot() -> None:
    pool = {"name": "batch", "count": 0, "capacity": {"cpu": 2}, "autoscaling": {"max": 3}}
    with memkube.Memkube(node_pools=[pool], clock="stepped") as kube:
        kube.create(deployment(3))
        kube.clock.advance(20)
        assert names(kube) == ["batch-0", "batch-1"]
        kube.scale("deployments", "web", 0)
        # The autoscaler taints idle nodes after ten minutes, and removes them five seconds later.
        kube.clock.advance(612)
        taints = [taint["key"] for taint in kube.get("nodes", "batch-0")["spec"]["taints"]]
        assert "ToBeDeletedByClusterAutoscaler" in taints
        taken = kube.snapshot()
    with memkube.Memkube(snapshot=taken) as again:
        again.clock.advance(10)
        assert names(again) == []


def test_the_autoscaler_can_be_switched_off() -> None:
    pool = {"name": "batch", "count": 0, "autoscaling": {"max": 3}}
    with memkube.Memkube(node_pools=[pool], clock="stepped", controllers="all,-cluster-autoscaler") as kube:
        kube.create(deployment(1))
        kube.clock.advance(60)
        assert names(kube) == []


def test_a_snapshot_file_has_the_pods_of_a_partitioned_node_that_were_deleted(tmp_path: Path) -> None:
    container = {"name": "app", "image": "nginx:1"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [container]}}
    path = tmp_path / "cut_off.jsonl"
    with memkube.Memkube(clock="stepped") as kube:
        kube.apply(pod)
        kube.nodes.partition("node-1")
        kube.delete("pods", "web", grace_seconds=0)
        assert kube.list("pods") == []
        kube.snapshot().save(path)
    with memkube.Memkube(snapshot=path) as again:
        again.clock.advance(30)
        again.nodes.heal("node-1")
        again.apply(pod)
        assert again.get("pods", "web")["status"]["phase"] == "Running"
