from typing import Any

import httpx
import pytest

from memkube.registry.writes.updating import MODIFIED
from tests.apis.apps.v1.workloads import TEMPLATE

MERGE = {"content-type": "application/merge-patch+json"}
EXPRESSION = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]}


def create(client: httpx.Client, namespace: str, **spec: Any) -> str:
    """Create a ReplicaSet with three replicas, and return its URL path."""
    path = f"/apis/apps/v1/namespaces/{namespace}/replicasets"
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE, **spec}
    client.post(path, json={"metadata": {"name": "web"}, "spec": spec}).raise_for_status()
    return f"{path}/web"


def scale(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web"}, **fields}


def owners(client: httpx.Client, path: str) -> dict[tuple[str, str], bool]:
    """Return for each field manager and subresource whether it owns the number of replicas."""
    entries = client.get(path).json()["metadata"]["managedFields"]
    return {(e["manager"], e.get("subresource", "")): "f:replicas" in e["fieldsV1"].get("f:spec", {}) for e in entries}


def test_a_scale_shows_its_object(client: httpx.Client, namespace: str) -> None:
    path = create(client, namespace, selector=EXPRESSION)
    found, parent = client.get(f"{path}/scale").json(), client.get(path).json()
    assert (found["kind"], found["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert (found["spec"], found["status"]) == ({"replicas": 3}, {"replicas": 0, "selector": "app in (db,web)"})
    assert found["metadata"]["uid"] == parent["metadata"]["uid"]
    assert "managedFields" not in found["metadata"]


def test_writing_a_scale_changes_its_object(client: httpx.Client, namespace: str) -> None:
    path = create(client, namespace)
    client.put(f"{path}/scale", json=scale(spec={"replicas": 5})).raise_for_status()
    parent = client.get(path).json()
    assert (parent["spec"]["replicas"], parent["metadata"]["generation"]) == (5, 2)


def test_a_scale_takes_the_number_from_its_owner(client: httpx.Client, namespace: str) -> None:
    path = create(client, namespace)
    assert list(owners(client, path).values()) == [True]
    client.patch(f"{path}/scale?fieldManager=hpa", json={"spec": {"replicas": 5}}, headers=MERGE).raise_for_status()
    assert {key: value for key, value in owners(client, path).items() if value} == {("hpa", "scale"): True}


def test_a_scale_can_be_applied(client: httpx.Client, namespace: str) -> None:
    path = create(client, namespace)
    applied = {"content-type": "application/apply-patch+yaml"}
    url = f"{path}/scale?fieldManager=hpa"
    assert client.patch(url, json=scale(spec={"replicas": 4}), headers=applied).status_code == 409
    client.patch(f"{url}&force=true", json=scale(spec={"replicas": 4}), headers=applied).raise_for_status()
    assert client.get(path).json()["spec"]["replicas"] == 4
    assert owners(client, path)["hpa", "scale"]


def test_nothing_but_the_number_can_be_written(client: httpx.Client, namespace: str) -> None:
    path = create(client, namespace)
    before = client.get(path).json()
    change = {"metadata": {"labels": {"a": "b"}}, "status": {"replicas": 9, "selector": "a=b"}}
    client.patch(f"{path}/scale", json=change, headers=MERGE).raise_for_status()
    after = client.get(path).json()
    assert (after["spec"], after["status"]) == (before["spec"], before["status"])
    assert "labels" not in after["metadata"]


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (
            scale(spec={"replicas": -1}),
            422,
            'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        ),
        (
            scale(spec={}, metadata={"name": "web", "resourceVersion": "1"}),
            409,
            f'Operation cannot be fulfilled on replicasets.apps "web": {MODIFIED}',
        ),
        (
            scale(metadata={"name": "other"}),
            400,
            "the name of the object (other) does not match the name on the URL (web)",
        ),
    ],
)
def test_a_wrong_scale_is_refused(
    client: httpx.Client, namespace: str, body: dict[str, Any], code: int, message: str
) -> None:
    answer = client.put(f"{create(client, namespace)}/scale", json=body)
    assert (answer.status_code, answer.json()["message"]) == (code, message)


def test_a_scale_is_not_deleted(client: httpx.Client, namespace: str) -> None:
    assert client.delete(f"{create(client, namespace)}/scale").status_code == 405


def test_a_scale_is_shown_as_a_table(client: httpx.Client, namespace: str) -> None:
    accept = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    table = client.get(f"{create(client, namespace)}/scale", headers=accept).json()
    assert table["rows"][0]["cells"][:3] == ["web", 3, 0]


def test_a_dry_run_shows_the_scale_and_changes_nothing(client: httpx.Client, namespace: str) -> None:
    path = create(client, namespace)
    shown = client.put(f"{path}/scale?dryRun=All", json=scale(spec={"replicas": 5})).json()
    assert shown["spec"] == {"replicas": 5}
    assert client.get(f"{path}/scale").json()["spec"] == {"replicas": 3}
