"""Rights for the fields of a claim's status, on a server with RBAC."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.server.server import Server
from memkube.server.settings import Settings

API = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
ROLES = "/apis/rbac.authorization.k8s.io/v1"
DEVICE = {"driver": "gpu.example.com", "pool": "p", "device": "d0"}
TERM = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}
ALLOCATION = {
    "devices": {"results": [{"request": "gpu", **DEVICE}]},
    "nodeSelector": {"nodeSelectorTerms": [TERM]},
}
DRIVER = {"Impersonate-User": "system:serviceaccount:default:driver"}
ON_NODE = {**DRIVER, "Impersonate-Extra-Authentication.kubernetes.io%2fnode-name": "node-1"}
BIND = (
    "changing status.allocation or status.reservedFor requires "
    'resource="resourceclaims/binding", verb="update" permission'
)
REPORT = 'changing status.devices requires resource="resourceclaims/driver", verb="{}" permission'
DENIED = (
    'User "system:serviceaccount:default:driver" cannot {} resource "resourceclaims/{}" in API group "resource.k8s.io"'
)


@pytest.fixture(scope="module")
def admin() -> Iterator[httpx.Client]:
    authentication, authorizers = AuthenticationOptions("secret"), ConfiguredAuthorizers(("RBAC",))
    settings = Settings(controllers=(), authentication=authentication, authorizers=authorizers)
    with Server(settings).in_thread() as server:
        headers = {"Authorization": "Bearer secret"}
        with httpx.Client(base_url=server.url, headers=headers, trust_env=False) as client:
            yield client


def grant(admin: httpx.Client, *rights: tuple[str, str]) -> None:
    """Let the driver's service account update claims' status, and grant it other rights: resources with verbs."""
    group = "rbac.authorization.k8s.io"
    every = (("resourceclaims/status", "update"), ("resourceclaims/status", "patch"), *rights)
    rules = [{"apiGroups": ["resource.k8s.io"], "resources": [r], "verbs": [verb]} for r, verb in every]
    admin.delete(f"{ROLES}/clusterroles/driver")
    admin.post(f"{ROLES}/clusterroles", json={"metadata": {"name": "driver"}, "rules": rules}).raise_for_status()
    subject = {"kind": "ServiceAccount", "name": "driver", "namespace": "default"}
    reference = {"apiGroup": group, "kind": "ClusterRole", "name": "driver"}
    binding = {"metadata": {"name": "driver"}, "roleRef": reference, "subjects": [subject]}
    admin.post(f"{ROLES}/clusterrolebindings", json=binding)


def claim(admin: httpx.Client, **status: Any) -> dict[str, Any]:
    """Create a claim with this status, in place of an earlier one."""
    admin.put(f"{API}/c/status", json={"metadata": {"name": "c"}, "status": {}})
    admin.delete(f"{API}/c")
    request = {"name": "gpu", "exactly": {"deviceClassName": "c"}}
    body = {"metadata": {"name": "c"}, "spec": {"devices": {"requests": [request]}}}
    made: dict[str, Any] = admin.post(API, json=body).raise_for_status().json()
    changed: dict[str, Any] = admin.put(f"{API}/c/status", json={**made, "status": status}).raise_for_status().json()
    return changed


def refusal(admin: httpx.Client, before: dict[str, Any], headers: dict[str, str], **status: Any) -> str:
    """Update a claim's status as the user of the headers; return the message, or "" if the update is allowed."""
    answer = admin.put(f"{API}/c/status", json={**before, "status": status}, headers=headers)
    return "" if answer.status_code == 200 else str(answer.json()["message"])


def test_a_driver_cannot_change_the_allocation(admin: httpx.Client) -> None:
    grant(admin, ("resourceclaims/driver", "arbitrary-node:update"))
    message = refusal(admin, claim(admin), DRIVER, allocation=ALLOCATION)
    denied = DENIED.format("update", "binding")
    why = f"resourceclaims.resource.k8s.io is forbidden: {denied} at the cluster scope"
    assert message == f'ResourceClaim.resource.k8s.io "c" is invalid: status.allocation: Forbidden: {BIND}: {why}'


def test_the_right_to_bind_is_needed_in_all_namespaces(admin: httpx.Client) -> None:
    grant(admin, ("resourceclaims/binding", "update"))
    assert refusal(admin, claim(admin), DRIVER, allocation=ALLOCATION) == ""


def test_a_user_who_may_bind_cannot_report_devices(admin: httpx.Client) -> None:
    grant(admin, ("resourceclaims/binding", "update"))
    before = claim(admin, allocation=ALLOCATION)
    message = refusal(admin, before, DRIVER, allocation=ALLOCATION, devices=[DEVICE])
    denied = DENIED.format("arbitrary-node:update", "driver")
    why = f'resourceclaims.resource.k8s.io "gpu.example.com" is forbidden: {denied} in the namespace "default"'
    assert message.endswith(f"status.devices: Forbidden: {REPORT.format('[arbitrary-node:update]')}: {why}")


@pytest.mark.parametrize(
    ("verb", "headers", "is_allowed"),
    [
        ("arbitrary-node:update", DRIVER, True),
        ("arbitrary-node:update", ON_NODE, True),
        ("associated-node:update", ON_NODE, True),
        ("associated-node:update", DRIVER, False),
        ("update", ON_NODE, False),
    ],
)
def test_a_driver_reports_devices_of_its_node_or_of_all(
    admin: httpx.Client, verb: str, headers: dict[str, str], is_allowed: bool
) -> None:
    grant(admin, ("resourceclaims/driver", verb))
    before = claim(admin, allocation=ALLOCATION)
    assert (refusal(admin, before, headers, allocation=ALLOCATION, devices=[DEVICE]) == "") == is_allowed


def test_what_an_update_leaves_alone_needs_no_right(admin: httpx.Client) -> None:
    grant(admin)
    before = claim(admin, allocation=ALLOCATION, devices=[DEVICE])
    assert refusal(admin, before, DRIVER, allocation=ALLOCATION, devices=[DEVICE]) == ""


def test_a_patch_needs_the_verb_patch(admin: httpx.Client) -> None:
    grant(admin, ("resourceclaims/driver", "arbitrary-node:patch"))
    claim(admin, allocation=ALLOCATION)
    headers = {**DRIVER, "Content-Type": "application/merge-patch+json"}
    body = {"status": {"devices": [DEVICE]}}
    assert admin.patch(f"{API}/c/status", json=body, headers=headers).status_code == 200
