"""Attempts of a user with rights in one namespace to get more rights."""

from typing import Any

import httpx
import pytest

from memkube.server.server import Server
from tests.apis.certificates.v1.certificatesigningrequests.requests import manifest, request_pem
from tests.auth.users import RBAC, SELECT_ALICE
from tests.security.exchanges import exchanged

GOLD = "/api/v1/namespaces/vault/secrets/gold"
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
GROUP = "rbac.authorization.k8s.io"
EVERYTHING = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]


def may(admin: httpx.Client, name: str, *rules: dict[str, list[str]]) -> None:
    """Grant alice rights in the whole cluster."""
    admin.post(f"{RBAC}/clusterroles", json={"metadata": {"name": name}, "rules": rules}).raise_for_status()
    reference = {"kind": "ClusterRole", "name": name, "apiGroup": GROUP}
    binding = {"metadata": {"name": name}, "roleRef": reference, "subjects": [SELECT_ALICE]}
    admin.post(f"{RBAC}/clusterrolebindings", json=binding).raise_for_status()


def rule(group: str, resources: list[str], verbs: list[str]) -> dict[str, list[str]]:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


@pytest.mark.parametrize("kind", ["ClusterRole", "Role"])
def test_a_binding_to_a_stronger_role_is_refused(alice: httpx.Client, admin: httpx.Client, kind: str) -> None:
    may(admin, f"binder-{kind.lower()}", rule(GROUP, ["rolebindings"], ["create"]))
    strong = {"metadata": {"name": "strong"}, "rules": EVERYTHING}
    admin.post(f"{RBAC}/namespaces/vault/roles", json=strong)
    reference = {"kind": kind, "name": "strong" if kind == "Role" else "cluster-admin", "apiGroup": GROUP}
    body = {"metadata": {"name": f"up-{kind.lower()}"}, "roleRef": reference, "subjects": [SELECT_ALICE]}
    answer = alice.post(f"{RBAC}/namespaces/vault/rolebindings", json=body)
    assert (answer.status_code, answer.json()["reason"]) == (403, "Forbidden")
    assert alice.get(GOLD).status_code == 403


def test_a_role_for_everybody_with_more_rights_is_refused(alice: httpx.Client, admin: httpx.Client) -> None:
    may(admin, "aggregator", rule(GROUP, ["clusterroles"], ["create", "patch", "update"]))
    labels = {"rbac.authorization.k8s.io/aggregate-to-admin": "true"}
    body = {"metadata": {"name": "aggregated", "labels": labels}, "rules": EVERYTHING}
    assert alice.post(f"{RBAC}/clusterroles", json=body).status_code == 403


def test_a_role_that_aggregates_others_needs_all_their_rights(alice: httpx.Client, admin: httpx.Client) -> None:
    may(admin, "collector", rule(GROUP, ["clusterroles"], ["create"]))
    selector = {"clusterRoleSelectors": [{"matchLabels": {"kubernetes.io/bootstrapping": "rbac-defaults"}}]}
    body = {"metadata": {"name": "collected"}, "aggregationRule": selector}
    assert alice.post(f"{RBAC}/clusterroles", json=body).status_code == 403


def test_a_certificate_of_an_administrator_is_refused(alice: httpx.Client, admin: httpx.Client) -> None:
    may(admin, "requester", rule("certificates.k8s.io", ["certificatesigningrequests"], ["create"]))
    body = manifest("masters", request_pem("system:masters"), signerName="kubernetes.io/kube-apiserver-client")
    assert alice.post(REQUESTS, json=body).status_code == 403


