from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.admission.node_restriction.refusals import MERGE_PATCH, SPEC, why_refused

_MIRROR = "kubernetes.io/config.mirror"


def test_a_kubelet_makes_mirror_pods(kubelet: httpx.Client, strict_pods: str, name: str, uid: str) -> None:
    owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": uid, "controller": True}
    metadata = {"name": "web", "annotations": {_MIRROR: "x"}, "ownerReferences": [owner]}
    created = kubelet.post(strict_pods, json={"metadata": metadata, "spec": {**SPEC, "nodeName": name}})
    assert created.status_code == 201


def _pod(node: str, owner: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    owners = [] if owner is None else [{"apiVersion": "v1", "kind": "Node", "name": node, "uid": "x", **owner}]
    metadata = {"name": "web", "annotations": {_MIRROR: "x"}, "ownerReferences": owners}
    return {"metadata": metadata, "spec": {**SPEC, "nodeName": node, **spec}}


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
            {"containers": [{**SPEC["containers"][0], "envFrom": [{"secretRef": {"name": "a"}}]}]},
            'node "{}" can not create pods that reference secrets',
        ),
    ],
)
def test_a_mirror_pod_stands_for_nothing_but_its_node(
    kubelet: httpx.Client, strict_pods: str, name: str, uid: str, owner: Any, spec: dict[str, Any], why: str
) -> None:
    own = None if owner is None else {"uid": uid, **owner}
    assert why_refused(kubelet.post(strict_pods, json=_pod(name, own, **spec))) == why.format(name, uid)


def test_other_pods_are_not_for_kubelets_to_make(kubelet: httpx.Client, strict_pods: str, name: str) -> None:
    refused = kubelet.post(strict_pods, json={"metadata": {"name": "web"}, "spec": SPEC})
    what = f'pod does not have "{_MIRROR}" annotation'
    assert why_refused(refused) == f'{what}, node "{name}" can only create mirror pods'


def test_a_kubelet_reports_on_evicts_and_deletes_its_pods(
    kubelet: httpx.Client, name: str, make_pod: Callable[[str], str]
) -> None:
    pod = make_pod(name)
    assert kubelet.patch(f"{pod}/status", json={"status": {"phase": "Failed"}}, headers=MERGE_PATCH).status_code == 200
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
    headers = MERGE_PATCH if method == "PATCH" else {}
    refused = kubelet.request(method, f"{make_pod('other')}{part}", json=body, headers=headers)
    assert why_refused(refused) == why.format(name)


def test_a_status_brings_no_labels(kubelet: httpx.Client, name: str, make_pod: Callable[[str], str]) -> None:
    body = {"metadata": {"labels": {"a": "b"}}}
    refused = kubelet.patch(f"{make_pod(name)}/status", json=body, headers=MERGE_PATCH)
    assert why_refused(refused) == f'node "{name}" cannot update labels through pod status'


def test_a_missing_pod_is_named_in_the_singular(kubelet: httpx.Client, strict_pods: str) -> None:
    missing = kubelet.post(f"{strict_pods}/gone/eviction", json={"metadata": {"name": "gone"}}).json()
    assert (missing["message"], missing["details"]["kind"]) == ('pod "gone" not found', "pod")
