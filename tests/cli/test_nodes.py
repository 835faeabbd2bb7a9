import json

from memkube import Memkube
from tests.cli.processes import run_memkube


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
