"""Servers with persistent storage."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube import Memkube, ServerError
from memkube.errors import Refused
from tests.etcd_server import EtcdServer, needs_etcd

WEB: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "app", "image": "nginx"}]},
        },
    },
}
"""A Deployment with two pods."""


def definition() -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "widgets", "kind": "Widget"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    }


def service(name: str, port: int) -> dict[str, Any]:
    spec = {"type": "NodePort", "ports": [{"port": 80, "nodePort": port}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def ready(replicas: int) -> Any:
    return lambda found: found is not None and found["status"].get("readyReplicas") == replicas


@pytest.fixture(params=["sqlite", pytest.param("etcd", marks=needs_etcd)])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:{tmp_path / 'memkube.db'}"
        return
    server = EtcdServer(tmp_path / "etcd", ["--unsafe-no-fsync"])
    yield f"etcd:{server.url}"
    server.kill()


def test_pods_run_on_when_a_server_comes_back(storage: str) -> None:
    with Memkube(storage=storage) as kube:
        kube.apply(WEB)
        kube.wait_for("deployments", "web", ready(2))
        before = {pod["metadata"]["uid"] for pod in kube.objects("pods")}
    with Memkube(storage=storage) as kube:
        more: dict[str, Any] = {**WEB, "spec": {**WEB["spec"], "replicas": 3}}
        kube.apply(more)
        kube.wait_for("deployments", "web", ready(3))
        pods = kube.objects("pods")
        assert before < {pod["metadata"]["uid"] for pod in pods}
        assert [pod["status"]["containerStatuses"][0]["restartCount"] for pod in pods] == [0, 0, 0]


@pytest.mark.parametrize("storage", ["sqlite"], indirect=True)
def test_a_stepped_clock_continues_at_the_time_of_the_earlier_server(storage: str) -> None:
    with Memkube(storage=storage, clock="stepped", nodes=1) as kube:
        kube.clock.advance(3600)
        reached = kube.clock.now()
    with Memkube(storage=storage, clock="stepped", nodes=1) as kube:
        assert reached - timedelta(seconds=10) <= kube.clock.now() <= reached
        kube.clock.advance(300)
        (node,) = kube.objects("nodes")
        (ready,) = [one for one in node["status"]["conditions"] if one["type"] == "Ready"]
        assert ready["status"] == "True"
        assert ready["lastTransitionTime"] < f"{reached:%Y-%m-%dT%H:%M:%SZ}"


def test_custom_kinds_are_served_again(storage: str) -> None:
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}, "size": 3}
    with Memkube(storage=storage) as kube:
        kube.apply(definition(), widget)
    with Memkube(storage=storage) as kube:
        kube.wait_for("customresourcedefinitions", "widgets.example.com", "condition=Established")
        assert kube.object("widgets.example.com", "one")["size"] == 3


def test_a_watch_goes_on_where_it_was_in_another_life(storage: str) -> None:
    with Memkube(storage=storage, controllers="none") as kube:
        (made,) = kube.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}})
        kube.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two"}})
    with Memkube(storage=storage, controllers="none") as kube:
        query = {"watch": "1", "resourceVersion": made["metadata"]["resourceVersion"]}
        path = f"{kube.url}/api/v1/namespaces/default/configmaps"
        with httpx.stream("GET", path, params=query) as events:
            assert '"name":"two"' in next(events.iter_lines())


# In etcd, Events expire by etcd's own clock: see tests/storage/test_etcd.py.
@pytest.mark.parametrize("storage", ["sqlite"], indirect=True)
def test_events_live_a_whole_life_in_each(storage: str) -> None:
    with Memkube(storage=storage, clock="stepped", controllers="all") as kube:
        kube.apply(WEB)
        kube.clock.advance(30)
        assert kube.objects("events")
    with Memkube(storage=storage, clock="stepped", controllers="none") as kube:
        kube.clock.advance(3500)
        assert kube.objects("events")
        kube.clock.advance(200)
        assert not kube.objects("events")


def test_ports_on_nodes_stay_taken(storage: str) -> None:
    with Memkube(storage=storage, controllers="none") as kube:
        kube.apply(service("one", 30123))
    with Memkube(storage=storage, controllers="none") as kube:
        answered = httpx.post(f"{kube.url}/api/v1/namespaces/default/services", json=service("two", 30123))
        assert "provided port is already allocated" in answered.json()["message"]


@pytest.mark.parametrize("storage", ["sqlite"], indirect=True)
def test_two_servers_on_one_file_are_refused(storage: str) -> None:
    with (
        Memkube(storage=storage, controllers="none"),
        pytest.raises(ServerError, match="is used by another server"),
        Memkube(storage=storage, controllers="none"),
    ):
        pass


@pytest.mark.parametrize("storage", [pytest.param("etcd", marks=needs_etcd)], indirect=True)
def test_an_etcd_is_not_taken_back_to_a_snapshot(storage: str) -> None:
    with Memkube(storage=storage) as kube:
        kube.apply(WEB)
        kube.wait_for("deployments", "web", ready(2))
        snapshot = kube.snapshot()
        with pytest.raises(Refused, match="cannot restore a snapshot into etcd") as refusal:
            kube.restore(snapshot)
        assert refusal.value.code == 501
        more: dict[str, Any] = {**WEB, "spec": {**WEB["spec"], "replicas": 3}}
        kube.apply(more)
        kube.wait_for("deployments", "web", ready(3))
    with (
        pytest.raises(ServerError, match="cannot start with a snapshot"),
        Memkube(storage=storage, snapshot=snapshot),
    ):
        pass


@pytest.mark.parametrize("chosen", ["sqlite:", "mysql:x", "memory:x", ""])
def test_other_storage_is_refused(chosen: str) -> None:
    with pytest.raises(ValueError, match="unknown storage"):
        Memkube(storage=chosen)
