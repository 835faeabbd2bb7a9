import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from memkube.server import Server

_MIRROR = "kubernetes.io/config.mirror"
_PATCH = {"Content-Type": "application/merge-patch+json"}
_SPEC = {"containers": [{"name": "app", "image": "x"}]}


@pytest.fixture
def kubelet(strict_server: Server, name: str) -> Iterator[httpx.Client]:
    """Talks to the server as the kubelet of a node."""
    headers = {"Impersonate-User": f"system:node:{name}", "Impersonate-Group": "system:nodes"}
    with httpx.Client(base_url=strict_server.url, headers=headers, trust_env=False, timeout=20) as connected:
        yield connected


@pytest.fixture
def name() -> str:
    return f"node-{uuid.uuid4().hex[:6]}"


@pytest.fixture
def uid(kubelet: httpx.Client, name: str) -> str:
    """The uid of the kubelet's node, which it has registered itself."""
    body = {"metadata": {"name": name, "labels": {"kubernetes.io/os": "linux"}}}
    registered: str = kubelet.post("/api/v1/nodes", json=body).raise_for_status().json()["metadata"]["uid"]
    return registered


@pytest.fixture
def make_pod(strict: httpx.Client, strict_pods: str) -> Callable[[str], str]:
    """Puts a pod on a node, and returns the pod's address."""

    def make(node: str) -> str:
        body = {"metadata": {"name": "web"}, "spec": {**_SPEC, "nodeName": node}}
        strict.post(strict_pods, json=body).raise_for_status()
        return f"{strict_pods}/web"

    return make


def _why(answer: httpx.Response) -> str:
    assert answer.status_code == 403
    return str(answer.json()["message"].partition(" is forbidden: ")[2])


def test_a_kubelet_writes_about_its_own_node(kubelet: httpx.Client, name: str, uid: str) -> None:
    path = f"/api/v1/nodes/{name}"
    labels = {"metadata": {"labels": {"a": "b", "kubernetes.io/arch": "x", "x.node.kubernetes.io/c": "d"}}}
    assert kubelet.patch(path, json=labels, headers=_PATCH).status_code == 200
    other = kubelet.post("/api/v1/nodes", json={"metadata": {"name": "other"}})
    assert _why(other) == f'node "{name}" is not allowed to modify node "other"'
    assert kubelet.delete(path).status_code == 200


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}, 'node "{}" is not allowed to modify taints'),
        (
            {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b"}]}},
            'node "{}" is not allowed to modify ownerReferences',
        ),
        (
            {
                "metadata": {
                    "labels": {"x.k8s.io/b": "", "a.node-restriction.kubernetes.io/a": "", "kubernetes.io/os": None}
                }
            },
            "is not allowed to modify labels: a.node-restriction.kubernetes.io/a, x.k8s.io/b",
        ),
        (
            {"spec": {"configSource": {"configMap": {"name": "a"}}}},
            'node "{}" is not allowed to update configSource to a new non-nil configSource',
        ),
    ],
)
@pytest.mark.usefixtures("uid")
def test_a_kubelet_does_not_attract_pods(kubelet: httpx.Client, name: str, change: dict[str, Any], why: str) -> None:
    refused = kubelet.patch(f"/api/v1/nodes/{name}", json=change, headers=_PATCH)
    assert _why(refused) == why.format(name)


def test_a_kubelet_registers_without_labels_of_others(kubelet: httpx.Client, name: str) -> None:
    labels = {"node-role.kubernetes.io/x": "", "app": "x", "kubernetes.io/hostname": "x"}
    refused = kubelet.post("/api/v1/nodes", json={"metadata": {"name": name, "labels": labels}})
    assert _why(refused) == f'node "{name}" is not allowed to set the following labels: node-role.kubernetes.io/x'


def test_a_kubelet_makes_mirror_pods(kubelet: httpx.Client, strict_pods: str, name: str, uid: str) -> None:
    owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": uid, "controller": True}
    metadata = {"name": "web", "annotations": {_MIRROR: "x"}, "ownerReferences": [owner]}
    created = kubelet.post(strict_pods, json={"metadata": metadata, "spec": {**_SPEC, "nodeName": name}})
    assert created.status_code == 201


