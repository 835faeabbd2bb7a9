"""Entries of the request log for HTTP requests."""

import uuid
from collections.abc import Iterator

import httpx
import pytest

from memkube.server.server import Server
from memkube.telemetry.request_log import RequestRecord

PODS = "/api/v1/namespaces/{namespace}/pods"
MAPS = "/api/v1/namespaces/{namespace}/configmaps"


class Seen:
    """The logged requests of one client."""

    def __init__(self, server: Server, client: httpx.Client, agent: str) -> None:
        self._server = server
        self.client = client
        self._agent = agent

    def all(self) -> list[RequestRecord]:
        log = self._server.parts.request_log
        return [record for record in self._server.call(log.records) if record.client == self._agent]

    def last(self) -> RequestRecord:
        return self.all()[-1]


@pytest.fixture
def seen(server: Server) -> Iterator[Seen]:
    agent = f"tester-{uuid.uuid4().hex}"
    headers = {"user-agent": f"{agent}/v1 (linux)"}
    with httpx.Client(base_url=server.url, trust_env=False, headers=headers) as client:
        yield Seen(server, client, agent)


@pytest.mark.parametrize(
    ("method", "path", "verb", "resource", "name", "subresource"),
    [
        ("GET", "/api/v1/namespaces/default", "get", "namespaces", "default", ""),
        ("GET", "/api/v1/pods", "list", "pods", "", ""),
        ("GET", "/api/v1/pods?fieldSelector=metadata.name%3Dweb", "list", "pods", "web", ""),
        ("GET", "/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion=1", "watch", "pods", "", ""),
        ("GET", "/apis/apps/v1/watch/deployments?timeoutSeconds=1&resourceVersion=1", "watch", "deployments", "", ""),
        ("POST", "/apis/apps/v1/namespaces/default/deployments", "create", "deployments", "", ""),
        ("PUT", "/api/v1/namespaces/default/pods/web/status", "update", "pods", "web", "status"),
        ("PATCH", "/apis/apps/v1/namespaces/default/deployments/web/scale", "patch", "deployments", "web", "scale"),
        ("DELETE", "/api/v1/namespaces/default/pods/web", "delete", "pods", "web", ""),
        ("DELETE", "/api/v1/namespaces/nowhere/pods", "deletecollection", "pods", "", ""),
        ("GET", "/api/v1/namespaces/default/pods/web/log", "get", "pods", "web", "log"),
        ("POST", "/api/v1/namespaces/default/pods/web/exec", "create", "pods", "web", "exec"),
        ("GET", "/api/v1/gadgets", "list", "gadgets", "", ""),
        ("GET", "/apis/apps/v1", "get", "", "", ""),
        ("GET", "/healthz", "get", "", "", ""),
    ],
)
def test_verbs_are_those_that_rbac_goes_by(
    seen: Seen, method: str, path: str, verb: str, resource: str, name: str, subresource: str
) -> None:
    code = seen.client.request(method, path).status_code
    record = seen.last()
    assert (record.verb, record.target.resource, record.name, record.target.subresource) == (
        verb,
        resource,
        name,
        subresource,
    )
    assert (record.code, record.path, record.in_flight) == (code, path.partition("?")[0], False)


def test_a_write_is_told_with_its_circumstances(seen: Seen, namespace: str) -> None:
    maps, body = MAPS.format(namespace=namespace), {"metadata": {"name": "a"}}
    answer = seen.client.post(maps, params={"fieldManager": "me", "dryRun": "All"}, json=body)
    record = seen.last()
    assert answer.status_code == record.code == 201
    assert (record.manager, record.dry_run, record.body) == ("me", True, answer.request.content)
    assert (record.target.namespace, record.user.name) == (namespace, "system:anonymous")


def test_the_revision_of_the_answer_is_told(seen: Seen, namespace: str) -> None:
    maps = MAPS.format(namespace=namespace)
    made = seen.client.post(maps, json={"metadata": {"name": "a"}}).json()["metadata"]["resourceVersion"]
    seen.client.get(f"{maps}/a")
    assert [record.revision for record in seen.all()] == [int(made), int(made)]
    assert seen.all()[0].since == int(made) - 1


def test_a_record_of_a_refused_request_has_the_reason(seen: Seen, namespace: str) -> None:
    seen.client.get(f"{PODS.format(namespace=namespace)}/web")
    record = seen.last()
    assert (record.code, record.reason, record.message) == (404, "NotFound", 'pods "web" not found')


def test_a_record_has_the_warnings_of_the_response(seen: Seen) -> None:
    seen.client.get("/api/v1/componentstatuses")
    assert seen.last().warnings == ["v1 ComponentStatus is deprecated in v1.19+"]


def test_an_open_watch_is_under_way_and_counts_its_events(seen: Seen, namespace: str) -> None:
    maps = MAPS.format(namespace=namespace)
    with seen.client.stream("GET", maps, params={"watch": "1"}) as stream:
        lines = stream.iter_lines()
        made = seen.client.post(maps, json={"metadata": {"name": "a"}}).json()["metadata"]["resourceVersion"]
        assert '"ADDED"' in next(line for line in lines if '"name":"a"' in line)
        watch = next(record for record in seen.all() if record.verb == "watch")
        assert (watch.in_flight, watch.code, watch.revision) == (True, 200, int(made))
    assert watch.events >= 1


def test_impersonated_users_are_told(seen: Seen) -> None:
    seen.client.get("/api/v1/nodes", headers={"impersonate-user": "alice"})
    assert seen.last().user.name == "alice"


def test_a_new_object_is_named(seen: Seen, namespace: str) -> None:
    made = seen.client.post(MAPS.format(namespace=namespace), json={"metadata": {"generateName": "a-"}}).json()
    assert seen.last().name == made["metadata"]["name"]
