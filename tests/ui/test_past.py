"""Views of the past: lists and objects as of a revision, what changed, and revisions that are no longer kept."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from memkube.cluster.synchronous import Memkube
from tests.ui.test_live import config, open_live

LIST = "/ui/api/v1/namespaces/default/configmaps"


def test_a_list_is_shown_as_of_a_revision(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("early"))
    then = cluster.revision()
    cluster.delete("configmaps", "early")
    page.goto(f"{LIST}?at={then}")
    expect(page.locator("tr[data-key='default/early']")).to_be_visible()
    expect(page.locator("caption")).to_contain_text(f"at revision {then}")
    page.get_by_role("link", name="Back to the present").click()
    expect(page.locator("tr[data-key='default/early']")).to_have_count(0)


def test_an_object_is_shown_as_of_a_revision_with_what_changed(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("colour", a="red"))
    cluster.apply(config("colour", a="blue"))
    now = cluster.revision()
    page.goto(f"{LIST}/colour?at={now - 1}")
    expect(page.locator("#part-data")).to_contain_text("red")
    page.get_by_role("link", name="One revision on").click()
    expect(page.locator("#part-data")).to_contain_text("blue")
    page.locator("#change summary").click()
    expect(page.locator("#change .plus")).to_have_text("+  a: blue\n")


def test_the_slider_moves_through_the_revisions(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("slid", a="1"))
    then = cluster.revision()
    cluster.delete("configmaps", "slid")
    page.goto(f"{LIST}?at={cluster.revision()}")
    row = page.locator("tr[data-key='default/slid']")
    expect(row).to_have_count(0)
    page.get_by_label("Revision", exact=True).fill(str(then))
    expect(row).to_be_visible()
    assert page.url.endswith(f"at={then}")
    page.get_by_label("Revision", exact=True).press("ArrowRight")
    expect(row).to_have_count(0)


def test_changes_are_listed_live(page: Page, cluster: Memkube) -> None:
    open_live(page, "/changes")
    cluster.apply(config("listed", a="1"))
    newest = page.locator(".history > li").first
    expect(newest).to_contain_text("configmaps default/listed")
    expect(newest).to_contain_text("by memkube-python (apply)")


def test_the_history_of_a_deleted_object_is_shown(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("gone", a="1"))
    cluster.delete("configmaps", "gone")
    page.goto(f"{LIST}/gone?view=history")
    expect(page.locator(".history > li").first).to_contain_text("deleted")
    expect(page.locator(".history > li").last).to_contain_text("created by memkube-python")


def test_a_compacted_revision_is_refused_in_words(cluster: Memkube) -> None:
    cluster.apply(config("before"))
    then = cluster.revision()
    cluster.apply(config("after"))
    cluster.faults.compact_history()
    for path in (LIST, f"{LIST}/kube-root-ca.crt"):
        headers = {"accept": "text/html"}
        answer = httpx.get(f"{cluster.url}{path}?at={then}", headers=headers, trust_env=False)
        assert answer.status_code == 410
        assert "This revision is no longer kept" in answer.text


@pytest.mark.parametrize("at", ["now", "-1", "1.5", "9" * 30])
def test_a_revision_that_is_no_number_is_refused(client: httpx.Client, at: str) -> None:
    assert client.get("/ui/api/v1/namespaces", params={"at": at}).status_code == 400


def test_a_revision_of_the_future_is_refused(client: httpx.Client) -> None:
    assert client.get("/ui/api/v1/namespaces", params={"at": "999999999"}).status_code == 504
