from typing import Any

import httpx
import pytest

from memkube.controllers.available import absent_controllers

_PREFIX = "pod-security.kubernetes.io"
_PRIVILEGED = {"name": "app", "image": "nginx", "securityContext": {"privileged": True}}
_DETAIL = 'privileged (container "app" must not set securityContext.privileged=true)'
_SPEC = {"containers": [_PRIVILEGED]}
_TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": _SPEC}
_JOB = {"template": {"spec": {**_SPEC, "restartPolicy": "Never"}}}
_SELECTED = {"selector": {"matchLabels": {"a": "b"}}, "template": _TEMPLATE}


def _label(client: httpx.Client, namespace: str, **levels: str) -> httpx.Response:
    labels = {f"{_PREFIX}/{mode.replace('_', '-')}": level for mode, level in levels.items()}
    headers = {"Content-Type": "application/merge-patch+json"}
    body = {"metadata": {"labels": labels}}
    return client.patch(f"/api/v1/namespaces/{namespace}", json=body, headers=headers)


def _warnings(answer: httpx.Response) -> list[str]:
    """Return the texts of the response's Warning headers."""
    texts = (header[7:-1] for header in answer.headers.get_list("warning"))
    return [text.replace('\\"', '"') for text in texts]


def _create(client: httpx.Client, pods: str, name: str, **spec: Any) -> httpx.Response:
    body = {"metadata": {"name": name}, "spec": {**_SPEC, **spec}}
    return client.post(pods, json=body)


def test_a_pod_that_the_level_does_not_allow_is_refused(client: httpx.Client, namespace: str, pods: str) -> None:
    _label(client, namespace, enforce="baseline").raise_for_status()
    refused = _create(client, pods, "web")
    assert refused.status_code == 403
    assert refused.json()["message"] == f'pods "web" is forbidden: violates PodSecurity "baseline:latest": {_DETAIL}'
    assert not _warnings(refused)


def test_a_pod_may_be_warned_of_alone(client: httpx.Client, namespace: str, pods: str) -> None:
    _label(client, namespace, warn="baseline", warn_version="v1.30").raise_for_status()
    created = _create(client, pods, "web")
    assert created.status_code == 201
    assert _warnings(created) == [f'would violate PodSecurity "baseline:v1.30": {_DETAIL}']


@pytest.mark.parametrize(
    ("path", "kind", "spec"),
    [
        ("/api/v1/namespaces/{}/replicationcontrollers", "ReplicationController", {"template": _TEMPLATE}),
        ("/apis/apps/v1/namespaces/{}/deployments", "Deployment", _SELECTED),
        ("/apis/apps/v1/namespaces/{}/replicasets", "ReplicaSet", _SELECTED),
        ("/apis/apps/v1/namespaces/{}/statefulsets", "StatefulSet", {**_SELECTED, "serviceName": "x"}),
        ("/apis/apps/v1/namespaces/{}/daemonsets", "DaemonSet", _SELECTED),
        ("/apis/batch/v1/namespaces/{}/jobs", "Job", _JOB),
        ("/apis/batch/v1/namespaces/{}/cronjobs", "CronJob", {"schedule": "@daily", "jobTemplate": {"spec": _JOB}}),
    ],
)
def test_workloads_are_warned_of_and_made(
    client: httpx.Client, namespace: str, path: str, kind: str, spec: dict[str, Any]
) -> None:
    _label(client, namespace, enforce="baseline").raise_for_status()
    created = client.post(path.format(namespace), json={"kind": kind, "metadata": {"name": "web"}, "spec": spec})
    absent = {plural: name for (_, plural), name in absent_controllers(("serviceaccount-controller",)).items()}
    assert created.status_code == 201
    assert _warnings(created) == [
        f'would violate PodSecurity "baseline:latest": {_DETAIL}',
        f"{absent[path.rpartition('/')[2]]} does not run in this server, so nothing acts on this {kind}",
    ]


def test_templates_of_pods_are_warned_of(client: httpx.Client, namespace: str) -> None:
    _label(client, namespace, enforce="baseline").raise_for_status()
    path = f"/api/v1/namespaces/{namespace}/podtemplates"
    created = client.post(path, json={"metadata": {"name": "web"}, "template": _TEMPLATE})
    assert _warnings(created) == [f'would violate PodSecurity "baseline:latest": {_DETAIL}']


