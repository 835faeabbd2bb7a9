"""The request log in the Python API."""

import shutil
import subprocess
from collections.abc import Iterator

import httpx
import pytest

import memkube
from memkube import faults

MAPS = "/api/v1/namespaces/default/configmaps"
SECRETS = "/api/v1/namespaces/default/secrets"


@pytest.fixture(scope="module")
def running() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(controllers="none") as kube:
        yield kube


@pytest.fixture
def kube(running: memkube.Memkube) -> memkube.Memkube:
    while list(running.requests.under_way()):
        # The server may not have noticed yet that the watch of the last test was closed.
        continue
    running.requests.clear()
    return running


@pytest.fixture
def operator(kube: memkube.Memkube) -> Iterator[httpx.Client]:
    headers = {"user-agent": "my-operator/1.0 (linux)"}
    with httpx.Client(base_url=kube.url, trust_env=False, headers=headers) as client:
        yield client


def test_requests_are_asked_for_by_verb_resource_and_client(kube: memkube.Memkube, operator: httpx.Client) -> None:
    operator.get(f"{MAPS}/a")
    operator.get("/api/v1/namespaces/default/pods/a")
    httpx.get(f"{kube.url}{MAPS}/a")
    asked = kube.requests.of("get", "configmaps").by("my-operator")
    assert len(asked) == 1
    assert (asked[-1].name, asked[-1].code, asked[-1].reason) == ("a", 404, "NotFound")
    assert len(kube.requests.of("get").in_namespace("default").named("a").with_status(404)) == 3


@pytest.mark.parametrize("resource", ["configmaps", "config*", "*"])
def test_resources_are_named_with_or_without_their_group(
    kube: memkube.Memkube, operator: httpx.Client, resource: str
) -> None:
    operator.get(MAPS)
    assert len(kube.requests.of("list", resource)) == 1


def test_a_subresource_is_a_resource_of_its_own(kube: memkube.Memkube, operator: httpx.Client) -> None:
    operator.get("/apis/apps/v1/namespaces/default/deployments/a/status")
    assert len(kube.requests.of("get", "deployments")) == 0
    assert len(kube.requests.of("get", "deployments.apps/status")) == 1


def test_requests_since_a_revision_came_when_it_was_written(kube: memkube.Memkube, operator: httpx.Client) -> None:
    operator.post(MAPS, json={"metadata": {"generateName": "a-"}})
    revision = kube.revision()
    operator.post(MAPS, json={"metadata": {"generateName": "b-"}})
    assert [request.revision for request in kube.requests.of("create").since(revision)] == [revision + 1]


def test_counts_are_by_client_and_verb(kube: memkube.Memkube, operator: httpx.Client) -> None:
    operator.get(MAPS)
    operator.get(MAPS)
    operator.get(f"{MAPS}/a")
    assert kube.requests.counts() == {"my-operator": {"list": 2, "get": 1}}


def test_a_body_is_data(kube: memkube.Memkube, operator: httpx.Client) -> None:
    operator.post(MAPS, json={"metadata": {"name": "data"}, "data": {"a": "b"}})
    assert kube.requests[-1].body == {"metadata": {"name": "data"}, "data": {"a": "b"}}


