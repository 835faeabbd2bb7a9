import json

from memkube import Memkube
from tests.cli.processes import run_memkube

POD = {"containers": [{"name": "app", "image": "nginx:1.27"}]}


def test_nodes_are_listed_and_made_to_fail(environment: dict[str, str]) -> None:
    with Memkube(nodes=2, clock="stepped") as kube:
        at = {**environment, "MEMKUBE_SERVER": kube.url}
        assert run_memkube(at, "nodes", "fail", "node-1").stdout.endswith(": failed\n")
        listed = json.loads(run_memkube(at, "nodes", "list", "-o", "json").stdout)
        assert [(node["name"], node["failed"]) for node in listed] == [("node-1", True), ("node-2", False)]
        assert run_memkube(at, "nodes", "recover", "node-1").stdout.endswith(": running\n")
        assert len(run_memkube(at, "nodes", "list").stdout.splitlines()) == 2
        assert run_memkube(at, "nodes", "available", "node-1", "memory=50Mi").returncode == 0
        conditions = kube.get("nodes", "node-1")["status"]["conditions"]
        assert next(c["status"] for c in conditions if c["type"] == "MemoryPressure") == "True"
        assert 'nodes "node-9" not found' in run_memkube(at, "nodes", "fail", "node-9").stderr


def test_a_node_is_drained_unless_a_pod_would_be_lost(environment: dict[str, str]) -> None:
    with Memkube(nodes=1, clock="stepped") as kube:
        at = {**environment, "MEMKUBE_SERVER": kube.url}
        kube.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": POD})
        kube.clock.advance(10)
        refused = run_memkube(at, "nodes", "drain", "node-1")
        assert refused.returncode != 0
        assert "Pods that declare no controller (use --force to override): default/one" in refused.stderr
        drained = run_memkube(at, "nodes", "drain", "node-1", "--force")
        assert (drained.returncode, drained.stdout) == (0, "pod default/one: evicted\nnode-1: drained\n")


def test_a_drain_that_is_not_finished_exits_with_1(environment: dict[str, str]) -> None:
    with Memkube(nodes=1, clock="stepped") as kube:
        at = {**environment, "MEMKUBE_SERVER": kube.url}
        kube.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": POD})
        kube.clock.advance(10)
        kube.nodes.fail("node-1")
        unfinished = run_memkube(at, "nodes", "drain", "node-1", "--force")
        assert (unfinished.returncode, unfinished.stdout.splitlines()[-1]) == (1, "node-1: not drained yet")
        assert kube.nodes.drain("node-1", force=True).terminating == ["default/one"]


def test_nodes_are_added_removed_rebooted_and_cut_off(environment: dict[str, str]) -> None:
    with Memkube(node_pools=[{"name": "db"}], clock="stepped") as kube:
        at = {**environment, "MEMKUBE_SERVER": kube.url}
        assert run_memkube(at, "nodes", "add", "db", "--zone", "zone-x").stdout == "db-1 in zone zone-x: running\n"
        assert run_memkube(at, "nodes", "remove", "db-0").stdout == "db-0: removed\n"
        assert run_memkube(at, "nodes", "pools").stdout == "db: db-1\n"
        shown = json.loads(run_memkube(at, "nodes", "pools", "-o", "json").stdout)
        assert [(one["pool"]["name"], one["nodes"]) for one in shown] == [("db", ["db-1"])]
        assert run_memkube(at, "nodes", "partition", "db-1").stdout.endswith(": running, cut off\n")
        assert run_memkube(at, "nodes", "heal", "db-1").stdout.endswith(": running\n")
        assert run_memkube(at, "nodes", "reboot", "db-1").stdout.endswith(": running\n")


def test_a_pool_is_unknown_if_there_are_no_pools(environment: dict[str, str]) -> None:
    with Memkube(clock="stepped") as kube:
        at = {**environment, "MEMKUBE_SERVER": kube.url}
        done = run_memkube(at, "nodes", "add", "db")
        assert (done.returncode, done.stderr) == (1, "memkube: unknown node pool 'db': there are none\n")
