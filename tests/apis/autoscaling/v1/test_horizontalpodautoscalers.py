import json
from typing import Any

import httpx
import pytest

_PREFIX = "autoscaling.alpha.kubernetes.io"
_TARGET = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
_OTHERS: list[dict[str, Any]] = [
    {
        "type": "Object",
        "object": {
            "describedObject": {"kind": "Ingress", "name": "i", "apiVersion": "networking.k8s.io/v1"},
            "target": {"type": "AverageValue", "averageValue": "2"},
            "metric": {"name": "hits", "selector": {"matchLabels": {"b": "<", "a": "&"}}},
        },
    },
    {"type": "Pods", "pods": {"metric": {"name": "rps"}, "target": {"type": "AverageValue", "averageValue": "1k"}}},
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "AverageValue", "averageValue": "1"}}},
    {
        "type": "ContainerResource",
        "containerResource": {
            "name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": 7},
            "container": "app",
        },
    },
    {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "30"}}},
]
_CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}}


@pytest.fixture
def create(client: httpx.Client, namespace: str) -> Any:
    """Return a function that creates an autoscaler in one API version, and returns it in both versions."""

    def create_in(version: str, spec: dict[str, Any], **annotations: str) -> tuple[dict[str, Any], dict[str, Any]]:
        other = {"v1": "v2", "v2": "v1"}[version]
        metadata = {"name": "web", "annotations": {f"{_PREFIX}/{name}": text for name, text in annotations.items()}}
        body = {"metadata": metadata, "spec": {"scaleTargetRef": _TARGET, "maxReplicas": 5, **spec}}
        where = f"/apis/autoscaling/{{}}/namespaces/{namespace}/horizontalpodautoscalers"
        created = client.post(where.format(version), json=body)
        assert created.status_code == 201, created.text
        return created.json(), client.get(f"{where.format(other)}/web").json()

    return create_in


def test_metrics_of_all_sorts_come_back_from_the_first_version(
    create: Any, client: httpx.Client, namespace: str
) -> None:
    created, older = create("v2", {"metrics": [_CPU, *_OTHERS]})
    assert older["spec"]["targetCPUUtilizationPercentage"] == 60
    url = f"/apis/autoscaling/v1/namespaces/{namespace}/horizontalpodautoscalers/web"
    older["metadata"]["labels"] = {"a": "b"}
    client.put(url, json=older).raise_for_status()
    newer = client.get(url.replace("/v1/", "/v2/")).json()
    assert (created["spec"]["metrics"][1:], newer["spec"]["metrics"]) == (_OTHERS, [*_OTHERS, _CPU])


def test_annotations_are_written_as_go_writes_them(create: Any) -> None:
    _, older = create("v2", {"metrics": _OTHERS[:1], "behavior": {"scaleUp": {"tolerance": "50m"}}})
    annotations = older["metadata"]["annotations"]
    assert annotations[f"{_PREFIX}/metrics"] == (
        '[{"type":"Object","object":{"target":{"kind":"Ingress","name":"i","apiVersion":"networking.k8s.io/v1"},'
        '"metricName":"hits","targetValue":"0","selector":{"matchLabels":{"a":"\\u0026","b":"\\u003c"}},'
        '"averageValue":"2"}}]'
    )
    assert json.loads(annotations[f"{_PREFIX}/behavior"])["ScaleUp"]["Tolerance"] == "50m"


def test_annotations_are_read_whatever_their_case(create: Any) -> None:
    policy = {"type": "Pods", "Value": 2, "periodSeconds": 9}
    metrics = '[{"TYPE":"Resource","Resource":{"name":"memory","targetaveragevalue":"1"}}]'
    behavior = json.dumps({"scaleup": {"policies": [policy], "other": 1}})
    _, newer = create("v1", {}, behavior=behavior, metrics=metrics)
    assert newer["spec"]["behavior"]["scaleUp"]["policies"] == [{"type": "Pods", "value": 2, "periodSeconds": 9}]


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"pods":{"targetAverageValue":"x"}}]', '{"type":"Pods"}'])
def test_annotations_that_cannot_be_read_say_nothing(create: Any, text: str) -> None:
    created, newer = create("v1", {"targetCPUUtilizationPercentage": 60}, metrics=text, conditions=text)
    assert newer["spec"]["metrics"] == [_CPU]
    assert "annotations" not in created["metadata"]


