"""Roles that an audit prints for the requests on a server without authorization allow the same requests with RBAC."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import httpx
import pytest

import memkube
from memkube.cluster.users import User
from tests.controllers.certificates.signing_requests import request_pem

RBAC = "/apis/rbac.authorization.k8s.io/v1"
SHOP = "/api/v1/namespaces/shop"
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
LEASE = {"metadata": {"name": "lock"}, "spec": {}}
ROLE = {"metadata": {"name": "reader"}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}
REFERENCE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
APPLIED = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": "b"}}
REQUEST: dict[str, Any] = {
    "apiVersion": "certificates.k8s.io/v1",
    "kind": "CertificateSigningRequest",
    "metadata": {"name": "a"},
}
POD = """
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: main, image: nginx}]}
"""
CSR = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


class Sent(NamedTuple):
    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})


LIFE = [
    Sent("GET", "/api/v1/pods"),
    Sent("GET", "/api/v1/pods?watch=true&timeoutSeconds=1"),
    Sent("GET", f"{SHOP}/pods/missing"),
    Sent("GET", f"{SHOP}/pods/missing/log"),
    Sent("POST", f"{SHOP}/configmaps", {"metadata": {"name": "made"}}),
    Sent("PUT", f"{SHOP}/configmaps/made", {"metadata": {"name": "made"}, "data": {"a": "b"}}),
    Sent("DELETE", f"{SHOP}/configmaps/made"),
    Sent("DELETE", f"{SHOP}/secrets?labelSelector=a=b"),
    Sent("PATCH", f"{SHOP}/configmaps/applied?fieldManager=me", APPLIED, APPLY),
    Sent("PUT", "/apis/coordination.k8s.io/v1/namespaces/shop/leases/lock", LEASE),
    Sent("GET", SHOP),
    Sent("GET", f"{SHOP}/secrets?fieldSelector=metadata.name%3Da"),
    Sent("GET", "/api/v1/watch/namespaces/shop/services?timeoutSeconds=1"),
    Sent("POST", f"{RBAC}/namespaces/shop/roles", ROLE),
    Sent("POST", f"{RBAC}/namespaces/shop/rolebindings", {"metadata": {"name": "reader"}, "roleRef": REFERENCE}),
    Sent("GET", "/apis"),
    Sent("GET", "/metrics"),
    Sent("GET", "/api/v1/nodes", None, {"Impersonate-User": "alice"}),
    Sent("GET", f"{SHOP}/pods", None, {"Impersonate-User": "bob", "Impersonate-Group": "dev"}),
]
"""Requests of an operator. Each needs different rights."""


@pytest.fixture
def open_kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(controllers="none") as running:
        running.apply(NAMESPACE)
        yield running


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(authorization="RBAC", controllers="none") as running:
        running.apply(NAMESPACE)
        yield running


def _codes(user: User, requests: list[Sent]) -> list[int]:
    with httpx.Client(base_url=user.running.server.url, trust_env=False) as client:
        sent = (
            client.request(
                one.method, one.path, json=one.body, headers={"Authorization": f"Bearer {user.token}", **one.headers}
            )
            for one in requests
        )
        return [response.status_code for response in sent]


@pytest.mark.parametrize(("names", "cluster_wide"), [(False, False), (True, False), (False, True)])
def test_the_roles_allow_all_that_was_done(
    open_kube: memkube.Memkube, kube: memkube.Memkube, names: bool, cluster_wide: bool
) -> None:
    before = _codes(open_kube.service_account("shop", "operator"), LIFE)
    assert 403 not in before
    audit = open_kube.audit("*:operator", names=names, cluster_wide=cluster_wide)
    impersonated = open_kube.audit("alice"), open_kube.audit("bob")
    kube.apply(audit.roles, *(one.roles for one in impersonated))
    assert _codes(kube.service_account("shop", "operator"), LIFE) == before


def test_without_the_roles_all_of_it_is_refused(kube: memkube.Memkube) -> None:
    of_all_users = [number for number, one in enumerate(LIFE) if one.path == "/apis"]
    refused = _codes(kube.service_account("shop", "operator"), LIFE)
    assert [number for number, code in enumerate(refused) if code != 403] == of_all_users


def test_each_missing_right_is_found_in_turn(kube: memkube.Memkube) -> None:
    operator = kube.service_account("shop", "operator")
    life = [one for one in LIFE if not one.headers.get("Impersonate-User")]
    for _ in range(3):
        # A refused request can need a second right, which only the next audit shows.
        if 403 not in _codes(operator, life):
            break
        kube.apply(kube.audit(operator.name).roles, force=True)
    assert 403 not in _codes(operator, life)


def test_an_approval_needs_the_right_to_approve_for_the_signer(
    open_kube: memkube.Memkube, kube: memkube.Memkube
) -> None:
    signer = "example.com/signer"
    for running in (open_kube, kube):
        spec = {"request": b64encode(request_pem()).decode(), "signerName": signer, "usages": ["client auth"]}
        running.create(REQUEST | {"spec": spec})
    condition = {"type": "Approved", "status": "True", "reason": "Test"}
    merge = {"Content-Type": "application/merge-patch+json"}
    approve = [Sent("PATCH", f"{CSR}/a/approval", {"status": {"conditions": [condition]}}, merge)]
    assert _codes(open_kube.user("alice"), approve) == [200]
    roles = open_kube.audit("alice").roles
    assert roles[0]["rules"][1]["resourceNames"] == [signer]
    kube.apply(roles)
    assert _codes(kube.user("alice"), approve) == [200]


def test_an_exec_over_a_websocket_needs_two_verbs() -> None:
    with memkube.Memkube() as running:
        running.apply(POD)
        running.wait_for("pods", "web", "condition=Ready")
        running.user("alice").exec("web", ["true"])
        (role, _) = running.audit("alice").roles
    rules = {tuple(rule["resources"]): rule["verbs"] for rule in role["rules"]}
    assert rules["pods/exec",] == ["get", "create"]
