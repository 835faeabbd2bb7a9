"""Events in the audit log, which are equal to those of kube-apiserver."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.endpoints.auditing.log_file import AuditLogFile
from memkube.endpoints.auditing.options import AuditOptions
from memkube.server.server import Server
from memkube.server.settings import Settings

MAPS = "/api/v1/namespaces/default/configmaps"
POLICY_HEAD = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitManagedFields: true\n"
HEALTH = "{level: None, nonResourceURLs: [/healthz]}"
RULES = """
- {level: None, nonResourceURLs: [/healthz]}
- {level: RequestResponse, resources: [{group: "", resources: [configmaps, pods]}]}
- {level: Metadata, omitStages: [RequestReceived]}
"""


@dataclass
class Audited:
    """A client of a server with an audit log."""

    client: httpx.Client
    log: Path

    def events(self, method: str, path: str, **options: Any) -> list[dict[str, Any]]:
        """Send a request, and return its events in the audit log."""
        before = len(self.log.read_text().splitlines())
        self.client.request(method, path, **options)
        self.client.get("/healthz")
        return [json.loads(line) for line in self.log.read_text().splitlines()[before:]]


@contextmanager
def server_with(folder: Path, rules: str) -> Iterator[Audited]:
    """Run a server with an audit policy that has these rules. Its client is an administrator."""
    (folder / "policy.yaml").write_text(f"{POLICY_HEAD}rules: {rules}\n")
    audit = AuditOptions(folder / "policy.yaml", str(folder / "audit.log"))
    settings = Settings(
        controllers=(),
        audit=audit,
        authentication=AuthenticationOptions("secret"),
        authorizers=ConfiguredAuthorizers(("RBAC",)),
    )
    headers = {"authorization": "Bearer secret", "user-agent": "tester"}
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, headers=headers) as client:
        yield Audited(client, folder / "audit.log")


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    with server_with(tmp_path_factory.mktemp("audit"), RULES) as running:
        yield running


def test_each_stage_has_an_event(audited: Audited) -> None:
    received, complete = audited.events("GET", f"{MAPS}?limit=3")
    assert (received["stage"], complete["stage"]) == ("RequestReceived", "ResponseComplete")
    assert received["auditID"] == complete["auditID"]
    assert received["requestReceivedTimestamp"] == received["stageTimestamp"]
    assert (received["requestURI"], received["verb"]) == (f"{MAPS}?limit=3", "list")
    assert received["objectRef"] == {"resource": "configmaps", "namespace": "default", "apiVersion": "v1"}
    assert (received["userAgent"], received["sourceIPs"]) == ("tester", ["127.0.0.1"])
    assert "responseStatus" not in received


@pytest.mark.parametrize("accept", ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"])
def test_an_event_has_the_object_of_a_response_in_any_media_type(audited: Audited, accept: str) -> None:
    generated = {"metadata": {"generateName": "shown-"}}
    complete = audited.events("POST", MAPS, json=generated, headers={"accept": accept})[-1]
    assert complete["responseObject"]["metadata"]["name"].startswith("shown-")


def test_an_event_has_the_objects_of_request_and_response(audited: Audited) -> None:
    body = {"metadata": {"name": "a"}, "data": {"x": "y"}}
    complete = audited.events("POST", MAPS, json=body)[-1]
    assert complete["requestObject"] == {"kind": "ConfigMap", "apiVersion": "v1", **body}
    assert complete["responseObject"]["metadata"]["uid"]
    assert "managedFields" not in complete["responseObject"]["metadata"]
    assert (complete["objectRef"]["name"], complete["responseStatus"]) == ("a", {"metadata": {}, "code": 201})


def test_the_object_of_a_request_has_its_defaults(audited: Audited) -> None:
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}
    complete = audited.events("POST", "/api/v1/namespaces/default/pods", json=pod)[-1]
    assert complete["requestObject"]["spec"]["terminationGracePeriodSeconds"] == 30
    assert complete["annotations"]["pod-security.kubernetes.io/enforce-policy"] == "privileged:latest"


def test_a_patch_is_told_as_it_was_sent(audited: Audited) -> None:
    audited.client.post(MAPS, json={"metadata": {"name": "patched"}})
    headers = {"content-type": "application/merge-patch+json"}
    events = audited.events("PATCH", f"{MAPS}/patched", content=b'{"data": {"a": "b"}}', headers=headers)
    assert events[-1]["requestObject"] == {"data": {"a": "b"}}


def test_an_empty_patch_is_recorded(audited: Audited) -> None:
    audited.client.post(MAPS, json={"metadata": {"name": "kept"}})
    headers = {"content-type": "application/json-patch+json"}
    assert audited.events("PATCH", f"{MAPS}/kept", content=b"[]", headers=headers)[-1]["requestObject"] == []


def test_delete_options_are_told_in_the_internal_version(audited: Audited) -> None:
    audited.client.post(MAPS, json={"metadata": {"name": "gone"}})
    events = audited.events("DELETE", f"{MAPS}/gone", content=b'{"propagationPolicy": "Background"}')
    version = "meta.k8s.io/__internal"
    assert events[-1]["requestObject"] == {
        "kind": "DeleteOptions",
        "apiVersion": version,
        "propagationPolicy": "Background",
    }
    assert events[-1]["responseStatus"]["code"] == 200


@pytest.mark.parametrize("accept", ["application/json", "application/vnd.kubernetes.protobuf"])
def test_a_refusal_is_told_with_its_status(audited: Audited, accept: str) -> None:
    status = audited.events("GET", f"{MAPS}/missing", headers={"accept": accept})[-1]["responseStatus"]
    assert status["message"] == 'configmaps "missing" not found'
    assert (status["status"], status["reason"], status["code"]) == ("Failure", "NotFound", 404)


def test_metadata_alone_has_no_objects(audited: Audited) -> None:
    namespace = {"metadata": {"name": "audited"}}
    (complete,) = audited.events("POST", "/api/v1/namespaces", json=namespace)
    assert not complete.keys() & {"requestObject", "responseObject"}
    assert complete["objectRef"]["name"] == "audited"


def test_a_watch_has_an_event_when_it_begins(audited: Audited) -> None:
    events = audited.events("GET", "/api/v1/nodes?watch=1&timeoutSeconds=1")
    assert [event["stage"] for event in events] == ["ResponseStarted", "ResponseComplete"]
    assert events[0]["responseStatus"] == {"metadata": {}, "code": 200}


def test_an_impersonated_user_stands_beside_the_sender(audited: Audited) -> None:
    (event,) = audited.events("GET", "/api/v1/nodes", headers={"impersonate-user": "bob"})
    assert event["user"]["username"] == "kubernetes-admin"
    assert event["impersonatedUser"] == {"username": "bob", "groups": ["system:authenticated"]}
    assert event["annotations"] == {"authorization.k8s.io/decision": "forbid", "authorization.k8s.io/reason": ""}
    assert event["responseStatus"]["code"] == 403


def test_a_wrong_token_is_told_without_the_token(audited: Audited) -> None:
    (event,) = audited.events("GET", "/api/v1/nodes", headers={"authorization": "Bearer wrong-token"})
    assert (event["stage"], event["user"], event["responseStatus"]["code"]) == ("ResponseStarted", {}, 401)
    assert "wrong-token" not in audited.log.read_text()


def test_a_malformed_timeout_is_told_without_a_user(audited: Audited) -> None:
    (event,) = audited.events("GET", "/api/v1/nodes?timeout=soon")
    assert (event["stage"], event["user"], event["responseStatus"]["code"]) == ("ResponseStarted", {}, 400)
    assert event["responseStatus"]["message"].startswith("invalid timeout specified in the request URL")


def test_addresses_of_proxies_come_first(audited: Audited) -> None:
    headers = {"x-forwarded-for": "10.1.1.1, x, 10.2.2.2", "x-real-ip": "10.3.3.3"}
    (event,) = audited.events("GET", "/version", headers=headers)
    assert event["sourceIPs"] == ["10.1.1.1", "10.2.2.2", "10.3.3.3", "127.0.0.1"]


EVENT = {
    "auditID": "1",
    "stage": "ResponseComplete",
    "requestURI": "/version",
    "verb": "get",
    "user": {"username": "alice", "groups": ["dev", "ops"]},
    "requestReceivedTimestamp": "2026-01-01T00:00:00.000001Z",
}


def test_the_legacy_form_is_one_line_of_text(tmp_path: Path) -> None:
    log = AuditLogFile(AuditOptions(tmp_path, str(tmp_path / "audit.log"), "legacy"))
    log.write(EVENT)
    asyncio.run(log.close())
    assert (tmp_path / "audit.log").read_text() == (
        '2026-01-01T00:00:00.000001Z AUDIT: id="1" stage="ResponseComplete" ip="<unknown>" method="get" user="alice" '
        'groups="\\"dev\\",\\"ops\\"" as="<self>" asgroups="<lookup>" user-agent="" namespace="<none>" uri="/version" '
        'response="<deferred>"\n'
    )


def test_a_full_file_is_renamed_and_old_ones_deleted(tmp_path: Path) -> None:
    log = AuditLogFile(AuditOptions(tmp_path, str(tmp_path / "audit.log"), "json", max_megabytes=1, max_backups=1))
    for number in range(5):
        log.write({**EVENT, "auditID": f"{number}", "requestURI": "x" * 700_000})
    asyncio.run(log.close())
    backups = list(tmp_path.glob("audit-*.log"))
    assert len(backups) == 1
    assert json.loads((tmp_path / "audit.log").read_text())["auditID"] == "4"
    assert json.loads(backups[0].read_text())["auditID"] == "3"


@pytest.mark.parametrize("accept", ["application/yaml", "application/vnd.kubernetes.protobuf"])
def test_an_event_has_the_list_of_a_response_in_any_media_type(audited: Audited, accept: str) -> None:
    audited.client.post(MAPS, json={"metadata": {"name": "listed"}})
    complete = audited.events("GET", MAPS, headers={"accept": accept})[-1]
    assert complete["responseObject"]["kind"] == "ConfigMapList"
    assert "listed" in {item["metadata"]["name"] for item in complete["responseObject"]["items"]}


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        ("application/vnd.kubernetes.protobuf", "PartialObjectMetadataList"),
        ("application/yaml", "PartialObjectMetadataList"),
        ("application/yaml", "Table"),
    ],
)
def test_an_event_has_a_converted_list(audited: Audited, media_type: str, kind: str) -> None:
    accept = f"{media_type};as={kind};g=meta.k8s.io;v=v1"
    complete = audited.events("GET", MAPS, headers={"accept": accept})[-1]
    assert complete["responseObject"]["kind"] == kind


def test_a_status_in_a_format_that_the_client_did_not_accept_is_not_recorded(audited: Audited) -> None:
    complete = audited.events("GET", f"{MAPS}/missing", headers={"accept": "application/cbor"})[-1]
    assert complete["responseStatus"] == {"metadata": {}, "code": 406}
    assert "responseObject" not in complete


def test_empty_details_of_a_status_are_recorded(audited: Audited) -> None:
    assert audited.events("POST", f"{MAPS}/a/b")[-1]["responseStatus"]["details"] == {}


def test_documents_that_are_no_objects_are_not_recorded(tmp_path: Path) -> None:
    with server_with(tmp_path, f"[{HEALTH}, {{level: RequestResponse}}]") as audited:
        assert "responseObject" not in audited.events("GET", "/version")[-1]
        assert audited.events("GET", "/api/v1")[-1]["responseObject"]["kind"] == "APIResourceList"


def test_delete_options_with_a_version_are_told_in_the_internal_version(audited: Audited) -> None:
    audited.client.post(MAPS, json={"metadata": {"name": "gone"}})
    body = b'{"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}'
    complete = audited.events("DELETE", f"{MAPS}/gone", content=body)[-1]
    assert complete["requestObject"]["apiVersion"] == "meta.k8s.io/__internal"


def test_requests_for_deprecated_resources_are_annotated(audited: Audited) -> None:
    complete = audited.events("GET", "/api/v1/namespaces/default/endpoints")[-1]
    assert complete["annotations"]["k8s.io/deprecated"] == "true"


def test_an_issued_token_is_annotated_with_its_id(audited: Audited) -> None:
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    audited.client.post(accounts, json={"metadata": {"name": "robot"}})
    complete = audited.events("POST", f"{accounts}/robot/token", json={"spec": {"audiences": []}})[-1]
    assert complete["annotations"]["authentication.kubernetes.io/issued-credential-id"].startswith("JTI=")


def test_rules_about_groups_do_not_apply_to_invalid_credentials(tmp_path: Path) -> None:
    rules = f"[{HEALTH}, {{level: Request, userGroups: [system:unauthenticated]}}, {{level: Metadata}}]"
    with server_with(tmp_path, rules) as audited:
        (event,) = audited.events("GET", MAPS, headers={"authorization": "Bearer wrong"})
    assert (event["level"], event["user"]) == ("Metadata", {})


def test_the_verb_of_a_method_without_a_verb_is_empty(audited: Audited) -> None:
    assert audited.events("OPTIONS", MAPS)[-1]["verb"] == ""


def test_discovery_in_yaml_is_recorded(tmp_path: Path) -> None:
    with server_with(tmp_path, f"[{HEALTH}, {{level: RequestResponse}}]") as audited:
        complete = audited.events("GET", "/apis", headers={"accept": "application/yaml"})[-1]
    assert complete["responseObject"]["kind"] == "APIGroupList"


def test_events_and_levels_are_metrics(tmp_path: Path) -> None:
    rules = f"[{HEALTH}, {{level: Request, verbs: [list]}}, {{level: Metadata, omitStages: [RequestReceived]}}]"
    with server_with(tmp_path, rules) as audited:
        audited.client.get(MAPS)
        audited.client.get(f"{MAPS}/x")
        audited.client.get("/healthz")
        text = audited.client.get("/metrics").text
    assert "apiserver_audit_event_total 3.0" in text
    assert 'apiserver_audit_level_total{level="Request"} 1.0' in text
    assert 'apiserver_audit_level_total{level="Metadata"} 2.0' in text
    assert 'apiserver_audit_level_total{level="None"} 1.0' in text


def test_an_address_that_ends_with_a_verb_is_refused_before_authentication(audited: Audited) -> None:
    headers = {"authorization": "Bearer wrong"}
    assert audited.client.get("/api/v1/watch", headers=headers).status_code == 500
    assert audited.events("GET", "/api/v1/watch") == []


def test_an_empty_query_is_part_of_the_uri(audited: Audited) -> None:
    with socket.create_connection((audited.client.base_url.host, audited.client.base_url.port)) as connection:
        connection.sendall(f"GET {MAPS}? HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        while connection.recv(65536):
            pass
    events = [json.loads(line) for line in audited.log.read_text().splitlines()]
    assert events[-1]["requestURI"] == f"{MAPS}?"