@pytest.mark.parametrize(
    ("content_type", "body", "shown"),
    [
        ("application/merge-patch+json", b'{"data":{"a":"c2VjcmV0"}}', {"data": {"a": "***"}}),
        ("application/merge-patch+json", b'{"stringData":{"a":"secret"}}', {"stringData": {"a": "***"}}),
        ("application/merge-patch+json", b'{"data":"secret', "***"),
        (
            "application/json-patch+json",
            b'[{"op":"add","path":"/data/a","value":"c2VjcmV0"}]',
            [{"op": "add", "path": "/data/a", "value": "***"}],
        ),
        (
            "application/apply-patch+yaml",
            b"metadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: secret\n",
            {"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "***"}}},
        ),
        ("application/merge-patch+json", b'{"data":{"a":"' + b"x" * 20_000 + b'"}}', "***"),
    ],
)
def test_values_of_secrets_are_masked(
    kube: memkube.Memkube, operator: httpx.Client, content_type: str, body: bytes, shown: object
) -> None:
    operator.patch(f"{SECRETS}/a", content=body, headers={"content-type": content_type})
    assert kube.requests.of("patch", "secrets")[-1].body == shown


def test_an_open_watch_is_under_way(kube: memkube.Memkube, operator: httpx.Client) -> None:
    with operator.stream("GET", MAPS, params={"watch": "1"}):
        assert [request.verb for request in kube.requests.by("my-operator").under_way()] == ["watch"]


def test_a_failure_shows_the_nearest_requests(kube: memkube.Memkube, operator: httpx.Client) -> None:
    operator.get(f"{MAPS}/a")
    operator.delete(f"{MAPS}/a")
    with pytest.raises(AssertionError) as raised:
        kube.requests.of("patch", "configmaps").by("my-operator").must_be(1)
    head, first, second = str(raised.value).splitlines()
    assert head == (
        "expected 1 request with verb patch, resource configmaps, client my-operator; there were none. the nearest:"
    )
    assert "my-operator delete configmaps/a -n default -> 404 NotFound" in first
    assert first.endswith("[verb is delete]")
    assert second.endswith("[verb is get]")


def test_too_many_requests_are_shown(kube: memkube.Memkube, operator: httpx.Client) -> None:
    operator.get(MAPS)
    operator.get(MAPS)
    with pytest.raises(AssertionError, match=r"there were 2\. those:\n.*list configmaps.*\n.*list configmaps"):
        kube.requests.of("list").by("my-operator").must_be(1)


def test_a_fault_is_named(kube: memkube.Memkube, operator: httpx.Client) -> None:
    with kube.faults.add(faults.error(503), called="down", verb="list"):
        operator.get(MAPS)
    assert [str(r.code) + r.fault for r in kube.requests.hit_by("down")] == ["503down"]


def test_what_is_meant_is_forgotten(kube: memkube.Memkube, operator: httpx.Client) -> None:
    operator.get(MAPS)
    operator.get(f"{MAPS}/a")
    assert kube.requests.of("list").clear() == 1
    assert [request.verb for request in kube.requests] == ["get"]


def test_controllers_are_told_apart(kube: memkube.Memkube) -> None:
    with memkube.Memkube() as other:
        other.requests.record_controllers()
        other.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "watched"}})
        other.wait_for("serviceaccounts", "default", "create", namespace="watched")
        made = other.requests.with_controllers().of("create", "serviceaccounts").in_namespace("watched")
        assert [(request.controller, request.name) for request in made] == [(True, "default")]
        assert len(other.requests.of("create", "serviceaccounts")) == 0


@pytest.mark.anyio
async def test_they_are_awaited_in_an_event_loop(kube: memkube.Memkube) -> None:
    async with httpx.AsyncClient(base_url=kube.url, trust_env=False) as client:
        await client.get(MAPS)
    requests = kube.asynchronous.requests
    assert [request.client for request in await requests.of("list")] == ["python-httpx"]
    await requests.must_be(1)
    with pytest.raises(AssertionError, match="expected requests with verb watch"):
        await requests.of("watch").must_be_any()


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH")
def test_kubectl_is_told_by_its_name(kube: memkube.Memkube) -> None:
    command = ["kubectl", "--kubeconfig", str(kube.kubeconfig), "create", "secret", "generic", "a"]
    subprocess.run([*command, "--from-literal=password=secret"], check=True, capture_output=True)
    (made,) = kube.requests.of("create", "secrets").by("kubectl")
    assert (made.name, made.code, made.field_manager) == ("a", 201, "kubectl-create")
    assert made.body["data"] == {"password": "***"}


def test_bodies_in_protobuf_are_data(kube: memkube.Memkube, operator: httpx.Client) -> None:
    operator.post(MAPS, json={"metadata": {"name": "message"}, "data": {"a": "b"}})
    protobuf = "application/vnd.kubernetes.protobuf"
    message = operator.get(f"{MAPS}/message", headers={"accept": protobuf}).content
    operator.put(f"{MAPS}/message", content=message, headers={"content-type": protobuf})
    assert kube.requests.of("update")[-1].body["data"] == {"a": "b"}
