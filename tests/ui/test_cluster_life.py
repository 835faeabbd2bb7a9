"""What happens in a cluster is visible in the page while it happens: a drain, a crash loop, a moved clock."""

from datetime import datetime

from playwright.sync_api import Page, expect

from memkube.cluster.synchronous import Memkube
from tests.ui.test_live import open_live

BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "shop"},
    "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "shop"}}},
}


def deployment(replicas: int) -> dict[str, object]:
    container = {"name": "main", "image": "shop"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "shop"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "shop"}},
            "template": {"metadata": {"labels": {"app": "shop"}}, "spec": {"containers": [container]}},
        },
    }


def written(instant: datetime) -> str:
    """Return an instant as JavaScript writes it."""
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_a_drain_under_a_budget_is_visible(page: Page, cluster: Memkube) -> None:
    # The pod that replaces the evicted one is not ready before the clock moves.
    cluster.behaviors.put("slow", {"image": "shop", "pullSeconds": 30})
    cluster.apply(BUDGET, deployment(3))
    cluster.clock.advance(60)
    node = cluster.list("pods")[0]["spec"]["nodeName"]
    open_live(page, "/apis/policy/v1/namespaces/default/poddisruptionbudgets?columns=wide")
    row = page.locator("tr[data-key='default/shop'] td")
    # The column with the disruptions that the budget allows.
    expect(row.nth(2)).to_have_text("1")
    cluster.nodes.drain(node)
    expect(row.nth(2)).to_have_text("0")
    page.goto("/ui/api/v1/nodes")
    expect(page.locator(f"tr[data-key='/{node}'] td").first).to_have_text("Ready,SchedulingDisabled")
    cluster.patch("nodes", node, {"spec": {"unschedulable": False}})


def test_a_crash_loop_is_visible(page: Page, cluster: Memkube) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "crashing"},
        "spec": {"containers": [{"name": "main", "image": "busybox", "command": ["sh", "-c", "exit 1"]}]},
    }
    cluster.apply(pod)
    open_live(page, "/api/v1/namespaces/default/pods")
    cells = page.locator("tr[data-key='default/crashing'] td")
    cluster.clock.advance(60)
    expect(cells.nth(1)).to_have_text("CrashLoopBackOff")
    expect(cells.nth(1)).to_have_class("bad")
    expect(cells.nth(2)).to_contain_text("3 (")


def test_the_next_timer_of_a_stopped_clock_is_stepped_to(page: Page, cluster: Memkube) -> None:
    open_live(page, "/kinds")
    before = cluster.clock.now()
    page.get_by_role("button", name="Next timer").click()
    shown = page.locator("#now")
    expect(shown).not_to_have_attribute("datetime", written(before))
    assert shown.get_attribute("datetime") == written(cluster.clock.now())


def test_a_stopped_clock_can_be_run(page: Page) -> None:
    open_live(page, "/kinds")
    before = page.locator("#now").inner_text()
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#now")).not_to_have_text(before)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#mode")).to_have_text("stopped")
