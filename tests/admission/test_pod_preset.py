from typing import Any

import httpx
import pytest

_MESSAGE = (
    'merging env for database has a conflict on DB_PORT: \n{"name":"DB_PORT","value":"6379"}\ndoes not match\n'
    '{"name":"DB_PORT","value":"1"}\n in container'
)


@pytest.fixture
def presets(client: httpx.Client, namespace: str) -> str:
    """The URL path of the PodPresets in the test's namespace, which has one for pods with the role frontend."""
    address = f"/apis/settings.k8s.io/v1alpha1/namespaces/{namespace}/podpresets"
    spec = {
        "selector": {"matchLabels": {"role": "frontend"}},
        "env": [{"name": "DB_PORT", "value": "6379"}],
        "envFrom": [{"configMapRef": {"name": "settings"}}],
        "volumeMounts": [{"mountPath": "/cache", "name": "cache-volume"}],
        "volumes": [{"name": "cache-volume", "emptyDir": {}}],
    }
    _created(client, address, {"metadata": {"name": "database"}, "spec": spec})
    return address


def _created(client: httpx.Client, address: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(address, json=body)
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    return document


def _pod(annotations: dict[str, str] | None = None, labels: dict[str, str] | None = None, **container: Any) -> Any:
    metadata = {"name": "web", "labels": labels or {"role": "frontend"}, "annotations": annotations or {}}
    containers = [{"name": "app", "image": "nginx", **container}]
    spec = {"initContainers": [{"name": "init", "image": "nginx"}], "containers": containers}
    return {"metadata": metadata, "spec": {**spec, "automountServiceAccountToken": False}}


def test_all_containers_get_what_a_preset_adds(client: httpx.Client, presets: str, pods: str) -> None:
    pod = _created(client, pods, _pod(env=[{"name": "OWN", "value": "1"}]))
    spec = pod["spec"]
    assert spec["volumes"] == [{"name": "cache-volume", "emptyDir": {}}]
    assert spec["containers"][0]["env"] == [{"name": "OWN", "value": "1"}, {"name": "DB_PORT", "value": "6379"}]
    for container in (*spec["initContainers"], *spec["containers"]):
        assert container["envFrom"] == [{"configMapRef": {"name": "settings"}}]
        assert container["volumeMounts"] == [{"name": "cache-volume", "mountPath": "/cache"}]


def test_the_pod_tells_which_presets_it_has(client: httpx.Client, presets: str, pods: str) -> None:
    version = client.get(f"{presets}/database").json()["metadata"]["resourceVersion"]
    annotations = _created(client, pods, _pod())["metadata"]["annotations"]
    assert annotations == {"podpreset.admission.kubernetes.io/podpreset-database": version}


@pytest.mark.parametrize(
    "pod",
    [
        _pod(labels={"role": "backend"}),
        _pod(annotations={"podpreset.admission.kubernetes.io/exclude": "true"}),
    ],
    ids=["not selected", "excluded"],
)
def test_other_pods_stay_as_they_are(client: httpx.Client, presets: str, pods: str, pod: Any) -> None:
    assert "env" not in _created(client, pods, pod)["spec"]["containers"][0]


def test_what_the_pod_has_already_is_no_conflict(client: httpx.Client, presets: str, pods: str) -> None:
    env = [{"name": "DB_PORT", "value": "6379"}]
    assert _created(client, pods, _pod(env=env))["spec"]["containers"][0]["env"] == env


def test_a_conflict_changes_nothing_and_is_reported(
    client: httpx.Client, presets: str, pods: str, namespace: str
) -> None:
    pod = _created(client, pods, _pod(env=[{"name": "DB_PORT", "value": "1"}]))
    assert "annotations" not in pod["metadata"]
    assert not {"volumes"} & pod["spec"].keys()
    (event,) = client.get(f"/api/v1/namespaces/{namespace}/events").json()["items"]
    assert (event["type"], event["source"]["component"]) == ("Warning", "pip database")
    assert (event["involvedObject"]["name"], event["message"]) == ("web", _MESSAGE)


def test_two_mounts_at_one_path_are_a_conflict(client: httpx.Client, presets: str, pods: str) -> None:
    mounts = [{"name": "own", "mountPath": "/cache"}]
    body = _pod(volumeMounts=mounts)
    body["spec"]["volumes"] = [{"name": "own", "emptyDir": {}}]
    assert _created(client, pods, body)["spec"]["containers"][0]["volumeMounts"] == mounts


def test_a_preset_is_validated(client: httpx.Client, presets: str) -> None:
    status = client.post(presets, json={"metadata": {"name": "empty"}, "spec": {}}).json()
    assert [cause["field"] for cause in status["details"]["causes"]] == ["spec.volumes.env.envFrom.volumeMounts"]
    spec = {"env": [{"name": "A"}], "volumeMounts": [{"name": "none", "mountPath": "/a"}]}
    status = client.post(presets, json={"metadata": {"name": "mounts"}, "spec": spec}).json()
    assert status["message"] == (
        'PodPreset.settings.k8s.io "mounts" is invalid: spec.volumeMounts[0].name: Not found: "none"'
    )


def test_the_spec_of_a_preset_stays(client: httpx.Client, presets: str) -> None:
    preset = client.get(f"{presets}/database").json()
    preset["spec"]["env"] = [{"name": "OTHER"}]
    assert client.put(f"{presets}/database", json=preset).json()["spec"]["env"][0]["name"] == "DB_PORT"
