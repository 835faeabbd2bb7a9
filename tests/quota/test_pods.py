from typing import Any

import httpx
import pytest

from tests.quota.quotas import Quota


def pod(resources: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a pod with one container."""
    containers = [{"name": "app", "image": "nginx:1.27", "resources": resources or {}}]
    return {"metadata": {"name": "web"}, "spec": {"containers": containers, **spec}}


_CPU = {"requests": {"cpu": "1500m"}, "limits": {"cpu": "2"}}
_AFFINITY = {"topologyKey": "zone", "namespaces": ["other"]}


@pytest.fixture(autouse=True, scope="session")
def priority_class(client: httpx.Client) -> None:
    """Create the PriorityClass that pods of these tests may have."""
    body = {"metadata": {"name": "important"}, "value": 5}
    client.post("/apis/scheduling.k8s.io/v1/priorityclasses", json=body).raise_for_status()


@pytest.mark.parametrize(
    ("resources", "charged"),
    [
        (_CPU, {"cpu": "1500m", "requests.cpu": "1500m", "limits.cpu": "2"}),
        (
            {"requests": {"memory": "64Mi"}, "limits": {"memory": "64Mi"}},
            {"memory": "64Mi", "requests.memory": "64Mi", "limits.memory": "64Mi"},
        ),
        ({"requests": {"ephemeral-storage": "1Gi"}}, {"requests.ephemeral-storage": "1Gi"}),
        (
            {"requests": {"cpu": "1", "hugepages-2Mi": "4Mi"}, "limits": {"hugepages-2Mi": "4Mi"}},
            {"hugepages-2Mi": "4Mi", "requests.hugepages-2Mi": "4Mi"},
        ),
        ({"limits": {"example.com/gpu": "2"}}, {"requests.example.com/gpu": "2"}),
        ({}, {"pods": "1", "count/pods": "1"}),
    ],
)
def test_what_containers_ask_for_is_charged(
    client: httpx.Client, pods: str, quota: Quota, resources: dict[str, Any], charged: dict[str, str]
) -> None:
    quota.limit(dict.fromkeys(charged, "10Gi"))
    client.post(pods, json=pod(resources)).raise_for_status()
    assert quota.used() == charged


def test_a_pod_has_to_say_what_is_limited(client: httpx.Client, pods: str, quota: Quota) -> None:
    quota.limit({"cpu": "5", "limits.memory": "1Gi", "requests.ephemeral-storage": "1Gi"})
    init = [{"name": "init", "image": "nginx:1.27"}]
    message = client.post(pods, json=pod(_CPU, initContainers=init)).json()["message"]
    assert message.endswith("failed quota: quota: must specify cpu for: init; limits.memory for: app,init")


def test_a_pod_may_say_it_as_a_whole(client: httpx.Client, pods: str, quota: Quota) -> None:
    quota.limit({"requests.cpu": "5", "limits.cpu": "5"})
    body = pod()
    body["spec"]["resources"] = {"requests": {"cpu": "1"}, "limits": {"cpu": "3"}}
    client.post(pods, json=body).raise_for_status()
    assert quota.used() == {"requests.cpu": "1", "limits.cpu": "3"}


@pytest.mark.parametrize(
    ("scope", "body", "counts"),
    [
        ("Terminating", pod(activeDeadlineSeconds=1), True),
        ("Terminating", pod(), False),
        ("NotTerminating", pod(), True),
        ("BestEffort", pod(), True),
        ("BestEffort", pod(_CPU), False),
        ("NotBestEffort", pod(_CPU), True),
        ("PriorityClass", pod(priorityClassName="important"), True),
        ("PriorityClass", pod(), False),
        (
            "CrossNamespacePodAffinity",
            pod(affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_AFFINITY]}}),
            True,
        ),
        ("CrossNamespacePodAffinity", pod(affinity={"podAffinity": {}}), False),
        ("VolumeAttributesClass", pod(), False),
    ],
)
def test_a_quota_may_be_about_some_pods_alone(
    client: httpx.Client, pods: str, quota: Quota, scope: str, body: dict[str, Any], counts: bool
) -> None:
    quota.limit({"count/pods": "5"}, scopes=[scope])
    client.post(pods, json=body).raise_for_status()
    assert quota.used() == {"count/pods": "1" if counts else "0"}


@pytest.mark.parametrize(
    ("operator", "values", "counts"),
    [
        ("In", ["important"], True),
        ("In", ["other"], False),
        ("NotIn", ["other"], True),
        ("DoesNotExist", [], False),
    ],
)
def test_a_scope_selects_by_values(
    client: httpx.Client, pods: str, quota: Quota, operator: str, values: list[str], counts: bool
) -> None:
    requirement = {"scopeName": "PriorityClass", "operator": operator, "values": values}
    quota.limit({"pods": "5"}, scopeSelector={"matchExpressions": [requirement]})
    client.post(pods, json=pod(priorityClassName="important")).raise_for_status()
    assert quota.used() == {"pods": "1" if counts else "0"}


def test_a_resize_is_charged_by_the_difference(client: httpx.Client, pods: str, quota: Quota) -> None:
    quota.limit({"requests.cpu": "2"})
    client.post(pods, json=pod(_CPU)).raise_for_status()
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    for cpu, code, used in (("1900m", 200, "1900m"), ("2100m", 403, "1900m"), ("1", 200, "1900m")):
        resources = {"requests": {"cpu": cpu}, "limits": {"cpu": "3"}}
        patch = {"spec": {"containers": [{"name": "app", "resources": resources}]}}
        assert client.patch(f"{pods}/web/resize", json=patch, headers=headers).status_code == code
        assert quota.used() == {"requests.cpu": used}


def test_a_pod_that_comes_into_the_scope_is_charged_in_full(client: httpx.Client, pods: str, quota: Quota) -> None:
    quota.limit({"pods": "2"}, scopes=["Terminating"])
    client.post(pods, json=pod()).raise_for_status()
    headers = {"Content-Type": "application/merge-patch+json"}
    client.patch(f"{pods}/web", json={"spec": {"activeDeadlineSeconds": 9}}, headers=headers).raise_for_status()
    assert quota.used() == {"pods": "1"}
