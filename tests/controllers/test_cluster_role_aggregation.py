from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, running

CONTROLLER = "clusterrole-aggregation-controller"
READ = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
WRITE = {"verbs": ["update"], "apiGroups": [""], "resources": ["pods"]}
HEALTH = {"verbs": ["get"], "nonResourceURLs": ["/healthz"]}

pytestmark = pytest.mark.anyio


def role(name: str, *rules: Document, labels: dict[str, str] | None = None, selects: str = "") -> Document:
    """Return a ClusterRole; with `selects`, one that aggregates the roles with this label."""
    aggregation = {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {selects: "true"}}]}}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": labels or {}},
        "rules": list(rules) or None,
        **(aggregation if selects else {}),
    }


async def rules(cluster: Cluster, name: str) -> list[dict[str, Any]] | None:
    found = await cluster.get("clusterroles", name, "")
    assert found is not None
    gathered: list[dict[str, Any]] | None = found["rules"]
    return gathered


async def test_rules_are_gathered_in_the_order_of_names_without_duplicates() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(role("all", selects="part"))
        await cluster.create(role("z", HEALTH, labels={"part": "true"}))
        await cluster.create(role("a", READ, WRITE, labels={"part": "true"}))
        await cluster.create(role("b", READ, labels={"part": "true"}))
        await cluster.create(role("c", {**READ, "verbs": ["list"]}))
        assert await rules(cluster, "all") == [READ, WRITE, HEALTH]


async def test_rules_follow_changes_of_the_selected_roles() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(role("all", selects="part"))
        await cluster.create(role("a", READ, labels={"part": "true"}))
        await cluster.change("clusterroles", "a", "", rules=[WRITE])
        assert await rules(cluster, "all") == [WRITE]
        await cluster.change("clusterroles", "a", "", metadata={"labels": {}})
        assert not await rules(cluster, "all")


async def test_rules_of_a_deleted_role_are_removed() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(role("all", selects="part"))
        await cluster.create(role("a", READ, labels={"part": "true"}))
        await cluster.create(role("b", WRITE, labels={"part": "true"}))
        await cluster.delete("clusterroles", "a")
        assert await rules(cluster, "all") == [WRITE]


async def test_an_aggregated_role_can_be_part_of_another_and_does_not_select_itself() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(role("outer", selects="outer", labels={"outer": "true"}))
        await cluster.create(role("inner", selects="inner", labels={"outer": "true"}))
        await cluster.create(role("leaf", READ, labels={"inner": "true"}))
        assert await rules(cluster, "outer") == [READ]


async def test_rules_are_applied_by_a_field_manager_of_their_own() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(role("a", READ, labels={"part": "true"}))
        await cluster.create(role("all", WRITE, selects="part"))
        found = await cluster.get("clusterroles", "all", "")
        assert found is not None
        assert found["rules"] == [READ]
        managers = {entry["manager"]: entry["operation"] for entry in found["metadata"]["managedFields"]}
        assert managers[CONTROLLER] == "Apply"
