import httpx
import pytest

CONTAINERS = {"containers": [{"name": "app", "image": "nginx"}]}


@pytest.fixture
def terminating(client: httpx.Client, namespace: str) -> str:
    """A terminating namespace, which a finalizer keeps."""
    client.delete(f"/api/v1/namespaces/{namespace}").raise_for_status()
    return namespace


@pytest.mark.parametrize(
    ("metadata", "name"), [({"name": "a"}, "a"), ({"generateName": "web-"}, "web-"), ({}, "Unknown")]
)
def test_a_refusal_names_an_object_that_has_no_name_yet(
    client: httpx.Client, terminating: str, metadata: dict[str, str], name: str
) -> None:
    answer = client.post(f"/api/v1/namespaces/{terminating}/configmaps", json={"metadata": metadata}).json()
    assert answer["message"].startswith(f'configmaps "{name}" is forbidden: unable to create new content')
    assert answer["details"]["name"] == name
    assert answer["details"]["causes"][0]["reason"] == "NamespaceTerminating"


def test_a_pod_that_is_named_later_is_refused_by_the_start_of_its_name(client: httpx.Client, namespace: str) -> None:
    pod = {"metadata": {"generateName": "web-"}, "spec": {**CONTAINERS, "priorityClassName": "none"}}
    answer = client.post(f"/api/v1/namespaces/{namespace}/pods", json=pod).json()
    assert answer["message"] == 'pods "web-" is forbidden: no PriorityClass with name none was found'


@pytest.mark.parametrize(("orphan", "finalizer"), [("false", "foregroundDeletion"), ("true", "orphan")])
def test_a_namespace_waits_for_dependents_that_are_not_orphaned(
    client: httpx.Client, namespace: str, orphan: str, finalizer: str
) -> None:
    answer = client.delete(f"/api/v1/namespaces/{namespace}", params={"orphanDependents": orphan})
    assert answer.status_code == (202 if orphan == "false" else 200)
    assert answer.json()["metadata"]["finalizers"] == [finalizer]


def test_a_deletecollection_of_a_version_takes_the_objects_of_that_version(
    client: httpx.Client, namespace: str
) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(path, json={"metadata": {"name": "a"}}).raise_for_status()
    version = client.get(path).json()["metadata"]["resourceVersion"]
    client.post(path, json={"metadata": {"name": "b"}}).raise_for_status()
    client.delete(path, params={"resourceVersion": version}).raise_for_status()
    assert [item["metadata"]["name"] for item in client.get(path).json()["items"]] == ["b"]


def test_a_binding_at_the_old_address_names_its_pod(client: httpx.Client, namespace: str) -> None:
    answer = client.post(f"/api/v1/namespaces/{namespace}/bindings", json={"target": {"name": "n"}})
    assert (answer.status_code, answer.json()["message"]) == (400, "Name parameter required.")