def test_errors_are_about_the_fields_of_the_second_version(create: Any, client: httpx.Client, namespace: str) -> None:
    metadata = {"name": "web", "annotations": {f"{_PREFIX}/metrics": '[{"type":"Pods"}]'}}
    body = {"metadata": metadata, "spec": {"scaleTargetRef": _TARGET, "maxReplicas": 5}}
    refused = client.post(f"/apis/autoscaling/v1/namespaces/{namespace}/horizontalpodautoscalers", json=body).json()
    assert [cause["field"] for cause in refused["details"]["causes"]] == ["spec.metrics[0].pods"]


def test_both_versions_print_the_same_table(create: Any, client: httpx.Client, namespace: str) -> None:
    create("v2", {"metrics": [_CPU]})
    url = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"
    accept = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
    tables = [client.get(each, headers=accept).json() for each in (url, url.replace("/v2/", "/v1/"))]
    assert tables[0]["rows"][0]["cells"][1:6] == ["Deployment/web", "cpu: <unknown>/60%", "1", 5, 0]
    assert tables[0] == tables[1]


def test_an_apply_conflicts_with_who_owns_the_field_in_the_other_version(
    create: Any, client: httpx.Client, namespace: str
) -> None:
    create("v1", {"targetCPUUtilizationPercentage": 60})
    url = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers/web"
    body = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {"scaleTargetRef": _TARGET, "maxReplicas": 5, "metrics": [{**_CPU, "resource": {
            "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}}]},
    }  # fmt: skip
    headers = {"Content-Type": "application/apply-patch+yaml"}
    refused = client.patch(url, params={"fieldManager": "me"}, json=body, headers=headers)
    causes = refused.json()["details"]["causes"]
    assert (refused.status_code, [cause["field"] for cause in causes]) == (
        409,
        [".spec.targetCPUUtilizationPercentage"],
    )


@pytest.mark.parametrize("live", [True, False])
def test_entries_that_a_client_sends_are_kept_in_both_versions(
    create: Any, client: httpx.Client, namespace: str, live: bool
) -> None:
    created, _ = create("v2", {})
    url = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"
    fields = {"fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:labels": {"f:gone": {}}}}}
    created["metadata"]["managedFields"] = [
        {"manager": version, "operation": "Update", "apiVersion": f"autoscaling/{version}", **fields}
        for version in ("v1", "v2", "v3")
    ]
    if live:
        answer = client.put(f"{url}/web", json=created)
    else:
        client.delete(f"{url}/web").raise_for_status()
        del created["metadata"]["resourceVersion"]
        answer = client.post(url, json=created)
    entries = answer.raise_for_status().json()["metadata"]["managedFields"]
    assert [entry["manager"] for entry in entries if "time" not in entry] == ["v1", "v2"]


@pytest.mark.parametrize("name", ["/web", ""])
def test_a_table_of_the_first_version_shows_metrics_in_the_order_of_the_second(
    create: Any, client: httpx.Client, namespace: str, name: str
) -> None:
    create("v2", {"metrics": [_CPU, *_OTHERS]})
    cells = [
        client.get(
            f"/apis/autoscaling/{version}/namespaces/{namespace}/horizontalpodautoscalers{name}",
            headers={"accept": "application/json;as=Table;g=meta.k8s.io;v=v1"},
        ).json()["rows"][0]["cells"]
        for version in ("v1", "v2")
    ]
    assert cells[0][2] == cells[1][2] == "cpu: <unknown>/60%, <unknown>/2 (avg) + 4 more..."


@pytest.mark.parametrize(
    ("spec", "validation", "why"),
    [
        ({"metrics": [_CPU]}, "Strict", "the API version in the data (autoscaling/v2) does not match the expected "),
        ({"scaleTargetRef": True}, "Ignore", "CrossVersionObjectReference"),
        ({"targetCPUUtilizationPercentage": 1}, "Strict", 'unknown field "spec.targetCPUUtilizationPercentage"'),
    ],
)
def test_a_body_is_decoded_as_the_version_that_it_names(
    client: httpx.Client, namespace: str, spec: dict[str, Any], validation: str, why: str
) -> None:
    url = f"/apis/autoscaling/v1/namespaces/{namespace}/horizontalpodautoscalers"
    body = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}, "spec": spec}
    answer = client.post(url, json=body, params={"fieldValidation": validation})
    assert answer.status_code == 400
    assert why in answer.json()["message"]


