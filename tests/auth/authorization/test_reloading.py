"""An AuthorizationConfiguration that changes while the server runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube.auth.authorization.configuration import read_authorization_configuration
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.server.settings import Settings
from tests.auth.webhooks import TOKEN, as_user, reviewing, server_with

NODES = "/api/v1/nodes"
METRIC = "apiserver_authorization_config_controller_automatic_reloads_total"
ALLOW = {"type": "AlwaysAllow", "name": "alwaysallow"}
NODE = {"type": "Node", "name": "node"}
RBAC = {"type": "RBAC", "name": "rbac"}


def write(file: Path, *authorizers: dict[str, Any]) -> None:
    head = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthorizationConfiguration"}
    file.write_text(json.dumps({**head, "authorizers": authorizers}))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a configuration with the mode RBAC, which the server checks at each request."""
    monkeypatch.setattr("memkube.auth.authentication.changing_files._PAUSE", 0)
    path = tmp_path / "authorization.yaml"
    write(path, RBAC)
    return path


@pytest.fixture
def client(file: Path) -> Iterator[httpx.Client]:
    chosen = read_authorization_configuration(file)
    with server_with(Settings(authorizers=ConfiguredAuthorizers(chosen.modes, file=chosen.file))) as connected:
        yield connected


def status(client: httpx.Client) -> int:
    return client.get(NODES, headers=as_user("alice")).status_code


def reloads(client: httpx.Client) -> list[str]:
    """Return the lines of the metric about reloads."""
    text = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
    return [line for line in text.splitlines() if line.startswith(METRIC)]


def test_a_changed_file_is_used_without_a_restart(client: httpx.Client, file: Path) -> None:
    assert (status(client), reloads(client)) == (403, [])
    write(file, RBAC, ALLOW)
    assert status(client) == 200
    write(file, RBAC)
    assert status(client) == 403
    assert reloads(client) == [f'{METRIC}{{status="success"}} 2.0']


def webhook(kubeconfig: Path) -> dict[str, Any]:
    webhook = {
        "timeout": "30s",
        "subjectAccessReviewVersion": "v1",
        "failurePolicy": "NoOpinion",
        "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": str(kubeconfig)},
    }
    return {"type": "Webhook", "name": "hook", "webhook": webhook}


def test_a_webhook_can_be_added(client: httpx.Client, file: Path) -> None:
    with reviewing(file.parent, lambda spec: {"allowed": spec["user"] == "alice"}) as (_, kubeconfig):
        write(file, RBAC, webhook(kubeconfig))
        assert status(client) == 200
        assert client.get(NODES, headers=as_user("bob")).status_code == 403


@pytest.mark.parametrize(
    ("authorizers", "why"),
    [
        ([], "authorizers: Required value: at least one authorization mode must be defined"),
        ([ALLOW], "missing required types: [RBAC]"),
        ([ALLOW, RBAC, NODE], "authorizer type Node is not allowed if it was not enabled at initial server startup"),
        ([ALLOW, {**RBAC, "name": "x"}], "expected name rbac for authorizer RBAC instead of x"),
    ],
)
def test_an_invalid_file_leaves_the_previous_authorizers_in_use(
    client: httpx.Client, file: Path, authorizers: list[dict[str, Any]], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(file, *authorizers)
    assert (status(client), status(client)) == (403, 403)
    assert reloads(client) == [f'{METRIC}{{status="failure"}} 1.0']
    assert why in caplog.text


def test_a_server_that_allows_everything_can_get_a_stricter_configuration(file: Path) -> None:
    write(file, ALLOW)
    chosen = read_authorization_configuration(file)
    with (
        reviewing(file.parent, lambda spec: {"allowed": False, "denied": True}) as (_, kubeconfig),
        server_with(Settings(authorizers=ConfiguredAuthorizers(chosen.modes, file=file))) as client,
    ):
        assert status(client) == 200
        write(file, webhook(kubeconfig), ALLOW)
        assert status(client) == 403