def test_a_scale_is_nothing_to_warn_of(client: httpx.Client, namespace: str) -> None:
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    client.post(deployments, json={"metadata": {"name": "web"}, "spec": _SELECTED}).raise_for_status()
    _label(client, namespace, enforce="baseline").raise_for_status()
    headers = {"Content-Type": "application/merge-patch+json"}
    scaled = client.patch(f"{deployments}/web/scale", json={"spec": {"replicas": 3}}, headers=headers)
    assert (scaled.status_code, _warnings(scaled)) == (200, [])


def test_a_controller_without_a_template_is_not_looked_at(client: httpx.Client, namespace: str) -> None:
    _label(client, namespace, warn="restricted").raise_for_status()
    path = f"/api/v1/namespaces/{namespace}/replicationcontrollers"
    answer = client.post(path, json={"metadata": {"name": "web"}, "spec": {"selector": {"a": "b"}}})
    assert (answer.status_code, _warnings(answer)) == (422, [])


def test_pods_that_are_there_are_told_of_by_their_faults(client: httpx.Client, namespace: str, pods: str) -> None:
    for name in ("c", "b", "d"):
        _create(client, pods, name).raise_for_status()
    _create(client, pods, "a", hostPID=True).raise_for_status()
    _create(client, pods, "e", containers=[{"name": "app", "image": "nginx"}]).raise_for_status()
    assert _warnings(_label(client, namespace, enforce="baseline")) == [
        f'existing pods in namespace "{namespace}" violate the new PodSecurity enforce level "baseline:latest"',
        "a: host namespaces, privileged",
        "b (and 2 other pods): privileged",
    ]


@pytest.mark.parametrize("relaxed", [{"enforce": "privileged"}, {"enforce": "baseline"}, {"warn": "restricted"}])
def test_a_level_that_is_not_stricter_is_no_matter_of_pods(
    client: httpx.Client, namespace: str, pods: str, relaxed: dict[str, str]
) -> None:
    _create(client, pods, "web").raise_for_status()
    _label(client, namespace, enforce="restricted").raise_for_status()
    assert not _warnings(_label(client, namespace, **relaxed))


def test_labels_that_name_no_level_are_refused(client: httpx.Client, namespace: str) -> None:
    refused = _label(client, namespace, enforce="strict")
    assert (refused.status_code, refused.json()["reason"]) == (422, "Invalid")
    why = 'Invalid value: "strict": must be one of privileged, baseline, restricted'
    label = f"metadata.labels[{_PREFIX}/enforce]"
    assert refused.json()["message"] == f'Namespace "{namespace}" is invalid: {label}: {why}'


def test_an_update_is_looked_at_if_an_image_changes(client: httpx.Client, namespace: str, pods: str) -> None:
    _create(client, pods, "web").raise_for_status()
    _label(client, namespace, enforce="baseline").raise_for_status()
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    labelled = client.patch(f"{pods}/web", json={"metadata": {"labels": {"a": "b"}}}, headers=headers)
    assert labelled.status_code == 200
    changed = {"spec": {"containers": [{"name": "app", "image": "other"}]}}
    assert client.patch(f"{pods}/web", json=changed, headers=headers).status_code == 403


def test_ephemeral_containers_are_looked_at(client: httpx.Client, namespace: str, pods: str) -> None:
    _create(client, pods, "web", containers=[{"name": "app", "image": "nginx"}]).raise_for_status()
    _label(client, namespace, enforce="baseline").raise_for_status()
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    debugging = {"spec": {"ephemeralContainers": [{**_PRIVILEGED, "name": "debug"}]}}
    refused = client.patch(f"{pods}/web/ephemeralcontainers", json=debugging, headers=headers)
    assert refused.status_code == 403
    assert 'container "debug" must not set securityContext.privileged=true' in refused.json()["message"]


def test_a_pod_whose_name_is_generated_is_named_in_full(client: httpx.Client, namespace: str, pods: str) -> None:
    _label(client, namespace, enforce="baseline").raise_for_status()
    refused = client.post(pods, json={"metadata": {"generateName": "web-"}, "spec": _SPEC})
    assert refused.json()["message"].startswith('pods "web-')
    assert len(refused.json()["details"]["name"]) == len("web-") + 5
