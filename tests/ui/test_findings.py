"""The findings of a hunt as stories, in a page without a cluster."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from memkube.hunting.end_state import Reference
from memkube.hunting.plan import Plan
from memkube.hunting.report import Coverage, Finding, HuntReport
from memkube.hunting.run import Observation
from memkube.hunting.saved_report import read_report
from memkube.hunting.story import story_of
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.hunting.test_story import KEY, VERDICTS, secret, sent, updated
from tests.ui.test_accessibility import AXE, SERIOUS

VIEWS = ("/findings", "/findings/1", "/findings/2", "/findings/3")


def write_report(folder: Path) -> Path:
    """Write a report with two findings, of which the second has no story, and return its path."""
    observed = Observation(started=100.0, step_ends=[0.5], wrong_step=0, output="KeyError: <w>")
    observed.sent = [sent(1.0, "get"), sent(2.0, "update", 0, "drop-1"), sent(3.0, "get", 404)]
    observed.changes, observed.states = [updated(101.5)], {0: {KEY: [secret(a="2")]}}
    plan = Plan(pattern="crash", about="the operator is killed & started again", disturbances=[], needs=[1], out_of=3)
    story = story_of(plan, VERDICTS, observed, {0: Reference({KEY: [secret(a="1")]})})
    told = Finding("crash", "end-state", "", ["Secret default/w"], "FINDING (crash): killed", plan, story)
    plain = Finding("lease-lost", "lease", "", [], "FINDING (lease-lost): it writes <on>", plan)
    report = HuntReport(7, 9, 4, seconds=12, findings=[told, plain], coverage={"update secrets": Coverage(3, 1, 2)})
    report.write(folder, None)
    return folder / "report.json"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    report = read_report(write_report(tmp_path_factory.mktemp("findings")))
    with Server(Settings(controllers=(), clock="stepped", read_only=True, hunt_report=report)).in_thread() as server:
        yield server.url


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    with browser.new_context(base_url=url) as context:
        yield context.new_page()


def test_a_finding_is_told_from_the_fault_to_what_it_left(page: Page) -> None:
    page.goto("/ui")
    expect(page.locator("h1")).to_contain_text("4 plans, 9 runs, 12 s, seed 7")
    page.get_by_role("link", name="the operator is killed & started again").first.click()
    page.wait_for_url("**/ui/findings/1")
    expect(page.get_by_text("needs only step 2 of 3")).to_be_visible()
    expect(page.locator("#violations")).to_contain_text("data.a is 2, without the fault 1")
    expect(page.locator("#left .plus")).to_have_text("+  a: '2'\n")
    rows = page.locator("#timeline tbody > tr")
    expect(rows.nth(1).locator("> td").nth(0)).to_contain_text("get secrets w")
    expect(rows.nth(2).locator("> td").nth(2)).to_contain_text("Secret default/w is updated")
    expect(rows.nth(3).locator("> td").nth(1)).to_contain_text("no answer")
    expect(page.locator("#plan")).to_contain_text("pattern: crash")


def test_a_finding_without_a_story_has_its_text(page: Page) -> None:
    page.goto("/ui/findings/2")
    expect(page.locator("main")).to_contain_text("it writes <on>")


def test_a_cluster_has_no_findings(cluster_url: str) -> None:
    answer = httpx.get(f"{cluster_url}/ui/findings", trust_env=False)
    assert answer.status_code == 404
    assert "memkube ui FOLDER" in answer.text


@pytest.fixture
def cluster_url() -> Iterator[str]:
    with Server(Settings(controllers=())).in_thread() as server:
        yield server.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, url: str, scheme: str) -> None:
    with browser.new_context(base_url=url, color_scheme="dark" if scheme == "dark" else "light") as context:
        page = context.new_page()
        for view in VIEWS:
            page.goto(f"/ui{view}")
            page.evaluate(AXE)
            violations = page.evaluate("axe.run().then((result) => result.violations)")
            assert [(view, one["id"]) for one in violations if one["impact"] in SERIOUS] == []


def test_a_phone_needs_no_sideways_scrolling(browser: Browser, url: str) -> None:
    with browser.new_context(base_url=url, viewport={"width": 360, "height": 700}) as context:
        page = context.new_page()
        for view in VIEWS:
            page.goto(f"/ui{view}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, view
