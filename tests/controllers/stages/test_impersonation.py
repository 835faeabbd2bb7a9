"""Steps of Stages that impersonate a user."""

from base64 import b64encode
from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from tests.controllers.certificates.signing_requests import request_pem
from tests.controllers.cluster import config_map
from tests.controllers.stages.stages import events, missing, playing, stage

pytestmark = pytest.mark.anyio

RBAC = ConfiguredAuthorizers(("RBAC",))
JANE = {"impersonation": {"username": "jane"}}
PATCH = {"type": "merge", "root": "metadata", "template": "labels: {chosen: done}"}
LEASE = """
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: made}
"""
SIGNING_REQUEST = """
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: made}
spec: {request: {{ .data.request }}, signerName: example.com/signer, usages: [client auth]}
"""
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}


def patching(**patch: Any) -> Document:
    return stage("label", "ConfigMap", missing(".metadata.labels"), steps=[{"patch": {**PATCH, **patch}}])


def granting(user: str, **rule: list[str]) -> list[Document]:
    """Return a ClusterRole with a rule, and the binding that grants it to the user."""
    group = "rbac.authorization.k8s.io"
    common = {"apiVersion": f"{group}/v1", "metadata": {"name": "r"}}
    return [
        {**common, "kind": "ClusterRole", "rules": [rule]},
        {
            **common,
            "kind": "ClusterRoleBinding",
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "r"},
            "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
        },
    ]


async def test_a_user_without_the_right_cannot_patch() -> None:
    async with playing(patching(**JANE), authorizers=RBAC) as cluster:
        await cluster.create(config_map("c"))
        why = (
            'Stage label: configmaps "c" is forbidden: User "jane" cannot patch resource "configmaps" in API group "" '
            'in the namespace "default"'
        )
        assert await events(cluster, "c") == [("Warning", "StageFailed", why)]


async def test_a_user_with_the_right_patches() -> None:
    async with playing(patching(**JANE), authorizers=RBAC) as cluster:
        for each in granting("jane", apiGroups=[""], resources=["configmaps"], verbs=["patch"]):
            await cluster.create(each)
        await cluster.create(config_map("c"))
        found = await cluster.get("configmaps", "c")
        assert found is not None
        assert found["metadata"]["labels"] == {"chosen": "done"}


async def test_steps_without_impersonation_are_allowed_everything() -> None:
    async with playing(patching(), authorizers=RBAC) as cluster:
        await cluster.create(config_map("c"))
        found = await cluster.get("configmaps", "c")
        assert found is not None
        assert found["metadata"]["labels"] == {"chosen": "done"}


async def test_a_right_on_a_subresource_is_needed_to_patch_it() -> None:
    patch = {"subresource": "status", "root": "status", "template": "phase: Failed", **JANE}
    label = stage("fail", "Pod", missing(".status.reason"), steps=[{"patch": patch}])
    async with playing(label, authorizers=RBAC) as cluster:
        spec = {"nodeName": "node-1", "containers": [{"name": "c", "image": "nginx"}]}
        await cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})
        [(_, _, why)] = await events(cluster, "p")
        assert 'User "jane" cannot patch resource "pods/status"' in why


@pytest.mark.parametrize(
    ("user", "groups"),
    [
        ("jane", ["system:authenticated"]),
        (
            "system:serviceaccount:shop:operator",
            ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
        ),
        ("system:node:node-1", ["system:nodes", "system:authenticated"]),
    ],
)
async def test_an_object_is_created_by_the_user_and_its_groups(user: str, groups: list[str]) -> None:
    apply = {"template": SIGNING_REQUEST, "impersonation": {"username": user}}
    making = stage("make", "ConfigMap", missing(".metadata.labels"), steps=[{"apply": apply}])
    async with playing(making) as cluster:
        await cluster.create({**config_map("c"), "data": {"request": b64encode(request_pem()).decode()}})
        assert await events(cluster, "c") == []
        found = await cluster.get("certificatesigningrequests", "made", "")
        assert found is not None
        assert (found["spec"]["username"], found["spec"]["groups"]) == (user, groups)


async def test_a_user_needs_the_right_to_create_what_is_applied() -> None:
    apply = {"template": LEASE, **JANE}
    making = stage("make", "Secret", missing(".metadata.labels"), steps=[{"apply": apply}])
    async with playing(making, authorizers=RBAC) as cluster:
        await cluster.create(SECRET)
        [(_, _, why)] = await events(cluster, "s")
        assert 'User "jane" cannot create resource "leases" in API group "coordination.k8s.io"' in why


async def test_the_request_log_names_the_user() -> None:
    async with playing(patching(**JANE), authorizers=RBAC) as cluster:
        cluster.parts.request_log.record_controllers(wanted=True)
        await cluster.create(config_map("c"))
        [record] = [each for each in cluster.parts.request_log.records() if each.user.name == "jane"]
        assert (record.manager, record.verb, record.code, record.target.name) == ("kwok", "patch", 403, "c")


async def test_the_older_field_impersonates_too() -> None:
    older = stage("label", "ConfigMap", missing(".metadata.labels"))
    older["spec"]["next"] = {"statusTemplate": "a: b", "statusSubresource": "", "statusPatchAs": {"username": "jane"}}
    async with playing(older, authorizers=RBAC) as cluster:
        await cluster.create(config_map("c"))
        [(_, _, why)] = await events(cluster, "c")
        assert 'User "jane" cannot patch resource "configmaps"' in why


async def test_an_apply_for_pods_cannot_impersonate() -> None:
    """KWOK ignores the impersonation there."""
    apply = {"template": LEASE, **JANE}
    async with playing(stage("odd", "Pod", missing(".status.reason"), steps=[{"apply": apply}])) as cluster:
        why = "impersonation in apply is not supported for Pods and Nodes"
        assert await events(cluster, "odd") == [("Warning", "StageNotPlayed", why)]
