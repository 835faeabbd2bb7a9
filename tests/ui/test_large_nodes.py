"""The view of nodes with 2,000 pods on 50 nodes and 50 changes a second: the page stays smooth."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from memkube.cluster.synchronous import Memkube
from tests.ui.test_large_lists import PODS, SECONDS, assert_short, changing, main_thread_tasks, most_milliseconds, pod
from tests.ui.test_live import open_live

NODES = 50

pytestmark = pytest.mark.alone


@pytest.fixture(scope="module")
def cluster() -> Iterator[Memkube]:
    """A cluster with many pods on many nodes, in which nothing happens but what the test does."""
    with Memkube(nodes=0, controllers="none") as running:
        running.apply(*(node(number) for number in range(NODES)))
        running.apply(*(placed(number) for number in range(PODS)))
        yield running


def node(number: int) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{number:02}"}}


def placed(number: int) -> dict[str, Any]:
    found = pod(number)
    return found | {"spec": found["spec"] | {"nodeName": f"node-{number % NODES:02}"}}


def test_many_changes_of_pods_on_nodes_leave_frames_short(browser: Browser, page: Page, cluster: Memkube) -> None:
    limit = most_milliseconds(page)
    open_live(page, "/nodes")
    expect(page.locator(".tile")).to_have_count(PODS)
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline", "__metadata"])
    with changing(cluster) as done:
        assert done.wait(SECONDS * 30)
    # Not `expect`, which describes the whole page while it waits: that takes seconds of the page's thread.
    page.wait_for_selector(".tile[data-key='default/last']", state="attached")
    trace = json.loads(browser.stop_tracing())["traceEvents"]
    assert_short(list(main_thread_tasks(trace)), limit)