def _pod(node: str, owner: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    owners = [] if owner is None else [{"apiVersion": "v1", "kind": "Node", "name": node, "uid": "x", **owner}]
    metadata = {"name": "web", "annotations": {_MIRROR: "x"}, "ownerReferences": owners}
    return {"metadata": metadata, "spec": {**_SPEC, "nodeName": node, **spec}}


_OWNED = {"controller": True}
_ITSELF = 'node "{}" can only create pods with an owner reference set to itself'


@pytest.mark.parametrize(
    ("owner", "spec", "why"),
    [
        (None, {}, _ITSELF),
        ({"kind": "Pod"}, {}, _ITSELF),
        ({}, {}, 'node "{}" can only create pods with a controller owner reference set to itself'),
        ({**_OWNED, "blockOwnerDeletion": True}, {}, 'node "{}" must not set blockOwnerDeletion on an owner reference'),
        ({**_OWNED, "uid": "wrong"}, {}, "node {0} UID mismatch: expected wrong got {1}"),
        (_OWNED, {"nodeName": "other"}, 'node "{}" can only create pods with spec.nodeName set to itself'),
        (_OWNED, {"serviceAccountName": "a"}, 'node "{}" can not create pods that reference serviceaccounts'),
        (
            _OWNED,
            {"volumes": [{"name": "v", "configMap": {"name": "a"}}]},
            'node "{}" can not create pods that reference configmaps',
        ),
        (
            _OWNED,
            {"volumes": [{"name": "e", "emptyDir": {}}, {"name": "v", "persistentVolumeClaim": {"claimName": "a"}}]},
            'node "{}" can not create pods that reference persistentvolumeclaims',
        ),
        (
            _OWNED,
            {"volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "a"}}]}}]},
            'node "{}" can not create pods that reference serviceaccounts (via projected volumes)',
        ),
        (
            _OWNED,
            {"volumes": [{"name": "v", "projected": {"sources": [{}]}}]},
            'error checking mirror pod for API references: unknown source for projected volume "v"',
        ),
        (
            _OWNED,
            {"containers": [{**_SPEC["containers"][0], "envFrom": [{"secretRef": {"name": "a"}}]}]},
            'node "{}" can not create pods that reference secrets',
        ),
    ],
)
def test_a_mirror_pod_stands_for_nothing_but_its_node(
    kubelet: httpx.Client, strict_pods: str, name: str, uid: str, owner: Any, spec: dict[str, Any], why: str
) -> None:
    own = None if owner is None else {"uid": uid, **owner}
    assert _why(kubelet.post(strict_pods, json=_pod(name, own, **spec))) == why.format(name, uid)


def test_other_pods_are_not_for_kubelets_to_make(kubelet: httpx.Client, strict_pods: str, name: str) -> None:
    refused = kubelet.post(strict_pods, json={"metadata": {"name": "web"}, "spec": _SPEC})
    what = f'pod does not have "{_MIRROR}" annotation'
    assert _why(refused) == f'{what}, node "{name}" can only create mirror pods'


def test_a_kubelet_reports_on_evicts_and_deletes_its_pods(
    kubelet: httpx.Client, name: str, make_pod: Callable[[str], str]
) -> None:
    pod = make_pod(name)
    assert kubelet.patch(f"{pod}/status", json={"status": {"phase": "Failed"}}, headers=_PATCH).status_code == 200
    evicted = kubelet.post(f"{pod}/eviction?dryRun=All", json={"metadata": {"name": "web"}})
    assert (evicted.status_code, kubelet.delete(pod).status_code) == (201, 200)


@pytest.mark.parametrize(
    ("method", "part", "body", "why"),
    [
        ("DELETE", "", None, 'node "{}" can only delete pods with spec.nodeName set to itself'),
        ("PATCH", "/status", {}, 'node "{}" can only update pod status for pods with spec.nodeName set to itself'),
        ("POST", "/eviction", {}, "node {} can only evict pods with spec.nodeName set to itself"),
        (
            "PATCH",
            "",
            {"metadata": {"labels": {"a": "b"}}},
            'unexpected operation "UPDATE", node "{}" can only create and delete mirror pods',
        ),
        (
            "PATCH",
            "/resize",
            {},
            "unexpected pod subresource \"resize\", only 'status' and 'eviction' are allowed",
        ),
    ],
)
def test_pods_of_other_nodes_are_not_for_a_kubelet(
    kubelet: httpx.Client, name: str, make_pod: Callable[[str], str], method: str, part: str, body: Any, why: str
) -> None:
    headers = _PATCH if method == "PATCH" else {}
    refused = kubelet.request(method, f"{make_pod('other')}{part}", json=body, headers=headers)
    assert _why(refused) == why.format(name)


def test_a_status_brings_no_labels(kubelet: httpx.Client, name: str, make_pod: Callable[[str], str]) -> None:
    body = {"metadata": {"labels": {"a": "b"}}}
    refused = kubelet.patch(f"{make_pod(name)}/status", json=body, headers=_PATCH)
    assert _why(refused) == f'node "{name}" cannot update labels through pod status'


def test_a_kubelet_renews_its_lease_alone(kubelet: httpx.Client, name: str) -> None:
    leases = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"
    own, spec = {"name": name}, {"holderIdentity": "x", "leaseDurationSeconds": 9}
    elsewhere = kubelet.post(leases.format("default"), json={"metadata": own, "spec": spec})
    assert _why(elsewhere) == 'can only access leases in the "kube-node-lease" system namespace'
    node_leases = leases.format("kube-node-lease")
    other = kubelet.post(node_leases, json={"metadata": {"name": "other"}, "spec": spec})
    assert _why(other) == "can only access node lease with the same name as the requesting node"
    assert kubelet.post(node_leases, json={"metadata": own, "spec": spec}).status_code == 201


def test_a_kubelet_describes_its_own_drivers(kubelet: httpx.Client, name: str) -> None:
    path, spec = "/apis/storage.k8s.io/v1/csinodes", {"drivers": list[str]()}
    other = kubelet.post(path, json={"metadata": {"name": "other"}, "spec": spec})
    assert _why(other) == "can only access CSINode with the same name as the requesting node"
    assert kubelet.post(path, json={"metadata": {"name": name}, "spec": spec}).status_code == 201


def test_a_kubelet_offers_its_own_devices(kubelet: httpx.Client) -> None:
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    body = {"metadata": {"name": "a"}, "spec": {"driver": "x.com", "nodeName": "other", "pool": pool}}
    refused = kubelet.post("/apis/resource.k8s.io/v1/resourceslices", json=body)
    assert _why(refused) == "can only create ResourceSlice with the same NodeName as the requesting node"


def test_a_user_of_no_node_is_no_kubelet(strict: httpx.Client, strict_pods: str) -> None:
    body = {"metadata": {"name": "web"}, "spec": _SPEC}
    nameless = {"Impersonate-User": "system:node:", "Impersonate-Group": "system:nodes"}
    refused = strict.post(strict_pods, json=body, headers=nameless)
    assert _why(refused) == 'could not determine node from user "system:node:"'
    alone = {"Impersonate-User": "system:node:a", "Impersonate-Group": "others"}
    assert strict.post(strict_pods, json=body, headers=alone).status_code == 201


def test_claims_change_by_their_status_alone(kubelet: httpx.Client, strict: httpx.Client, strict_pods: str) -> None:
    claims = strict_pods.replace("pods", "persistentvolumeclaims")
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    body = {"metadata": {"name": "data"}, "spec": spec}
    assert _why(kubelet.post(claims, json=body)) == "may only update PVC status"
    strict.post(claims, json=body).raise_for_status()
    capacity = {"status": {"capacity": {"storage": "1Gi"}}}
    assert kubelet.patch(f"{claims}/data/status", json=capacity, headers=_PATCH).status_code == 200
    phase = kubelet.patch(f"{claims}/data/status", json={"status": {"phase": "Bound"}}, headers=_PATCH)
    assert "is not allowed to update fields other than status.quantity and status.conditions: " in _why(phase)