def test_an_own_certificate_is_not_approved_without_the_right(alice: httpx.Client, admin: httpx.Client) -> None:
    requests = ["certificatesigningrequests", "certificatesigningrequests/approval"]
    may(admin, "approver", rule("certificates.k8s.io", requests, ["create", "get", "update"]))
    body = manifest("own", request_pem("developers"), signerName="kubernetes.io/kube-apiserver-client")
    made: dict[str, Any] = alice.post(REQUESTS, json=body).raise_for_status().json()
    condition = {"type": "Approved", "status": "True", "reason": "Mine", "message": "mine"}
    made["status"] = {"conditions": [condition]}
    assert alice.put(f"{REQUESTS}/own/approval", json=made).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Impersonate-User": "kubernetes-admin"},
        {"Impersonate-User": "alice", "Impersonate-Group": "system:masters"},
        {"Impersonate-User": "system:serviceaccount:kube-system:default"},
        {"Impersonate-User": "alice", "Impersonate-Extra-Scopes": "all"},
        {"Impersonate-User": "alice", "Impersonate-Uid": "0"},
        {"Impersonate-Group": "system:masters"},
        {"Impersonate-User": "system:apiserver"},
    ],
)
def test_impersonation_needs_the_right_to_it(alice: httpx.Client, headers: dict[str, str]) -> None:
    assert alice.get("/api/v1/namespaces/open/pods").status_code == 200
    assert alice.get("/api/v1/namespaces/open/pods", headers=headers).status_code in (400, 403)
    assert alice.get(GOLD, headers=headers).status_code in (400, 403)


@pytest.mark.parametrize("name", ["X-Remote-User", "x_remote_user", "X-Forwarded-User", "Remote-User", "X-User"])
def test_headers_of_proxies_count_for_nothing(alice: httpx.Client, name: str) -> None:
    headers = {name: "kubernetes-admin", "X-Remote-Group": "system:masters", "X-Remote-Extra-Scopes": "all"}
    assert alice.get(GOLD, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/namespaces/open/../vault/secrets/gold",
        "/api/v1/namespaces/open/%2e%2e/vault/secrets/gold",
        "/api/v1/namespaces/open%2F..%2Fvault/secrets/gold",
        "/api/v1/namespaces/open/secrets/..%2F..%2Fvault%2Fsecrets%2Fgold",
        "/api/v1/namespaces/open/pods/../../vault/secrets/gold",
        "/api/v1/namespaces/open;/vault/secrets/gold",
        "/api/v1/namespaces/vault/secrets/gold?namespace=open",
        "/api/v1/namespaces/vault%00/secrets/gold",
        "//api/v1/namespaces/vault/secrets/gold",
        "/api//v1/namespaces/vault/secrets/gold",
        "/api/v1/watch/namespaces/vault/secrets/gold",
        "/livez/../api/v1/namespaces/vault/secrets/gold",
        "/memkube/../api/v1/namespaces/vault/secrets/gold",
        "/memkube/v1/requests",
        "/memkube%2Fv1/requests",
        "/livez/../memkube/v1/requests",
        "http://localhost/api/v1/namespaces/vault/secrets/gold",
    ],
)
def test_no_spelling_of_a_path_reads_a_secret(target: Server, path: str) -> None:
    # The request is sent as bytes, because an HTTP client would normalize the path.
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice-token\r\nConnection: close\r\n\r\n"
    answer = exchanged(target, head.encode())
    assert answer.split(b" ")[1] in (b"400", b"403", b"404")
    assert b"dHJlYXN1cmU" not in answer


def test_other_ways_to_a_secret_are_closed(alice: httpx.Client) -> None:
    for method, path in (
        ("GET", "/api/v1/secrets?fieldSelector=metadata.namespace%3Dopen"),
        ("GET", "/api/v1/namespaces/vault/secrets?watch=1&fieldSelector=metadata.name%3Dgold"),
        ("DELETE", "/api/v1/namespaces/vault/secrets"),
        ("PATCH", GOLD),
        ("GET", "/api/v1/nodes/node-1/proxy/"),
        ("GET", "/memkube/v1/snapshots"),
        ("GET", "/metrics"),
    ):
        headers = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}
        answer = alice.request(method, path, content=b"{}" if method == "PATCH" else None, headers=headers)
        assert answer.status_code == 403, path
