"""A headless Chromium for the tests of the web page, and clusters that it shows."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from memkube.cluster.synchronous import Memkube

_CHROMIUM = shutil.which("chromium")
_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    # Only the server's address can be resolved, so that nothing of another host can load.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
_PATIENCE = 60_000
"""Timeout in milliseconds for changes of a page. They come at once on an idle machine."""
expect.set_options(timeout=_PATIENCE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module; each test gets a context of its own in it.

    It ends with the module, because an event loop runs in this thread for as long as Playwright does.
    """
    if _CHROMIUM is None:
        pytest.skip("there is no chromium on PATH")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=_CHROMIUM, args=list(_OPTIONS), timeout=2 * _PATIENCE)
        yield running
        running.close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Memkube]:
    """A cluster with a stepped clock and three nodes, shared by the tests of a module."""
    with Memkube(nodes=3, clock="stepped") as running:
        yield running


@pytest.fixture
def page(browser: Browser, cluster: Memkube) -> Iterator[Page]:
    """A page whose addresses begin at the cluster. The test fails if the page reports an error."""
    with browser.new_context(base_url=cluster.url) as context:
        context.set_default_timeout(_PATIENCE)
        opened, problems = context.new_page(), list[str]()
        opened.on("console", lambda told: problems.append(told.text) if told.type in ("error", "warning") else None)
        opened.on("pageerror", lambda error: problems.append(str(error)))
        yield opened
        assert problems == []