def test_another_version_is_refused_with_warnings_of_unknown_fields(client: httpx.Client, namespace: str) -> None:
    url = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"
    body = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}}
    answer = client.post(url, json={**body, "spec": {"metrics": []}})
    assert (answer.status_code, answer.headers["warning"]) == (400, '299 - "unknown field \\"spec.metrics\\""')


def test_a_type_in_an_error_has_the_version_that_the_body_names(client: httpx.Client, namespace: str) -> None:
    url = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"
    body = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}, "spec": 1}
    assert client.post(url, json=body).json()["message"].endswith("of type v1.HorizontalPodAutoscalerSpec")


_APPLY = {"Content-Type": "application/apply-patch+yaml"}


def _apply(client: httpx.Client, namespace: str, version: str, manager: str, spec: dict[str, Any]) -> dict[str, Any]:
    url = f"/apis/autoscaling/{version}/namespaces/{namespace}/horizontalpodautoscalers/a"
    body = {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}}
    params = {"fieldManager": manager, "force": "true"}
    answer = client.patch(url, json={**body, "spec": spec}, params=params, headers=_APPLY)
    return dict(answer.raise_for_status().json())


def test_an_apply_keeps_the_fields_that_a_manager_owns_in_the_other_version(
    client: httpx.Client, namespace: str
) -> None:
    _apply(client, namespace, "v2", "one", {"scaleTargetRef": _TARGET, "maxReplicas": 5})
    result = _apply(client, namespace, "v1", "two", {"minReplicas": 2})
    (one,) = (entry for entry in result["metadata"]["managedFields"] if entry["manager"] == "one")
    assert one["fieldsV1"]["f:spec"]["f:scaleTargetRef"] == {"f:apiVersion": {}, "f:kind": {}, "f:name": {}}


def test_an_apply_removes_what_its_manager_applied_in_the_other_version(client: httpx.Client, namespace: str) -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 30}}
    spec = {"scaleTargetRef": _TARGET, "maxReplicas": 5}
    _apply(client, namespace, "v2", "one", {**spec, "metrics": [_CPU], "behavior": behavior})
    result = _apply(client, namespace, "v1", "one", spec)
    assert "annotations" not in result["metadata"]
    assert result["spec"]["targetCPUUtilizationPercentage"] == 60


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_nulls_of_an_apply_are_converted(client: httpx.Client, namespace: str, version: str) -> None:
    other = {"v1": "v2", "v2": "v1"}[version]
    spec = {"scaleTargetRef": _TARGET, "maxReplicas": 5}
    _apply(client, namespace, other, "one", spec)
    url = f"/apis/autoscaling/{version}/namespaces/{namespace}/horizontalpodautoscalers/a"
    body = {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "spec": spec}
    body["metadata"] = {"name": "a", "finalizers": None, "labels": None}
    answer = client.patch(url, json=body, params={"fieldManager": "one", "force": "true"}, headers=_APPLY)
    assert answer.status_code == 200, answer.text


def test_a_write_of_the_status_in_the_first_version_keeps_the_order_of_metrics(
    create: Any, client: httpx.Client, namespace: str
) -> None:
    create("v2", {"metrics": [_CPU, *_OTHERS]})
    url = f"/apis/autoscaling/v1/namespaces/{namespace}/horizontalpodautoscalers/web"
    headers = {"Content-Type": "application/merge-patch+json"}
    client.patch(f"{url}/status", json={"status": {"currentReplicas": 3}}, headers=headers).raise_for_status()
    newer = client.get(url.replace("/v1/", "/v2/")).json()
    assert (newer["spec"]["metrics"], newer["status"]["currentReplicas"]) == ([_CPU, *_OTHERS], 3)


def test_a_patch_to_another_version_is_decoded_in_that_version(
    create: Any, client: httpx.Client, namespace: str
) -> None:
    create("v2", {})
    url = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers/web"
    patch = {"apiVersion": "autoscaling/v1", "spec": {"targetCPUUtilizationPercentage": 50}}
    patched = client.patch(url, json=patch, headers={"Content-Type": "application/merge-patch+json"})
    assert patched.json()["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"] == 50
    assert patched.json()["apiVersion"] == "autoscaling/v2"
    assert (
        patched.headers["warning"]
        == '299 - "unknown field \\"spec.metrics\\"", 299 - "unknown field \\"status.currentMetrics\\""'
    )
