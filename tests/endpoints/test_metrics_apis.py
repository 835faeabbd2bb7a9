"""``custom.metrics.k8s.io`` and ``external.metrics.k8s.io``, with values that the control API sets."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from memkube import Memkube

CUSTOM = "/apis/custom.metrics.k8s.io"
EXTERNAL = "/apis/external.metrics.k8s.io"
V1 = f"{CUSTOM}/v1beta1/namespaces/default"
V2 = f"{CUSTOM}/v1beta2/namespaces/default"
VALUES: dict[str, dict[str, Any]] = {
    "hits": {"type": "Pods", "metric": "hits", "value": "10", "labelSelector": "app=web", "labels": {"verb": "GET"}},
    "load": {"type": "Object", "metric": "load", "value": "500m", "group": "apps", "kind": "Deployment", "name": "web"},
    "files": {"type": "Object", "metric": "files", "value": "7", "kind": "Namespace", "name": "default"},
    "heat": {"type": "Object", "metric": "heat", "value": "60", "kind": "Node", "name": "node-1"},
    "queue": {"type": "External", "metric": "queue", "value": "30", "labels": {"of": "mail"}, "namespace": "default"},
}


def pod(name: str, app: str) -> dict[str, Any]:
    containers = [{"name": "app", "image": "nginx"}]
    return {"metadata": {"name": name, "labels": {"app": app}}, "spec": {"containers": containers}}


@contextmanager
def served(controllers: str, **values: dict[str, Any]) -> Iterator[httpx.Client]:
    """A client of a server with values of metrics."""
    with (
        Memkube(clock="stepped", controllers=controllers) as running,
        httpx.Client(base_url=running.url, trust_env=False, timeout=60) as client,
    ):
        for name, value in values.items():
            running.metrics.put(name, value)
        yield client


@pytest.fixture(scope="module")
def kube() -> Iterator[httpx.Client]:
    """A client of a server with values of metrics, pods and a Deployment."""
    with served("kubelet", **VALUES) as client:
        for document in (pod("a", "web"), pod("b", "web"), pod("c", "other")):
            client.post("/api/v1/namespaces/default/pods", json=document).raise_for_status()
        template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x", "web")["spec"]}
        deployment = {
            "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template},
        }
        client.post("/apis/apps/v1/namespaces/default/deployments", json=deployment).raise_for_status()
        yield client


def read(kube: httpx.Client, path: str) -> Any:
    return kube.get(path).json()


def values_of(kube: httpx.Client, path: str) -> list[tuple[str, str]]:
    items = read(kube, path)["items"]
    return [(item["describedObject"]["name"], item["value"]) for item in items]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{V2}/pods/*/hits", [("a", "10"), ("b", "10")]),
        (f"{V2}/pods/b/hits", [("b", "10")]),
        (f"{V2}/pods/*/hits?labelSelector=app=web&metricLabelSelector=verb=GET", [("a", "10"), ("b", "10")]),
        (f"{V2}/deployments.apps/web/load", [("web", "500m")]),
        (f"{V2}/deployments.apps/*/load", [("web", "500m")]),
        (f"{V2}/metrics/files", [("default", "7")]),
        (f"{CUSTOM}/v1beta2/nodes/node-1/heat", [("node-1", "60")]),
        (f"{CUSTOM}/v1beta1/nodes/*/heat", [("node-1", "60")]),
    ],
)
def test_a_custom_metric_is_read_by_its_objects(kube: httpx.Client, path: str, expected: list[tuple[str, str]]) -> None:
    assert values_of(kube, path) == expected


def test_v1beta2_names_the_metric_in_a_field_of_its_own(kube: httpx.Client) -> None:
    found = read(kube, f"{V2}/pods/a/hits?metricLabelSelector=verb=GET")
    item = found["items"][0]
    assert item.pop("timestamp")
    assert found == {
        "kind": "MetricValueList",
        "apiVersion": "custom.metrics.k8s.io/v1beta2",
        "metadata": {},
        "items": [
            {
                "describedObject": {"kind": "Pod", "namespace": "default", "name": "a", "apiVersion": "/v1"},
                "metric": {"name": "hits", "selector": {"matchLabels": {"verb": "GET"}}},
                "value": "10",
            }
        ],
    }


def test_v1beta1_names_the_metric_in_the_value(kube: httpx.Client) -> None:
    item = read(kube, f"{V1}/pods/a/hits")["items"][0]
    assert (item["metricName"], item["selector"], item["value"]) == ("hits", None, "10")


def test_an_external_metric_is_read_by_its_labels(kube: httpx.Client) -> None:
    path = f"{EXTERNAL}/v1beta1/namespaces/default/queue"
    found = read(kube, f"{path}?labelSelector=of=mail")
    item = found["items"][0]
    assert item.pop("timestamp")
    assert (found["kind"], item) == (
        "ExternalMetricValueList",
        {"metricName": "queue", "metricLabels": {"of": "mail"}, "value": "30"},
    )
    assert read(kube, f"{path}?labelSelector=of=print")["items"] == []
    assert read(kube, f"{EXTERNAL}/v1beta1/namespaces/kube-system/queue")["items"] == []


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        (f"{V2}/pods/*/none", 404, "the server could not find the metric none for pods"),
        (f"{V2}/pods/c/hits", 404, "the server could not find the metric hits for pods c"),
        (f"{V2}/pods/*/hits?metricLabelSelector=verb=PUT", 404, "the server could not find the metric hits for pods"),
        (f"{V2}/pods", 404, "the server could not find the requested resource"),
        (f"{EXTERNAL}/v1beta1/queue", 404, "the server could not find the requested resource"),
    ],
)
def test_an_unknown_metric_is_not_found(kube: httpx.Client, path: str, code: int, message: str) -> None:
    answer = kube.get(path)
    assert (answer.status_code, answer.json()["message"]) == (code, message)


def test_metrics_cannot_be_written(kube: httpx.Client) -> None:
    assert kube.delete(f"{V2}/pods/*/hits").status_code == 405


def test_a_malformed_selector_is_refused(kube: httpx.Client) -> None:
    assert kube.get(f"{V2}/pods/*/hits?metricLabelSelector=a in").status_code == 400


def test_discovery_lists_the_metrics(kube: httpx.Client) -> None:
    groups = {group["name"]: group for group in read(kube, "/apis")["groups"]}
    assert [one["version"] for one in groups["custom.metrics.k8s.io"]["versions"]] == ["v1beta2", "v1beta1"]
    listed = read(kube, f"{CUSTOM}/v1beta2")["resources"]
    assert [(one["name"], one["namespaced"]) for one in listed] == [
        ("deployments.apps/load", True),
        ("namespaces/files", False),
        ("nodes/heat", False),
        ("pods/hits", True),
    ]
    (queue,) = read(kube, f"{EXTERNAL}/v1beta1")["resources"]
    assert (queue["name"], queue["kind"], queue["verbs"]) == ("queue", "ExternalMetricValueList", ["get"])


def test_aggregated_discovery_lists_custom_metrics_as_subresources(kube: httpx.Client) -> None:
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    groups = kube.get("/apis", headers={"accept": accept}).json()["items"]
    custom = next(group for group in groups if group["metadata"]["name"] == "custom.metrics.k8s.io")
    found = {one["resource"]: one for one in custom["versions"][0]["resources"]}
    assert [one["subresource"] for one in found["pods"]["subresources"]] == ["hits"]


@pytest.mark.parametrize(("controllers", "values"), [("none", {"queue": VALUES["queue"]}), ("kubelet", {})])
def test_the_groups_are_not_served_without_values_or_without_a_kubelet(
    controllers: str, values: dict[str, Any]
) -> None:
    with served(controllers, **values) as client:
        assert client.get(f"{EXTERNAL}/v1beta1/namespaces/default/queue").status_code == 404
        assert client.get(EXTERNAL).status_code == 404
        assert EXTERNAL not in [f"/apis/{group['name']}" for group in read(client, "/apis")["groups"]]
