"""Logs of containers as they are written, and terminals in them."""

import pytest
from playwright.sync_api import Page, expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from memkube.cluster.synchronous import Memkube

COUNTING = "i=0; while true; do i=$((i+1)); echo line $i; sleep 10; done"
SOCKET = "/ui/terminal/default/talking/socket?container=main"


def pod(name: str, command: str) -> dict[str, object]:
    container = {
        "name": "main",
        "image": "busybox",
        "command": ["sh", "-c", command],
        "ports": [{"containerPort": 8080}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}}


@pytest.fixture(scope="module", autouse=True)
def talking(cluster: Memkube) -> None:
    cluster.apply(pod("talking", COUNTING), pod("broken", "echo config missing; exit 1"))
    cluster.clock.advance(15)


def test_a_log_is_followed(page: Page, cluster: Memkube) -> None:
    page.goto("/ui/api/v1/namespaces/default/pods/talking")
    page.get_by_role("link", name="Logs").click()
    lines = page.locator("#log > span")
    expect(lines.nth(1)).to_have_text("line 2\n")
    before = lines.count()
    cluster.clock.advance(20)
    expect(lines).to_have_count(before + 2)


def test_lines_are_filtered(page: Page) -> None:
    page.goto("/ui/logs/default/talking")
    expect(page.locator("#log > span").nth(1)).to_be_visible()
    page.get_by_label("Lines with").fill("LINE 2")
    expect(page.locator("#log > span").nth(0)).to_be_hidden()
    expect(page.locator("#log > span").nth(1)).to_be_visible()


def test_the_log_of_the_previous_run_is_shown(page: Page) -> None:
    page.goto("/ui/logs/default/broken")
    page.get_by_label("previous run").check()
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**previous=1*")
    expect(page.locator("#log")).to_have_text("config missing\n")
    expect(page.locator("#log-state")).to_have_text("The log has ended.")


def test_a_container_without_a_log_says_why(page: Page, cluster: Memkube) -> None:
    unpulled = pod("unpulled", "true")
    unpulled["metadata"] = {
        "name": "unpulled",
        "annotations": {"memkube.dev/behavior": '{"pullError": "no such image"}'},
    }
    cluster.apply(unpulled)
    cluster.clock.advance(5)
    page.goto("/ui/logs/default/unpulled")
    expect(page.locator(".problem")).to_contain_text("is waiting to start: trying and failing to pull image")


def test_exec_prints_the_user(page: Page) -> None:
    page.goto("/ui/api/v1/namespaces/default/pods/talking")
    page.get_by_role("link", name="Terminal").click()
    expect(page.locator("#terminal-state")).to_have_text("Connected.")
    page.get_by_label("Line to send").fill("id")
    page.keyboard.press("Enter")
    expect(page.locator("#screen")).to_contain_text("uid=0(root) gid=0(root)")
    page.get_by_label("Line to send").fill("exit 3")
    page.keyboard.press("Enter")
    expect(page.locator("#terminal-state")).to_contain_text("exit code 3")


def test_the_command_for_a_port_is_shown(page: Page, cluster: Memkube) -> None:
    page.goto("/ui/terminal/default/talking")
    page.get_by_text("From your own terminal").click()
    expect(page.locator("main")).to_contain_text("kubectl port-forward -n default pod/talking 8080")
    expect(page.locator("main")).to_contain_text(f"{cluster.url}/api/v1/namespaces/default/pods/talking:8080/proxy/")


def test_a_terminal_of_a_page_of_another_origin_is_refused(cluster: Memkube) -> None:
    address = cluster.url.replace("http", "ws") + SOCKET
    protocols = [Subprotocol("v5.channel.k8s.io")]
    with pytest.raises(InvalidStatus, match="403"):
        connect(address, origin=Origin("http://evil.example"), subprotocols=protocols, proxy=None, open_timeout=60)
    with connect(address, origin=Origin(cluster.url), subprotocols=protocols, proxy=None, open_timeout=60) as socket:
        assert socket.recv()
