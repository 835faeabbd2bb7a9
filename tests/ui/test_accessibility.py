"""The page can be used with a keyboard and a screen reader."""

from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page, expect

import memkube
from memkube.cluster.synchronous import Memkube
from memkube.scenarios.posting import ServerPlayer
from tests.ui.test_live import config
from tests.ui.test_logs import COUNTING, pod
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
    "/scenarios",
    "/scenarios/1",
    "/logs/default/talking",
    "/terminal/default/talking",
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
SCENARIO = {
    "name": "one of each",
    "steps": [
        {"at": "1m", "failNode": "node-1", "for": "1m"},
        {"at": "2m", "scale": {"resource": "deployments", "name": "shop", "replicas": 1}},
        {"at": "2h", "rebootNode": "node-1"},
    ],
    "until": "5m",
    "expect": [{"resource": "nodes", "count": 9}],
}


@pytest.fixture(scope="module", autouse=True)
def shown(cluster: Memkube) -> None:
    """Fill the cluster with all that the views show: a deployment, a pod with a log, a played scenario."""
    server = cluster._running.server
    server.parts.scenarios.player = ServerPlayer(server)
    cluster.apply(DEPLOYMENT, pod("talking", COUNTING))
    cluster.clock.advance(10)
    memkube.play(SCENARIO, on=cluster)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, cluster: Memkube, scheme: str) -> None:
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


def test_a_terminal_is_used_and_left_with_the_keyboard(page: Page) -> None:
    page.goto("/ui/terminal/default/talking")
    line = page.get_by_label("Line to send")
    expect(line).to_be_focused()
    page.keyboard.type("echo $((20 + 3))")
    page.keyboard.press("Enter")
    expect(page.locator("#screen")).to_contain_text("23")
    for button in ("Send", "Ctrl-C", "Ctrl-D"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name=button)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_text("From your own terminal")).to_be_visible()
    expect(page.locator("summary:focus")).to_have_count(1)


def test_a_log_is_scrolled_with_the_keyboard(page: Page, cluster: Memkube) -> None:
    cluster.clock.advance(3600)
    page.goto("/ui/logs/default/talking")
    log = page.get_by_role("log")
    expect(log.locator("span").nth(100)).to_be_attached()
    log.focus()
    page.keyboard.press("Home")
    expect(log.locator("span").first).to_be_in_viewport()
    expect(log.locator("span").last).not_to_be_in_viewport()


def test_a_scenario_is_played_and_stopped_with_the_keyboard(page: Page) -> None:
    page.goto("/ui/scenarios")
    text = page.get_by_label("Scenario, in YAML or JSON")
    text.focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("until: 24h")
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Play")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/ui/scenarios/*")
    page.get_by_role("button", name="Stop").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("stopped")


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
    with browser.new_context(base_url=cluster.url, viewport={"width": 360, "height": 700}) as context:
        page = context.new_page()
        for view in VIEWS:
            page.goto(f"/ui{view}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, view
