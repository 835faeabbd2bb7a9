"""Nodes with their pods as tiles: crash loops, drains under a budget, conditions and taints, as they happen."""

import re
from typing import Any, Final

import httpx
import pytest
from playwright.sync_api import Page, expect

from memkube.cluster.synchronous import Memkube
from tests.ui.test_live import open_live

_TOO_LARGE: Final = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "large"},
    "spec": {"containers": [{"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "1000"}}}]},
}


def deployment(name: str, replicas: int, **container: object) -> dict[str, object]:
    """Return a Deployment whose pods have one container."""
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "main", "image": "nginx"} | container]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template},
    }


def budget(name: str, least: int) -> dict[str, Any]:
    """Return a PodDisruptionBudget for the pods of a Deployment."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"minAvailable": least, "selector": {"matchLabels": {"app": name}}},
    }


def test_a_crash_loop_is_visible(page: Page, cluster: Memkube) -> None:
    open_live(page, "/nodes")
    cluster.apply(deployment("crash", 1, image="busybox", command=["sh", "-c", "exit 1"]))
    cluster.clock.advance(60)
    tile = page.locator(".tile[data-key^='default/crash-']")
    expect(tile).to_contain_text("CrashLoopBackOff")
    expect(tile).to_contain_text("restarts")
    expect(page.locator("h1")).to_contain_text("1 CrashLoopBackOff")


def test_a_drain_under_a_budget_is_visible(page: Page, cluster: Memkube) -> None:
    cluster.apply(deployment("guarded", 1), budget("guarded", 1))
    cluster.clock.advance(10)
    open_live(page, "/nodes")
    card = page.locator("[data-key='budget/default/guarded']")
    expect(card).to_contain_text("0 may be disrupted")
    node = page.locator("section.node", has=page.locator("[data-key^='default/guarded-']"))
    name = node.locator("h2").inner_text()
    node.locator("summary").click()
    node.get_by_role("button", name="Drain").click()
    expect(page.locator("#problem")).to_contain_text("1 pods could not be evicted: default/guarded-")
    cluster.apply(deployment("guarded", 2))
    cluster.clock.advance(10)
    expect(card).to_contain_text("1 may be disrupted")
    page.locator(f"#node-{name}").get_by_role("button", name="Drain").click()
    expect(page.locator(f"#node-{name} [data-key^='default/guarded-']")).to_have_count(0)
    expect(page.locator(f"#node-{name}")).to_contain_text("SchedulingDisabled")
    page.locator(f"#node-{name}").get_by_role("button", name="Uncordon").click()
    expect(page.locator(f"#node-{name}")).not_to_contain_text("SchedulingDisabled")


@pytest.mark.parametrize(
    ("plural", "document", "part"),
    [
        ("pods", _TOO_LARGE, "#unscheduled"),
        ("poddisruptionbudgets", budget("web", 1), "[data-key='budget/default/web']"),
    ],
)
def test_an_open_menu_stays_open_when_another_part_goes(
    page: Page, cluster: Memkube, plural: str, document: dict[str, Any], part: str
) -> None:
    cluster.apply(document)
    open_live(page, "/nodes")
    expect(page.locator(part)).to_be_visible()
    page.locator("#node-node-1 summary").click()
    cluster.delete(plural, document["metadata"]["name"])
    expect(page.locator(part)).to_have_count(0)
    expect(page.locator("#node-node-1").get_by_role("button", name="Drain")).to_be_visible()


def test_a_failed_node_shows_its_condition_and_its_taints(page: Page, cluster: Memkube) -> None:
    open_live(page, "/nodes")
    cluster.nodes.fail("node-3")
    cluster.clock.advance(60)
    node = page.locator("#node-node-3")
    expect(node).to_contain_text("Ready: Unknown")
    expect(node).to_contain_text("node.kubernetes.io/unreachable:NoExecute")
    node.locator("summary").click()
    node.get_by_role("button", name="Recover").click()
    cluster.clock.advance(60)
    expect(node).not_to_contain_text("unreachable")


def test_pods_that_fit_on_no_node_are_shown_apart(page: Page, cluster: Memkube) -> None:
    large = {"requests": {"cpu": "1000"}}
    cluster.apply(deployment("large", 1, resources=large))
    cluster.clock.advance(5)
    page.goto("/ui/nodes")
    expect(page.locator("#unscheduled .tile")).to_contain_text("Pending")
    cluster.delete("deployments.apps", "large")


def test_the_past_is_shown_without_buttons(page: Page, cluster: Memkube) -> None:
    then = cluster.revision()
    cluster.apply(deployment("later", 1))
    cluster.clock.advance(5)
    page.goto(f"/ui/nodes?at={then}")
    expect(page.locator(".node .actions")).to_have_count(0)
    expect(page.locator(".tile[data-key^='default/later-']")).to_have_count(0)
    page.get_by_role("link", name="Back to the present").click()
    expect(page.locator(".tile[data-key^='default/later-']")).to_have_count(1)


def test_one_namespace_is_chosen(page: Page, cluster: Memkube) -> None:
    cluster.apply(deployment("here", 1))
    cluster.clock.advance(5)
    page.goto("/ui/nodes")
    page.get_by_label("Namespace").select_option("kube-system")
    page.wait_for_url(re.compile("namespace=kube-system"))
    expect(page.locator(".tile[data-key^='default/']")).to_have_count(0)


def test_an_unknown_action_is_refused(cluster: Memkube) -> None:
    answer = httpx.post(f"{cluster.url}/ui/nodes/node-1/explode", trust_env=False)
    assert (answer.status_code, answer.text) == (404, "unknown action for a node: explode\n")
