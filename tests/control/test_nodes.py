from typing import Any

import httpx
import pytest

from memkube.controllers.nodes.pools import read_pools
from memkube.controllers.options import ControllerOptions
from memkube.server.server import Server
from memkube.server.settings import Settings, StorageOptions

NODES = "/memkube/v1/nodes"


def ready(client: httpx.Client, name: str) -> str:
    conditions = client.get(f"/api/v1/nodes/{name}").json()["status"]["conditions"]
    status: str = next(condition["status"] for condition in conditions if condition["type"] == "Ready")
    return status


def test_the_simulated_nodes_are_shown(stepped: httpx.Client) -> None:
    assert stepped.get(NODES).json() == {
        "items": [
            {"name": "node-1", "pool": "", "zone": "zone-1", "failed": False, "partitioned": False},
            {"name": "node-2", "pool": "", "zone": "zone-2", "failed": False, "partitioned": False},
        ]
    }


def test_a_failed_node_is_unknown_until_it_recovers(stepped: httpx.Client) -> None:
    assert stepped.post(f"{NODES}/node-1/fail").json()["failed"] is True
    stepped.post("/memkube/v1/clock/advance", json={"seconds": 60})
    assert (ready(stepped, "node-1"), ready(stepped, "node-2")) == ("Unknown", "True")
    assert stepped.post(f"{NODES}/node-1/recover").json()["failed"] is False
    assert ready(stepped, "node-1") == "True"


def test_a_node_that_there_is_not_cannot_fail(stepped: httpx.Client) -> None:
    answer = stepped.post(f"{NODES}/node-9/fail")
    assert (answer.status_code, answer.json()["message"]) == (404, 'nodes "node-9" not found')


def test_a_node_without_a_simulated_kubelet_cannot_fail(stepped: httpx.Client) -> None:
    stepped.post("/api/v1/nodes", json={"metadata": {"name": "mine"}}).raise_for_status()
    answer = stepped.post(f"{NODES}/mine/recover")
    assert (answer.status_code, answer.json()["reason"]) == (409, "Conflict")


def test_without_kubelets_there_is_nothing_that_could_fail(client: httpx.Client) -> None:
    answer = client.get(NODES)
    assert (answer.status_code, answer.json()["kind"], answer.json()["reason"]) == (501, "Status", "NotImplemented")


def test_a_server_that_runs_in_real_time_answers_at_once() -> None:
    with Server(Settings()).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        assert client.post(f"{NODES}/node-1/fail").json()["failed"] is True


def test_what_a_node_has_available_is_set_and_reset(stepped: httpx.Client) -> None:
    def pressure() -> str:
        conditions = stepped.get("/api/v1/nodes/node-1").json()["status"]["conditions"]
        status: str = next(c["status"] for c in conditions if c["type"] == "DiskPressure")
        return status

    stepped.put(f"{NODES}/node-1/available", json={"imagefs": "1Gi"}).raise_for_status()
    assert pressure() == "True"
    stepped.put(f"{NODES}/node-1/available", json={}).raise_for_status()
    stepped.post("/memkube/v1/clock/advance", json={"seconds": 320})
    assert pressure() == "False"


def test_an_unknown_resource_of_a_node_is_refused(stepped: httpx.Client) -> None:
    assert stepped.put(f"{NODES}/node-1/available", json={"disk": "1Gi"}).status_code == 422


def test_nodes_are_added_and_removed(stepped: httpx.Client) -> None:
    (added,) = stepped.post(NODES, json={"zone": "zone-x"}).json()["items"]
    assert (added["name"], added["zone"], ready(stepped, "node-3")) == ("node-3", "zone-x", "True")
    assert stepped.delete(f"{NODES}/node-1").json()["name"] == "node-1"
    assert [node["name"] for node in stepped.get(NODES).json()["items"]] == ["node-2", "node-3"]
    assert stepped.get("/api/v1/nodes/node-1").status_code == 404
    assert stepped.delete(f"{NODES}/node-1").status_code == 404


def test_an_unknown_pool_is_not_found(stepped: httpx.Client) -> None:
    answer = stepped.post(NODES, json={"pool": "db"})
    assert (answer.status_code, answer.json()["message"]) == (404, "unknown node pool 'db': there are none")


@pytest.mark.parametrize("new", [{"count": 0}, {"zone": "a b"}, {"pools": "db"}])
def test_new_nodes_that_cannot_be_are_refused(stepped: httpx.Client, new: dict[str, Any]) -> None:
    assert stepped.post(NODES, json=new).status_code == 422


def test_too_many_nodes_are_refused(stepped: httpx.Client) -> None:
    assert stepped.post(NODES, json={"count": 3000}).status_code == 409


def test_a_node_is_cut_off_until_it_is_healed(stepped: httpx.Client) -> None:
    assert stepped.post(f"{NODES}/node-1/partition").json()["partitioned"] is True
    stepped.post("/memkube/v1/clock/advance", json={"seconds": 60})
    assert ready(stepped, "node-1") == "Unknown"
    assert stepped.post(f"{NODES}/node-1/heal").json()["partitioned"] is False
    assert ready(stepped, "node-1") == "True"


def test_a_reboot_changes_the_boot_id(stepped: httpx.Client) -> None:
    def boot() -> str:
        found: str = stepped.get("/api/v1/nodes/node-1").json()["status"]["nodeInfo"]["bootID"]
        return found

    before = boot()
    stepped.post(f"{NODES}/node-1/reboot").raise_for_status()
    assert boot() != before


def test_pools_are_shown_with_their_nodes(place: StorageOptions) -> None:
    pools = read_pools([{"name": "db", "count": 1}])
    settings = Settings(storage=place, clock="stepped", controller_options=ControllerOptions(0, node_pools=pools))
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        client.post(NODES, json={"pool": "db"}).raise_for_status()
        (shown,) = client.get("/memkube/v1/node-pools").json()["items"]
        assert (shown["pool"]["name"], shown["nodes"]) == ("db", ["db-0", "db-1"])
