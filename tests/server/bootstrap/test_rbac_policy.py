"""Roles and bindings of the bootstrap policy on a storage that already contains them."""

from pathlib import Path
from typing import Any

import pytest

import memkube

AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate"
DISCOVERY = {"nonResourceURLs": ["/version"], "verbs": ["get"]}
EXTRA = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
ALICE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}


@pytest.fixture
def storage(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'cluster.db'}"


def _cluster(storage: str) -> memkube.Memkube:
    return memkube.Memkube(authorization="RBAC", controllers="none", storage=storage)


def _again(storage: str, resource: str, name: str, changed: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Change an object, and restart the server. Return the object before and after the restart."""
    with _cluster(storage) as kube:
        before = kube.patch(resource, name, changed, namespace="kube-system", type="merge")
    with _cluster(storage) as kube:
        return before, kube.object(resource, name, "kube-system")


def test_complete_objects_are_not_written(storage: str) -> None:
    with _cluster(storage) as kube:
        before = kube.objects("clusterroles"), kube.objects("clusterrolebindings"), kube.objects("roles")
    with _cluster(storage) as kube:
        assert (kube.objects("clusterroles"), kube.objects("clusterrolebindings"), kube.objects("roles")) == before


def test_missing_rules_are_added_and_others_kept(storage: str) -> None:
    before, after = _again(storage, "clusterroles", "system:basic-user", {"rules": [EXTRA]})
    assert (before["rules"], after["rules"][0]) == ([EXTRA], EXTRA)
    assert [(rule["resources"], rule["verbs"]) for rule in after["rules"][1:]] == [
        (["selfsubjectaccessreviews"], ["create"]),
        (["selfsubjectrulesreviews"], ["create"]),
        (["selfsubjectreviews"], ["create"]),
    ]


def test_rules_that_cover_more_are_complete(storage: str) -> None:
    everything = {"nonResourceURLs": ["*"], "verbs": ["*"]}
    before, after = _again(storage, "clusterroles", "system:discovery", {"rules": [everything]})
    assert after == before


def test_a_protected_role_is_kept(storage: str) -> None:
    changed = {"metadata": {"annotations": {AUTO_UPDATE: "false"}}, "rules": [DISCOVERY]}
    before, after = _again(storage, "clusterroles", "system:discovery", changed)
    assert after == before


def test_missing_labels_are_added_and_changed_annotations_kept(storage: str) -> None:
    changed = {"metadata": {"labels": None, "annotations": {AUTO_UPDATE: "yes"}}}
    _, after = _again(storage, "roles", "system:controller:token-cleaner", changed)
    assert after["metadata"]["labels"] == {"kubernetes.io/bootstrapping": "rbac-defaults"}
    assert after["metadata"]["annotations"] == {AUTO_UPDATE: "yes"}


def test_missing_subjects_are_added_and_others_kept(storage: str) -> None:
    _, after = _again(storage, "clusterrolebindings", "cluster-admin", {"subjects": [ALICE]})
    assert [subject["name"] for subject in after["subjects"]] == ["alice", "system:masters"]


def test_a_deleted_role_is_created_again(storage: str) -> None:
    with _cluster(storage) as kube:
        kube.delete("clusterroles", "view")
    with _cluster(storage) as kube:
        assert kube.object("clusterroles", "view")["aggregationRule"]


def test_a_binding_of_another_role_is_replaced(storage: str) -> None:
    with _cluster(storage) as kube:
        old = kube.object("clusterrolebindings", "system:discovery")
        kube.delete("clusterrolebindings", "system:discovery")
        other = {**old["roleRef"], "name": "view"}
        metadata = {"name": "system:discovery"}
        kube.create(old | {"metadata": metadata, "roleRef": other, "subjects": [ALICE]})
    with _cluster(storage) as kube:
        after = kube.object("clusterrolebindings", "system:discovery")
    assert (after["roleRef"], after["subjects"]) == (old["roleRef"], old["subjects"])


def test_a_missing_selector_of_an_aggregated_role_is_added(storage: str) -> None:
    own = {"matchLabels": {"own": "true"}}
    _, after = _again(storage, "clusterroles", "view", {"aggregationRule": {"clusterRoleSelectors": [own]}})
    added = {"matchLabels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}}
    assert after["aggregationRule"]["clusterRoleSelectors"] == [own, added]
