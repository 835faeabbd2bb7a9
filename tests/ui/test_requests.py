"""Requests with refusals, faults and behaviours, and snapshots, in the page."""

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from memkube.cluster.synchronous import Memkube
from tests.ui.test_live import config, open_live
from tests.ui.test_nodes import deployment

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def test_requests_appear_as_they_are_answered(page: Page, cluster: Memkube) -> None:
    open_live(page, "/requests?verb=list")
    httpx.get(f"{cluster.url}{CONFIG_MAPS}", headers={"user-agent": "operator/1"}, trust_env=False)
    newest = page.locator("ol.requests > li").first
    expect(newest).to_contain_text("operator list configmaps in default 200")


def test_a_refusal_names_the_missing_rule(browser: Browser) -> None:
    with Memkube(nodes=0, authorization="RBAC") as cluster, browser.new_context(base_url=cluster.url) as context:
        headers = {"authorization": f"Bearer {cluster.user('jane').token}"}
        httpx.get(f"{cluster.url}/api/v1/namespaces/default/secrets", headers=headers, trust_env=False)
        page = context.new_page()
        page.goto("/ui/login?next=/ui/requests")
        page.get_by_label("Token").fill(cluster.user("admin", groups=["system:masters"]).token)
        page.get_by_role("button", name="Log in").click()
        expect(page.locator("ol.requests > li", has_text="as jane")).to_contain_text("403 Forbidden")
        expect(page.locator("#missing-jane .rules")).to_have_text("list secrets in default")


def test_a_fault_is_added_and_removed(page: Page, cluster: Memkube) -> None:
    open_live(page, "/faults")
    page.get_by_label("Effect").select_option("503")
    page.get_by_label("Resources").fill("configmaps")
    page.get_by_role("button", name="Add fault").click()
    card = page.locator("[data-key^='fault-']")
    expect(card).to_contain_text("code 503")
    assert httpx.get(f"{cluster.url}{CONFIG_MAPS}", trust_env=False).status_code == 503
    expect(card).to_contain_text("applied to 1")
    card.get_by_role("button", name="Remove").click()
    expect(card).to_have_count(0)
    assert httpx.get(f"{cluster.url}{CONFIG_MAPS}", trust_env=False).status_code == 200
    page.goto("/ui/requests?only=faults")
    expect(page.locator("ol.requests > li").first).to_contain_text("503 ServiceUnavailable fault")


def test_a_fault_that_is_not_possible_is_refused_in_words(page: Page) -> None:
    page.goto("/ui/faults")
    page.get_by_label("Effect").select_option("503")
    page.get_by_label("Resources").fill("configmap")
    page.get_by_role("button", name="Add fault").click()
    expect(page.locator("#problem")).to_contain_text("configmaps, not configmap")


def test_a_behaviour_is_switched_on(page: Page, cluster: Memkube) -> None:
    cluster.apply(deployment("behaved", 1))
    cluster.clock.advance(10)
    page.goto("/ui/faults")
    page.get_by_label("Labels of the pod").fill("app=behaved")
    page.get_by_role("button", name="Switch on").click()
    card = page.locator("[data-key='rule-crash']")
    expect(card).to_contain_text("app=behaved")
    cluster.clock.advance(60)
    page.goto("/ui/nodes")
    expect(page.locator(".tile[data-key^='default/behaved-']")).to_contain_text("restarts")
    page.goto("/ui/faults")
    card.get_by_role("button", name="Remove").click()
    expect(card).to_have_count(0)


@pytest.mark.restores
def test_a_snapshot_is_taken_and_gone_back_to(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("kept"))
    open_live(page, "/snapshots")
    page.get_by_label("Name").fill("before")
    page.get_by_role("button", name="Take snapshot").click()
    expect(page.locator("[data-key='snapshot-before']")).to_be_visible()
    cluster.delete("configmaps", "kept")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Go back to before").click()
    expect(page.locator("[aria-busy]")).to_have_count(0)
    page.goto(f"/ui{CONFIG_MAPS}")
    expect(page.locator("tr[data-key='default/kept']")).to_be_visible()


def test_a_snapshot_is_downloaded(cluster: Memkube) -> None:
    httpx.post(f"{cluster.url}/ui/snapshots", data={"name": "saved"}, trust_env=False).raise_for_status()
    answer = httpx.get(f"{cluster.url}/ui/snapshots/saved/file", trust_env=False)
    assert answer.headers["content-disposition"] == 'attachment; filename="saved.jsonl"'
    assert answer.content == httpx.get(f"{cluster.url}/memkube/v1/snapshots/saved", trust_env=False).content
