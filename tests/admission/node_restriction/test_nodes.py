from typing import Any

import httpx
import pytest

from tests.admission.node_restriction.refusals import MERGE_PATCH, why_refused


def test_a_kubelet_writes_about_its_own_node(kubelet: httpx.Client, name: str, uid: str) -> None:
    path = f"/api/v1/nodes/{name}"
    labels = {"metadata": {"labels": {"a": "b", "kubernetes.io/arch": "x", "x.node.kubernetes.io/c": "d"}}}
    assert kubelet.patch(path, json=labels, headers=MERGE_PATCH).status_code == 200
    other = kubelet.post("/api/v1/nodes", json={"metadata": {"name": "other"}})
    assert why_refused(other) == f'node "{name}" is not allowed to modify node "other"'
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
    refused = kubelet.patch(f"/api/v1/nodes/{name}", json=change, headers=MERGE_PATCH)
    assert why_refused(refused) == why.format(name)


def test_a_kubelet_registers_without_labels_of_others(kubelet: httpx.Client, name: str) -> None:
    labels = {"node-role.kubernetes.io/x": "", "app": "x", "kubernetes.io/hostname": "x"}
    refused = kubelet.post("/api/v1/nodes", json={"metadata": {"name": name, "labels": labels}})
    assert (
        why_refused(refused) == f'node "{name}" is not allowed to set the following labels: node-role.kubernetes.io/x'
    )
