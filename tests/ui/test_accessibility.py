"""The page can be used with a keyboard and a screen reader."""

from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page, expect

from memkube.cluster.synchronous import Memkube
from tests.ui.test_live import config
from tests.ui.test_objects import DEPLOYMENT

AXE = (files("axe_core_python") / "axe.min.js").read_text()
VIEWS = (
    "/kinds",
    "/changes",
    "/nodes",
    "/workloads",
    "/requests",
    "/faults",
    "/snapshots",
    "/login",
    "/nothing",
    "/api/v1/pods",
    "/api/v1/pods?columns=wide&at=50",
    "/apis/apps/v1/namespaces/default/deployments/shop",
    "/apis/apps/v1/namespaces/default/deployments/shop?view=history",
    "/apis/apps/v1/namespaces/default/deployments/shop?view=writers",
    "/apis/apps/v1/namespaces/default/deployments/shop?view=yaml",
)
SERIOUS = ("serious", "critical")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, cluster: Memkube, scheme: str) -> None:
    cluster.apply(DEPLOYMENT)
    cluster.clock.advance(10)
    found = []
    with browser.new_context(base_url=cluster.url, color_scheme="dark" if scheme == "dark" else "light") as context:
        page = context.new_page()
        for view in VIEWS:
            page.goto(f"/ui{view}")
            page.evaluate(AXE)
            violations = page.evaluate("axe.run().then((result) => result.violations)")
            found += [
                (view, one["id"], [node["html"] for node in one["nodes"]][:3])
                for one in violations
                if one["impact"] in SERIOUS
            ]
    assert found == []


def test_the_keyboard_reaches_the_content_first(page: Page) -> None:
    page.goto("/ui/kinds")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_a_focused_row_keeps_the_focus_when_it_changes(page: Page, cluster: Memkube) -> None:
    cluster.apply(config("focused", a="1"))
    page.goto("/ui/api/v1/namespaces/default/configmaps")
    page.wait_for_selector("html[data-live]", state="attached")
    link = page.get_by_role("link", name="focused")
    link.focus()
    cluster.apply(config("focused", a="1", b="2"))
    expect(page.locator("tr[data-key='default/focused'] td").first).to_have_text("2")
    expect(link).to_be_focused()


def test_the_switch_of_colours_is_remembered(page: Page) -> None:
    page.goto("/ui/kinds")
    page.get_by_role("button", name="Switch between dark and light").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_phone_needs_no_sideways_scrolling(browser: Browser, cluster: Memkube) -> None:
    cluster.apply(DEPLOYMENT)
    with browser.new_context(base_url=cluster.url, viewport={"width": 360, "height": 700}) as context:
        page = context.new_page()
        for view in VIEWS:
            page.goto(f"/ui{view}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, view
