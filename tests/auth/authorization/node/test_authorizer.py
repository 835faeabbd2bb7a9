"""The Node authorizer, which allows a kubelet to read the objects that pods on its node refer to."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.auth.users import Users, authorized_server

REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
ANSWERED = "no relationship found between node 'n1' and this object"
ENV = [
    {"name": "S", "valueFrom": {"secretKeyRef": {"name": "env", "key": "k"}}},
    {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "env", "key": "k"}}},
]
FROM = [{"secretRef": {"name": "from"}}, {"configMapRef": {"name": "from"}}]
EPHEMERAL = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
PROJECTED = [{"secret": {"name": "projected"}}, {"configMap": {"name": "projected"}}]
VOLUMES = [
    {"name": "secret", "secret": {"secretName": "volume"}},
    {"name": "config", "configMap": {"name": "volume"}},
    {"name": "projected", "projected": {"sources": PROJECTED}},
    {"name": "claim", "persistentVolumeClaim": {"claimName": "claim"}},
    {"name": "made", "ephemeral": {"volumeClaimTemplate": {"spec": EPHEMERAL}}},
]
SPEC = {
    "nodeName": "n1",
    "serviceAccountName": "worker",
    "imagePullSecrets": [{"name": "pull"}],
    "containers": [{"name": "main", "image": "a", "env": ENV, "envFrom": FROM}],
    "volumes": VOLUMES,
    "resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}],
}
CSI = {
    "driver": "a",
    "volumeHandle": "a",
    "controllerPublishSecretRef": {"name": "controller", "namespace": "secrets"},
    "nodePublishSecretRef": {"name": "kubelet", "namespace": "secrets"},
}
PODS = "/api/v1/namespaces/default/pods"


@pytest.fixture(scope="module")
def users() -> Iterator[Users]:
    """Clients of a server with the Node authorizer. A pod on node n1 refers to Secrets, ConfigMaps and volumes."""
    with authorized_server("Node", "RBAC") as clients:
        clients.admin("POST", PODS, {"metadata": {"name": "web"}, "spec": SPEC})
        clients.admin("POST", PODS, _pod("other", nodeName="n2"))
        volume = {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "claimRef": {"name": "claim", "namespace": "default"},
            "csi": CSI,
        }
        clients.admin("POST", "/api/v1/persistentvolumes", {"metadata": {"name": "volume"}, "spec": volume})
        attachment = {"attacher": "a", "nodeName": "n1", "source": {"persistentVolumeName": "volume"}}
        attachments = "/apis/storage.k8s.io/v1/volumeattachments"
        clients.admin("POST", attachments, {"metadata": {"name": "attached"}, "spec": attachment})
        pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
        slice_ = {"driver": "a.example.com", "nodeName": "n1", "pool": pool, "devices": []}
        slices = "/apis/resource.k8s.io/v1/resourceslices"
        clients.admin("POST", slices, {"metadata": {"name": "slice"}, "spec": slice_})
        yield clients


def _pod(name: str, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "main", "image": "a"}], **spec}}


def _asked(users: Users, what: str, node: str = "n1") -> tuple[bool, str]:
    """Return whether a node's kubelet is allowed a request, and the reason.

    `what` is ``VERB GROUP/RESOURCE/SUBRESOURCE NAMESPACE NAME``. A name that begins with ``?`` is a field selector.
    """
    verb, resource, namespace, name = [*what.split(" "), "", ""][:4]
    group, plural, subresource = [*resource.split("/"), "", ""][:3]
    attributes: dict[str, Any] = {"verb": verb, "group": group, "resource": plural, "subresource": subresource}
    attributes |= {"namespace": namespace}
    if name.startswith("?"):
        key, value = name[1:].split("=")
        requirement = {"key": key, "operator": "In", "values": [value]}
        attributes["fieldSelector"] = {"requirements": [requirement]}
    else:
        attributes["name"] = name
    spec = {"user": f"system:node:{node}", "groups": ["system:nodes"], "resourceAttributes": attributes}
    status = users.admin("POST", REVIEWS, {"spec": spec}).json()["status"]
    return status["allowed"], status.get("reason", "")


@pytest.mark.parametrize(
    "what",
    [
        *(f"get /secrets default {name}" for name in ("pull", "env", "from", "volume", "projected")),
        *(f"watch /configmaps default {name}" for name in ("env", "from", "volume", "projected")),
        "list /secrets default env",
        "get /persistentvolumeclaims default claim",
        "get /persistentvolumeclaims default web-made",
        "patch /persistentvolumeclaims/status default claim",
        "get /persistentvolumes  volume",
        "get /secrets secrets kubelet",
        "get resource.k8s.io/resourceclaims default gpu",
        "get storage.k8s.io/volumeattachments  attached",
        "get /serviceaccounts default worker",
        "create /serviceaccounts/token default worker",
        "get /pods default web",
        "list /pods  ?spec.nodeName=n1",
        "delete /pods default other",
        "update /pods/status default other",
        "create /pods/eviction default other",
        "get /nodes  n1",
        "create /nodes",
        "update /nodes/status  n2",
        "create coordination.k8s.io/leases kube-node-lease",
        "update coordination.k8s.io/leases kube-node-lease n1",
        "create storage.k8s.io/csinodes",
        "get storage.k8s.io/csinodes  n1",
        "create resource.k8s.io/resourceslices",
        "delete resource.k8s.io/resourceslices  slice",
        "watch resource.k8s.io/resourceslices  ?spec.nodeName=n1",
        "list /services",
        "create events.k8s.io/events default",
    ],
)
def test_a_kubelet_may(users: Users, what: str) -> None:
    assert _asked(users, what)[0] is True


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("get /secrets default other", ANSWERED),
        ("get /secrets other env", ANSWERED),
        ("get /secrets secrets controller", ANSWERED),
        ("list /secrets default", "No Object name found"),
        ("list /secrets  env", "can only read namespaced object of this type"),
        ("update /secrets default env", "can only read resources of this type"),
        ("get /secrets/a default env", "cannot read subresource"),
        ("list /persistentvolumeclaims default", "can only get individual resources of this type"),
        ("get /persistentvolumes/status  volume", "cannot get subresource"),
        ("get /persistentvolumeclaims/status default claim", "can only get/update/patch this type"),
        ("create /serviceaccounts/token default other", ANSWERED),
        ("create /serviceaccounts default", "can only create tokens for individual service accounts"),
        ("create /serviceaccounts default worker", "can only create token subresource of serviceaccount"),
        ("get /pods default other", ANSWERED),
        ("list /pods", "can only list/watch pods with spec.nodeName field selector"),
        ("list /pods  ?spec.nodeName=n2", "can only list/watch pods with spec.nodeName field selector"),
        ("update /pods default web", ""),
        ("get /pods/log default web", ""),
        ("get /nodes  n2", "node 'n1' cannot read 'n2', only its own Node object"),
        ("list /nodes", "node 'n1' cannot read all nodes, only its own Node object"),
        ("delete /nodes  n1", ""),
        ("list coordination.k8s.io/leases", "can only get, create, update, patch, or delete a node lease"),
        ("get coordination.k8s.io/leases a n1", 'can only access leases in the "kube-node-lease" system namespace'),
        (
            "get coordination.k8s.io/leases kube-node-lease n2",
            "can only access node lease with the same name as the requesting node",
        ),
        ("list storage.k8s.io/csinodes", "can only get, create, update, patch, or delete a CSINode"),
        ("get storage.k8s.io/csinodes/a  n1", "cannot authorize CSINode subresources"),
        ("get storage.k8s.io/csinodes  n2", "can only access CSINode with the same name as the requesting node"),
        ("get resource.k8s.io/resourceslices  other", ANSWERED),
        ("get resource.k8s.io/resourceslices/a  slice", "cannot authorize ResourceSlice subresources"),
        (
            "list resource.k8s.io/resourceslices",
            "can only list/watch/deletecollection resourceslices with nodeName field selector",
        ),
        ("create certificates.k8s.io/podcertificaterequests default", ""),
        ("list apps/deployments default", ""),
    ],
)
def test_a_kubelet_may_not(users: Users, what: str, reason: str) -> None:
    assert _asked(users, what) == (False, reason)


def test_a_kubelet_without_a_node_is_unknown(users: Users) -> None:
    assert _asked(users, "get /nodes  n1", node="") == (False, 'unknown node for user "system:node:"')


def test_a_user_outside_of_the_group_is_no_kubelet(users: Users) -> None:
    refused = users.send("system:node:n1", "GET", "/api/v1/nodes/n1")
    assert refused.status_code == 403
    assert users.send("system:node:n1", "GET", "/api/v1/nodes/n1", groups=("system:nodes",)).status_code == 404


def test_the_relation_follows_the_pod(users: Users) -> None:
    what = "get /secrets default moved"
    assert _asked(users, what)[0] is False
    users.admin("POST", PODS, _pod("moved", imagePullSecrets=[{"name": "moved"}]))
    assert _asked(users, what)[0] is False
    binding = {"metadata": {"name": "moved"}, "target": {"kind": "Node", "name": "n1"}}
    users.admin("POST", f"{PODS}/moved/binding", binding)
    assert _asked(users, what)[0] is True
    users.admin("DELETE", f"{PODS}/moved?gracePeriodSeconds=0")
    assert _asked(users, what)[0] is False


def test_a_secret_of_two_pods_stays_related(users: Users) -> None:
    for name in ("one", "two"):
        users.admin("POST", PODS, _pod(name, nodeName="n1", imagePullSecrets=[{"name": "both"}]))
    users.admin("DELETE", f"{PODS}/one?gracePeriodSeconds=0")
    assert _asked(users, "get /secrets default both")[0] is True
    users.admin("DELETE", f"{PODS}/two?gracePeriodSeconds=0")
    assert _asked(users, "get /secrets default both")[0] is False


def test_an_ephemeral_container_adds_references(users: Users) -> None:
    users.admin("POST", PODS, _pod("debugged", nodeName="n1"))
    assert _asked(users, "get /configmaps default debug")[0] is False
    container = {"name": "debug", "image": "a", "envFrom": [{"configMapRef": {"name": "debug"}}]}
    pod = users.admin("GET", f"{PODS}/debugged").json()
    pod["spec"]["ephemeralContainers"] = [container]
    users.admin("PUT", f"{PODS}/debugged/ephemeralcontainers", pod)
    assert _asked(users, "get /configmaps default debug")[0] is True


def test_a_mirror_pod_gives_no_access(users: Users) -> None:
    pod = _pod("mirror", nodeName="n1", imagePullSecrets=[{"name": "mirrored"}])
    pod["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "a"}
    users.admin("POST", PODS, pod)
    assert _asked(users, "get /pods default mirror")[0] is True
    assert _asked(users, "get /secrets default mirrored")[0] is False


def test_the_rights_of_a_kubelet_cannot_be_listed(users: Users) -> None:
    review = {"spec": {"namespace": "default"}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
    status = users.send("system:node:n1", "POST", path, review, ("system:nodes",)).json()["status"]
    assert (status["incomplete"], status["evaluationError"]) == (
        True,
        "node authorizer does not support user rule resolution",
    )
