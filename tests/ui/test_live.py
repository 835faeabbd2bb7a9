"""Changes that the API makes appear in an open page."""

import pytest
from playwright.sync_api import Page, expect

from memkube.cluster.synchronous import Memkube


def open_live(page: Page, path: str) -> None:
    """Open a view, and wait until it is connected."""
    page.goto(f"/ui{path}")
    page.wait_for_selector("html[data-live]", state="attached")


def config(name: str, **data: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def test_a_created_object_appears_and_a_deleted_one_goes(page: Page, cluster: Memkube) -> None:
    open_live(page, "/api/v1/namespaces/default/configmaps")
    cluster.apply(config("new", a="1"))
    row = page.locator("tr[data-key='default/new']")
    expect(row).to_be_visible()
    cluster.delete("configmaps", "new")
    expect(row).to_have_count(0)


def test_a_changed_cell_is_replaced(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("changing", a="1"))
    open_live(page, "/api/v1/namespaces/default/configmaps")
    cluster.apply(config("changing", a="1", b="2"))
    expect(page.locator("tr[data-key='default/changing'] td").first).to_have_text("2")


def test_rows_are_inserted_in_the_order_of_the_list(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("order-a"), config("order-c"))
    open_live(page, "/api/v1/namespaces/default/configmaps?q=order")
    cluster.apply(config("order-b"))
    rows = page.locator("tbody tr:not([hidden]) th")
    expect(rows).to_have_text(["order-a", "order-b", "order-c"])


def test_the_buttons_of_the_clock_move_it_and_ages_follow(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("aging"))
    open_live(page, "/api/v1/namespaces/default/configmaps")
    before = page.locator("#now").inner_text()
    page.get_by_role("button", name="+1 min").click()
    expect(page.locator("#now")).not_to_have_text(before)
    expect(page.locator("tr[data-key='default/aging'] [data-since]")).to_have_text("60s")


@pytest.mark.restores
def test_a_restored_snapshot_is_shown(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("kept"))
    snapshot = cluster.snapshot()
    cluster.delete("configmaps", "kept")
    open_live(page, "/api/v1/namespaces/default/configmaps")
    expect(page.locator("tr[data-key='default/kept']")).to_have_count(0)
    cluster.restore(snapshot)
    expect(page.locator("tr[data-key='default/kept']")).to_be_visible()
