"""State besides objects that a storage keeps after its server has stopped."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube import Memkube

NODES = "/memkube/v1/nodes"
LISTENER = "/memkube/v1/services/default/hook/443"


@pytest.fixture
def storage(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'memkube.db'}"


def pod(name: str, **spec: Any) -> dict[str, Any]:
    containers = [{"name": "app", "image": "nginx"}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers, **spec}}


def in_phase(phase: str) -> Callable[[dict[str, Any] | None], bool]:
    return lambda found: found is not None and found["status"].get("phase") == phase


def waited_for(kube: Memkube, name: str, phase: str = "Running") -> dict[str, Any]:
    found = kube.wait_for("pods", name, in_phase(phase))
    assert found is not None
    status: dict[str, Any] = found["status"]
    return status


def requested_token(kube: Memkube) -> str:
    path = "/api/v1/namespaces/default/serviceaccounts/default/token"
    answered = httpx.post(f"{kube.url}{path}", json={}, trust_env=False).raise_for_status()
    token: str = answered.json()["status"]["token"]
    return token


def is_authenticated(kube: Memkube, token: str) -> bool:
    path = "/apis/authentication.k8s.io/v1/tokenreviews"
    answered = httpx.post(f"{kube.url}{path}", json={"spec": {"token": token}}, trust_env=False).raise_for_status()
    authenticated: bool = answered.json()["status"].get("authenticated", False)
    return authenticated


def test_a_token_is_good_in_the_next_life(storage: str) -> None:
    with Memkube(storage=storage, controllers="service-account") as kube:
        token = requested_token(kube)
    with Memkube(storage=storage, controllers="none") as kube:
        assert is_authenticated(kube, token)


def test_a_token_of_another_server_is_not(storage: str) -> None:
    with Memkube(controllers="service-account") as kube:
        token = requested_token(kube)
    with Memkube(storage=storage, controllers="service-account") as kube:
        assert not is_authenticated(kube, token)


def test_rules_for_containers_are_there_again(storage: str) -> None:
    with Memkube(storage=storage, controllers="all") as kube:
        kube.behaviors.put("ends", {"exitCode": 3})
        kube.behaviors.put("gone", {"exitCode": 4})
        kube.behaviors.delete("gone")
    with Memkube(storage=storage, controllers="all") as kube:
        assert [(name, rule.exitCode) for name, rule in kube.behaviors.all().items()] == [("ends", 3)]
        kube.apply(pod("web", restartPolicy="Never"))
        (container,) = waited_for(kube, "web", "Failed")["containerStatuses"]
        assert container["state"]["terminated"]["exitCode"] == 3


def test_listeners_of_services_are_there_again(storage: str) -> None:
    with Memkube(storage=storage, controllers="none") as kube:
        httpx.put(f"{kube.url}{LISTENER}", json={"port": 8443}, trust_env=False).raise_for_status()
    with Memkube(storage=storage, controllers="none") as kube:
        url = f"{kube.url}{LISTENER}"
        assert httpx.get(url, trust_env=False).json() == {"host": "127.0.0.1", "port": 8443}
        assert httpx.delete(url, trust_env=False).status_code == 204
    with Memkube(storage=storage, controllers="none") as kube:
        assert httpx.get(f"{kube.url}{LISTENER}", trust_env=False).status_code == 404


def test_a_node_that_has_failed_stays_so(storage: str) -> None:
    with Memkube(storage=storage, controllers="kubelet", nodes=2) as kube:
        httpx.post(f"{kube.url}{NODES}/node-2/fail", trust_env=False).raise_for_status()
    with Memkube(storage=storage, controllers="kubelet", nodes=2) as kube:
        shown = httpx.get(f"{kube.url}{NODES}", trust_env=False).json()["items"]
        assert [node["failed"] for node in shown] == [False, True]
        httpx.post(f"{kube.url}{NODES}/node-2/recover", trust_env=False).raise_for_status()
    with Memkube(storage=storage, controllers="kubelet", nodes=2) as kube:
        shown = httpx.get(f"{kube.url}{NODES}", trust_env=False).json()["items"]
        assert [node["failed"] for node in shown] == [False, False]


def test_machines_are_the_same_ones(storage: str) -> None:
    known = []
    for _ in range(2):
        with Memkube(storage=storage, controllers="kubelet") as kube:
            info = kube.object("nodes", "node-1")["status"]["nodeInfo"]
            known.append((info["machineID"], info["systemUUID"], info["bootID"]))
    assert known[0] == known[1]


def test_pods_keep_their_addresses_and_new_ones_get_others(storage: str) -> None:
    with Memkube(storage=storage, controllers="all") as kube:
        kube.apply(pod("first"), pod("second"))
        waited_for(kube, "first")
        before = waited_for(kube, "second")["podIP"]
        httpx.delete(f"{kube.url}/api/v1/namespaces/default/pods/first", trust_env=False).raise_for_status()
        kube.wait_for("pods", "first", "delete")
    with Memkube(storage=storage, controllers="all") as kube:
        kube.apply(pod("third"))
        added = waited_for(kube, "third")["podIP"]
        assert kube.object("pods", "second")["status"]["podIP"] == before != added


def test_a_snapshot_decides_over_all_of_it(storage: str) -> None:
    with Memkube(storage=storage, controllers="all") as kube:
        kube.behaviors.put("kept", {"exitCode": 3})
        token, taken = requested_token(kube), kube.snapshot()
        kube.behaviors.put("later", {"exitCode": 4})
        httpx.put(f"{kube.url}{LISTENER}", json={"port": 8443}, trust_env=False).raise_for_status()
        kube.restore(taken)
    with Memkube(storage=storage, controllers="all") as kube:
        assert list(kube.behaviors.all()) == ["kept"]
        assert httpx.get(f"{kube.url}{LISTENER}", trust_env=False).status_code == 404
        assert is_authenticated(kube, token)
