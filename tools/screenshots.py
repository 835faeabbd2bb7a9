"""Makes the pictures of the web page in docs/images, with the chromium of the machine.

python tools/screenshots.py [FOLDER]
"""

import shutil
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

from memkube.cluster.synchronous import Memkube
from memkube.hunting.saved_report import read_report
from memkube.scenarios.playing import play
from memkube.server.server import Server
from memkube.server.settings import Settings

_IMAGES: Final = Path(__file__).parents[1] / "docs" / "images"
_REPORT: Final = _IMAGES.parents[1] / "examples" / "hunt" / "findings" / "report.json"
_START: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
_SIZE: Final = (1100, 620)
_SECONDS: Final = 60.0


def deployment(name: str, image: str, replicas: int, *command: str) -> dict[str, Any]:
    """Return a Deployment whose containers run a command."""
    container = {"name": "main", "image": image} | ({"command": list(command)} if command else {})
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
        },
    }


def make_screenshots(folder: Path, chromium: str) -> list[Path]:
    """Write the pictures into a folder, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    with Memkube(nodes=3, zones=3, clock="stepped", start=_START, seed=7) as cluster, sync_playwright() as playwright:
        cluster.apply(deployment("web", "nginx:1.27", 4), deployment("worker", "busybox", 1, "sh", "-c", "exit 1"))
        cluster.clock.advance(90)
        cluster.apply(deployment("web", "nginx:1.28", 4))
        then = cluster.revision()
        cluster.clock.advance(60)
        with playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser:
            light = browser.new_page(base_url=cluster.url, viewport={"width": _SIZE[0], "height": _SIZE[1]})
            dark = browser.new_page(
                base_url=cluster.url, viewport={"width": _SIZE[0], "height": _SIZE[1]}, color_scheme="dark"
            )
            return [
                shot(light, "/api/v1/namespaces/default/pods", folder / "pods.png"),
                shot(dark, f"/apis/apps/v1/namespaces/default/deployments/web?at={then}", folder / "past.png"),
                scenario_shot(light, cluster, folder / "scenario.png"),
                finding_shot(browser, folder / "finding.png"),
            ]


def shot(page: Page, path: str, file: Path) -> Path:
    """Write a picture of a view."""
    page.goto(f"/ui{path}")
    page.locator("main h1").wait_for()
    for button in page.locator("#change details summary").all():
        button.click()
    page.screenshot(path=file)
    return file


def scenario_shot(page: Page, cluster: Memkube, file: Path) -> Path:
    """Write a picture of a scenario in the middle of its time."""

    def take(_: Memkube) -> None:
        shown.set()
        taken.wait(_SECONDS)

    shown, taken = threading.Event(), threading.Event()
    # The page is photographed during this step.
    watch = {"at": "5m", "name": "look at the page", "call": take}
    scenario = {
        "name": "a node is lost during a rollout",
        "steps": [
            {"at": "1m", "rule": {"name": "slow-pulls", "image": "nginx:1.29", "pullSeconds": 40}, "for": "15m"},
            {"at": "2m", "failNode": "node-2", "for": "6m"},
            {"at": "3m", "name": "roll out nginx 1.29", "apply": deployment("web", "nginx:1.29", 4)},
            watch,
            {"at": "12m", "scale": {"resource": "deployments", "name": "web", "replicas": 6}},
            {"at": "4m", "every": "4m", "expect": [{"resource": "pods", "labels": "app=web", "atLeast": 1}]},
        ],
        "until": "20m",
    }
    playing = threading.Thread(target=play, args=(scenario,), kwargs={"on": cluster})
    playing.start()
    shown.wait(_SECONDS)
    shot(page, "/scenarios/1", file)
    taken.set()
    playing.join()
    return file


def finding_shot(browser: Browser, file: Path) -> Path:
    """Write a picture of the finding in the examples."""
    settings = Settings(controllers=(), clock="stepped", read_only=True, hunt_report=read_report(_REPORT))
    with Server(settings).in_thread() as server:
        page = browser.new_page(base_url=server.url, viewport={"width": _SIZE[0], "height": _SIZE[1]})
        page.goto("/ui/findings/1")
        page.locator("tr.faulty").evaluate("(row) => row.scrollIntoView({block: 'center'})")
        page.screenshot(path=file)
    return file


if __name__ == "__main__":
    found = shutil.which("chromium")
    if found is None:
        sys.exit("there is no chromium on PATH")
    for made in make_screenshots(Path(sys.argv[1]) if sys.argv[1:] else _IMAGES, found):
        sys.stdout.write(f"{made}\n")
