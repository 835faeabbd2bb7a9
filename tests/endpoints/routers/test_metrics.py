"""The metrics of requests at ``/metrics``, with Kubernetes' names and labels."""

import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from memkube.server.server import Server
from memkube.server.settings import Settings, StorageOptions
from tests.etcd_server import EtcdServer, needs_etcd

MAPS = "/api/v1/namespaces/default/configmaps"
SECRETS = "/api/v1/namespaces/default/secrets"
APPLY = {"content-type": "application/apply-patch+yaml"}
MERGE = {"content-type": "application/merge-patch+json"}
REQUESTS = "apiserver_request_total"


@contextmanager
def serving(settings: Settings) -> Iterator[httpx.Client]:
    with (
        Server(settings).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        yield client


@pytest.fixture
def counting() -> Iterator[httpx.Client]:
    """A client of a new server, which gets no other requests."""
    with serving(Settings(controllers=())) as client:
        yield client


def samples(client: httpx.Client, name: str, /, **labels: str) -> list[float]:
    """Return the values of a metric's samples with these labels."""
    families = text_string_to_metric_families(client.get("/metrics").text)
    found = [sample for family in families for sample in family.samples if sample.name == name]
    return [sample.value for sample in found if labels.items() <= sample.labels.items()]


def test_it_is_text_for_prometheus(counting: httpx.Client) -> None:
    assert counting.get("/metrics").headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_who_wants_open_metrics_gets_it(counting: httpx.Client) -> None:
    answer = counting.get("/metrics", headers={"accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    assert answer.text.endswith("# EOF\n")


def test_it_can_only_be_read(counting: httpx.Client) -> None:
    assert counting.delete("/metrics").status_code == 405
    assert counting.delete("/metrics/slis").status_code == 405


def test_descriptions_say_how_stable_a_metric_is(counting: httpx.Client) -> None:
    families = text_string_to_metric_families(counting.get("/metrics").text)
    own = [family for family in families if family.name.startswith("apiserver_")]
    assert len(own) > 5
    assert all(family.documentation.startswith(("[STABLE] ", "[BETA] ", "[ALPHA] ")) for family in own)


@pytest.mark.parametrize(
    ("asked", "labels"),
    [
        pytest.param({"url": f"{MAPS}/x"}, {"verb": "GET", "scope": "resource", "code": "404"}, id="get"),
        pytest.param({"url": MAPS}, {"verb": "LIST", "scope": "namespace", "code": "200"}, id="list"),
        pytest.param({"url": "/api/v1/configmaps"}, {"verb": "LIST", "scope": "cluster"}, id="list everywhere"),
        pytest.param(
            {"url": MAPS, "params": {"watch": "1", "timeoutSeconds": "1"}},
            {"verb": "WATCH", "scope": "namespace", "code": "200"},
            id="watch",
        ),
        pytest.param(
            {"method": "POST", "url": MAPS, "json": {"metadata": {"name": "x"}}},
            {"verb": "POST", "scope": "resource", "code": "201", "dry_run": ""},
            id="create",
        ),
        pytest.param(
            {"method": "POST", "url": f"{MAPS}?dryRun=All", "json": {"metadata": {"name": "x"}}},
            {"verb": "POST", "dry_run": "All"},
            id="dry run",
        ),
        pytest.param(
            {"method": "POST", "url": f"{MAPS}?dryRun=Some", "json": {"metadata": {"name": "x"}}},
            {"verb": "POST", "dry_run": "invalid", "code": "422"},
            id="no dry run",
        ),
        pytest.param({"method": "PUT", "url": f"{MAPS}/x", "json": {}}, {"verb": "PUT"}, id="update"),
        pytest.param({"method": "PATCH", "url": f"{MAPS}/x", "headers": MERGE}, {"verb": "PATCH"}, id="patch"),
        pytest.param({"method": "PATCH", "url": f"{MAPS}/x", "headers": APPLY}, {"verb": "APPLY"}, id="apply"),
        pytest.param({"method": "DELETE", "url": f"{MAPS}/x"}, {"verb": "DELETE", "scope": "resource"}, id="delete"),
        pytest.param({"method": "DELETE", "url": MAPS}, {"verb": "DELETE", "scope": "namespace"}, id="delete all"),
        pytest.param(
            {"url": MAPS, "headers": {"user-agent": "kube-scheduler/v1.36.0 (linux/amd64)"}},
            {"verb": "LIST", "system_client": "kube-scheduler"},
            id="a part of Kubernetes",
        ),
        pytest.param(
            {"url": "/api/v1/namespaces/default/pods/x/log"},
            {"verb": "CONNECT", "resource": "pods", "subresource": "log", "code": "404"},
            id="log",
        ),
        pytest.param(
            {"url": "/livez"},
            {"verb": "GET", "subresource": "/livez", "scope": "", "code": "200", "component": ""},
            id="health",
        ),
    ],
)
def test_requests_are_told_apart(counting: httpx.Client, asked: dict[str, Any], labels: Mapping[str, str]) -> None:
    expected = {"system_client": "", "component": "apiserver", **labels}
    assert samples(counting, REQUESTS, **expected) == []
    counting.request(**{"method": "GET", **asked})
    assert samples(counting, REQUESTS, **expected) == [1]


def test_what_leads_nowhere_is_not_counted(counting: httpx.Client) -> None:
    for path in ("/api/v1/nothing", "/livez/nothing", "/nothing"):
        assert counting.get(path).status_code == 404
    assert samples(counting, REQUESTS) == []


@pytest.mark.parametrize(
    ("method", "header"), [("GET", {"accept": "text/none"}), ("PATCH", {"content-type": "text/none"})]
)
def test_requests_that_the_router_of_kubernetes_refuses_are_not_counted(
    counting: httpx.Client, method: str, header: dict[str, str]
) -> None:
    assert counting.request(method, f"{MAPS}/x", headers=header).status_code in (406, 415)
    assert samples(counting, REQUESTS) == []


def test_watches_are_no_service_level_indicators(counting: httpx.Client) -> None:
    counting.get(MAPS, params={"watch": "1", "timeoutSeconds": "1"})
    assert samples(counting, "apiserver_request_duration_seconds_count", verb="WATCH") == [1]
    assert samples(counting, "apiserver_request_sli_duration_seconds_count", verb="WATCH") == []


def test_times_and_sizes_are_those_of_the_answers(counting: httpx.Client) -> None:
    size = sum(len(counting.get(MAPS).content) for _ in range(3))
    labels = {"verb": "LIST", "resource": "configmaps"}
    assert samples(counting, "apiserver_request_duration_seconds_bucket", le="60.0", **labels) == [3]
    assert samples(counting, "apiserver_response_sizes_count", **labels) == [3]
    assert samples(counting, "apiserver_response_sizes_sum", **labels) == [size]


def test_events_of_a_watch_are_counted_and_measured(counting: httpx.Client) -> None:
    events = counting.get("/api/v1/namespaces", params={"watch": "1", "timeoutSeconds": "1"}).content
    labels = {"group": "", "version": "v1", "resource": "namespaces"}
    assert samples(counting, "apiserver_watch_events_total", **labels) == [events.count(b"\n")]
    assert samples(counting, "apiserver_watch_events_sizes_sum", **labels) == [len(events)]
    assert samples(counting, "apiserver_watch_events_sizes_bucket", le="1024.0", **labels) == [events.count(b"\n")]


def test_objects_are_counted_by_kind(counting: httpx.Client) -> None:
    before = samples(counting, "apiserver_resource_objects", group="", resource="configmaps")
    counting.post(MAPS, json={"metadata": {"name": "x"}}).raise_for_status()
    after = samples(counting, "apiserver_resource_objects", group="", resource="configmaps")
    assert after == [before[0] + 1] == samples(counting, "apiserver_storage_objects", resource="configmaps")


def test_the_file_of_the_objects_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "objects.db"
    with serving(Settings(controllers=(), storage=StorageOptions(path))) as client:
        assert samples(client, "apiserver_storage_size_bytes", storage_cluster_id="sqlite-0")[0] >= path.stat().st_size


def test_memory_takes_nothing_on_disk(counting: httpx.Client) -> None:
    assert samples(counting, "apiserver_storage_size_bytes") == []


@needs_etcd
def test_what_etcd_is_asked_for_is_measured(etcd_server: EtcdServer) -> None:
    place = StorageOptions.of(f"etcd:{etcd_server.url}", etcd={"prefix": f"/{uuid.uuid4().hex}"})
    with serving(Settings(controllers=(), storage=place)) as client:
        client.post(SECRETS, json={"metadata": {"name": "x"}}).raise_for_status()
        client.patch(f"{SECRETS}/x", json={"data": {"a": "Yg=="}}, headers=MERGE).raise_for_status()
        client.delete(f"{SECRETS}/x").raise_for_status()
        for operation in ("create", "update", "delete"):
            labels = {"operation": operation, "group": "", "resource": "secrets"}
            assert samples(client, "etcd_request_duration_seconds_count", **labels) == [1]
            assert samples(client, "etcd_requests_total", **labels) == [1]
        assert samples(client, "etcd_request_errors_total") == []
        assert samples(client, "apiserver_storage_size_bytes", storage_cluster_id="etcd-0")[0] > 0


@pytest.mark.parametrize(("namespace", "rejected"), [("default", "false"), ("nowhere", "true")])
def test_plugins_are_measured(counting: httpx.Client, namespace: str, rejected: str) -> None:
    counting.post(f"/api/v1/namespaces/{namespace}/configmaps", json={"metadata": {"name": "x"}})
    plugin = {"name": "NamespaceLifecycle", "type": "admit", "operation": "CREATE", "rejected": rejected}
    assert samples(counting, "apiserver_admission_controller_admission_duration_seconds_count", **plugin) == [1]
    del plugin["name"]
    assert samples(counting, "apiserver_admission_step_admission_duration_seconds_count", **plugin) == [1]


def test_queues_of_controllers_are_measured() -> None:
    with serving(Settings(controllers=("namespace-controller",))) as client:
        revision = client.post("/api/v1/namespaces", json={"metadata": {"name": "x"}}).json()["metadata"]
        query = {"watch": "1", "resourceVersion": revision["resourceVersion"], "fieldSelector": "metadata.name=x"}
        client.delete("/api/v1/namespaces/x").raise_for_status()
        with client.stream("GET", "/api/v1/namespaces", params=query) as events:
            assert any('"DELETED"' in line for line in events.iter_lines())
        (adds,) = samples(client, "workqueue_adds_total", name="namespace")
        assert samples(client, "workqueue_queue_duration_seconds_count", name="namespace")[0] <= adds
        assert adds > 0
        assert samples(client, "workqueue_depth", name="definitions") == [0]


def test_the_process_is_measured(counting: httpx.Client) -> None:
    assert samples(counting, "process_resident_memory_bytes")[0] > 1_000_000
    assert len(samples(counting, "process_cpu_seconds_total")) == 1


def test_the_library_is_imported_when_somebody_asks() -> None:
    program = """
import sys, urllib.request
from memkube.server.server import Server
from memkube.server.settings import Settings
with Server(Settings(controllers=())).in_thread() as server:
    urllib.request.urlopen(server.url + "/api/v1/pods").read()
    assert "prometheus_client" not in sys.modules
    urllib.request.urlopen(server.url + "/metrics").read()
    assert "prometheus_client" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize(("method", "code"), [("POST", 200), ("OPTIONS", 200), ("DELETE", 405)])
def test_metrics_can_be_read_with_any_method_but_are_not_reset(client: httpx.Client, method: str, code: int) -> None:
    assert client.request(method, "/metrics").status_code == code
