"""The overview of workloads: rollouts, Services with endpoints, claims with volumes, quotas."""

from playwright.sync_api import Locator, Page, expect

from memkube.cluster.synchronous import Memkube
from tests.ui.test_live import open_live
from tests.ui.test_nodes import deployment

CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}},
}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "front"},
    "spec": {"selector": {"app": "front"}, "ports": [{"name": "http", "port": 80}]},
}
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "team"},
    "spec": {"hard": {"count/configmaps": "4"}},
}


def rollout(page: Page, name: str) -> Locator:
    return page.locator(f"tr[data-key='Deployment/default/{name}']")


def test_a_rollout_that_hangs_shows_both_revisions(page: Page, cluster: Memkube) -> None:
    cluster.apply(deployment("rolled", 2))
    cluster.clock.advance(10)
    open_live(page, "/workloads")
    expect(rollout(page, "rolled").locator("td").first).to_contain_text("2/2")
    cluster.apply(deployment("rolled", 2, resources={"requests": {"cpu": "1000"}}))
    cluster.clock.advance(10)
    expect(rollout(page, "rolled").locator("td").nth(1)).to_contain_text("1/2")
    expect(rollout(page, "rolled").locator("td").nth(2)).to_contain_text("2 1 pod, 1 2 pods")
    expect(page.locator("#warnings")).to_contain_text("Insufficient cpu")
    cluster.clock.advance(700)
    expect(rollout(page, "rolled")).to_contain_text("ProgressDeadlineExceeded")


def test_a_service_shows_its_endpoints_as_they_become_ready(page: Page, cluster: Memkube) -> None:
    cluster.apply(SERVICE)
    open_live(page, "/workloads")
    card = page.locator("[data-key='service/default/front']")
    expect(card).to_contain_text("no endpoints")
    cluster.apply(deployment("front", 1))
    cluster.clock.advance(10)
    expect(card.locator(".endpoints li")).to_contain_text("ready front-")


def test_a_claim_leads_to_its_volume(page: Page, cluster: Memkube) -> None:
    cluster.apply(CLAIM)
    cluster.clock.advance(10)
    page.goto("/ui/workloads?namespace=default")
    row = page.locator("tr[data-key='claim/default/data']")
    expect(row).to_contain_text("Bound")
    volume = row.locator("td a")
    name = volume.inner_text()
    volume.click()
    expect(page.locator("h1")).to_have_text(name)


def test_a_quota_is_drawn_with_its_usage(page: Page, cluster: Memkube) -> None:
    cluster.apply(QUOTA)
    cluster.clock.advance(10)
    page.goto("/ui/workloads")
    bar = page.locator("[data-key='quota/default/team'] svg")
    expect(bar).to_have_accessible_name("count/configmaps: 1 of 4 used")
    expect(bar.locator(".good-fill")).to_have_attribute("width", "25.0")
