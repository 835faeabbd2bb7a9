"""Makes the pictures of the web page in docs/images, with the chromium of the machine.

python tools/screenshots.py [FOLDER]
"""

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

from memkube.cluster.synchronous import Memkube

_IMAGES: Final = Path(__file__).parents[1] / "docs" / "images"
_START: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
_SIZE: Final = (1100, 620)


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
            ]


def shot(page: Page, path: str, file: Path) -> Path:
    """Write a picture of a view."""
    page.goto(f"/ui{path}")
    page.locator("main h1").wait_for()
    for button in page.locator("#change details summary").all():
        button.click()
    page.screenshot(path=file)
    return file


if __name__ == "__main__":
    found = shutil.which("chromium")
    if found is None:
        sys.exit("there is no chromium on PATH")
    for made in make_screenshots(Path(sys.argv[1]) if sys.argv[1:] else _IMAGES, found):
        sys.stdout.write(f"{made}\n")
