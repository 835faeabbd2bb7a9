"""A scenario is played from the page, and its steps are shown as they happen."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

import memkube
from memkube.cluster.synchronous import Memkube
from memkube.scenarios.posting import ServerPlayer
from memkube.ui.scenarios import EXAMPLE
from tests.ui.test_live import open_live

LONG = "name: a long one\nuntil: 24h\nsteps:\n- {failNode: node-1, for: 1h}\n- {at: 20h, rebootNode: node-2}\n"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Memkube]:
    """A cluster that plays the scenarios that it is sent, as that of ``memkube serve`` does."""
    with Memkube(nodes=3, clock="stepped") as running:
        server = running._running.server
        server.parts.scenarios.player = ServerPlayer(server)
        yield running


def begin(page: Page, text: str, speed: str) -> None:
    """Play a scenario with the form of the page, and wait for the page of the scenario."""
    page.goto("/ui/scenarios")
    page.get_by_label("Scenario, in YAML or JSON").fill(text)
    page.get_by_label("Speed", exact=True).last.select_option(speed)
    page.get_by_role("button", name="Play").click()
    page.wait_for_url("**/ui/scenarios/*")


def test_the_example_in_the_form_is_played_to_its_end(page: Page) -> None:
    begin(page, EXAMPLE, "")
    expect(page.locator("#state")).to_have_text("passed")
    expect(page.locator("[data-key='step-1'] > td").nth(1)).to_have_text("over")
    expect(page.locator("#result")).to_contain_text("5 Running")


def test_steps_are_shown_as_they_happen_until_the_scenario_is_stopped(page: Page, cluster: Memkube) -> None:
    begin(page, LONG, "60")
    page.wait_for_selector("html[data-live]", state="attached")
    first, second = page.locator("[data-key='step-0']"), page.locator("[data-key='step-1']")
    expect(first).to_contain_text("active")
    expect(first).to_contain_text("is undone at")
    expect(second).to_contain_text("later")
    cluster.clock.advance(2 * 3600)
    expect(first).to_contain_text("over")
    expect(second).to_contain_text("next")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#state")).to_have_text("stopped")
    expect(second).to_contain_text("never")


def test_the_address_of_a_scenario_stays(page: Page, cluster: Memkube) -> None:
    memkube.play({"name": "kept", "until": "1m", "expect": [{"resource": "nodes", "count": 9}]}, on=cluster)
    page.goto("/ui/scenarios")
    page.get_by_role("link", name="kept").click()
    page.reload()
    expect(page.locator("#state")).to_have_text("failed")
    expect(page.locator("#failures")).to_contain_text("nodes: expected 9, found 3")


def test_a_scenario_of_a_python_program_is_followed(page: Page, cluster: Memkube) -> None:
    open_live(page, "/scenarios")
    reached, go_on = threading.Event(), threading.Event()

    def stand_still(_: Memkube) -> None:
        reached.set()
        go_on.wait(60)

    steps: list[dict[str, Any]] = [{"at": "1m", "name": "stand still", "call": stand_still}]
    scenario = {"name": "from Python", "steps": steps, "until": "2m"}
    thread = threading.Thread(target=memkube.play, args=(scenario,), kwargs={"on": cluster})
    thread.start()
    assert reached.wait(60)
    row = page.locator("tr", has_text="from Python")
    expect(row).to_contain_text("playing")
    go_on.set()
    expect(row).to_contain_text("passed")
    thread.join()


def test_a_file_is_read_into_the_form(page: Page, tmp_path: Path) -> None:
    (tmp_path / "long.yaml").write_text(LONG)
    page.goto("/ui/scenarios")
    page.get_by_label("or a file").set_input_files(tmp_path / "long.yaml")
    expect(page.get_by_label("Scenario, in YAML or JSON")).to_have_value(LONG)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("until: [", "not valid YAML"),
        ("- until", "A scenario is an object"),
        ("until: 1m\nuntil: 2m\n", "already set"),
        ("until: 1m\nsetup: web.yaml\n", "setup: a scenario that is sent to a server cannot read files"),
    ],
)
def test_a_scenario_that_is_not_valid_is_refused_in_words(cluster: Memkube, text: str, problem: str) -> None:
    answer = httpx.post(f"{cluster.url}/ui/scenarios", data={"scenario": text}, trust_env=False)
    assert answer.status_code in (400, 422)
    assert problem in answer.text


def test_a_browser_without_scripts_gets_to_the_scenario(cluster: Memkube) -> None:
    form, headers = {"scenario": "until: 1m"}, {"accept": "text/html"}
    answer = httpx.post(f"{cluster.url}/ui/scenarios", data=form, headers=headers, trust_env=False)
    assert (answer.status_code, answer.headers["location"].rpartition("/")[0]) == (303, "/ui/scenarios")


def test_a_server_that_plays_no_scenarios_says_why() -> None:
    with Memkube(nodes=0) as plain:
        answer = httpx.get(f"{plain.url}/ui/scenarios", trust_env=False)
        assert "This server plays no scenarios that are sent to it" in answer.text
        assert "<textarea" not in answer.text
