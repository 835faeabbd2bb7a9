"""Audit events that are posted to a webhook."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube.endpoints.auditing.options import AuditOptions, AuditWebhookOptions
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.auth.webhooks import webhook_kubeconfig
from tests.hooks.listening import LOOPBACK, Certificates, Hook, Received, http, listening

POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
"""


@contextmanager
def audited(
    folder: Path, answer: Callable[[Received], bytes] = lambda _: http(b"{}"), **options: Any
) -> Iterator[tuple[httpx.Client, Hook]]:
    """Run a server that audits to a webhook alone."""
    certificates = Certificates.make()
    (folder / "policy.yaml").write_text(POLICY)
    with listening(certificates.issue(LOOPBACK), answer) as hook:
        kubeconfig = webhook_kubeconfig(folder, hook.url, certificates.encoded, token="t")
        webhook = AuditWebhookOptions(kubeconfig, **options)
        settings = Settings(controllers=(), audit=AuditOptions(folder / "policy.yaml", "", webhook=webhook))
        with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as client:
            yield client, hook


def uris(received: Received) -> list[str]:
    return [event["requestURI"] for event in received.data["items"]]


def test_a_full_batch_is_posted_as_an_event_list(tmp_path: Path) -> None:
    with audited(tmp_path, batch_size=2) as (client, hook):
        for path in ("/version", "/api"):
            client.get(path)
        received = hook.received.get(timeout=60)
    assert (received.data["kind"], received.data["apiVersion"]) == ("EventList", "audit.k8s.io/v1")
    assert uris(received) == ["/version", "/api"]


def test_a_batch_that_is_not_full_is_posted_after_the_wait(tmp_path: Path) -> None:
    with audited(tmp_path, batch_seconds=0.05) as (client, hook):
        client.get("/version")
        assert uris(hook.received.get(timeout=60)) == ["/version"]


def test_events_that_wait_are_posted_when_the_server_stops(tmp_path: Path) -> None:
    with audited(tmp_path) as (client, hook):
        client.get("/version")
        assert hook.received.empty()
    assert uris(hook.received.get(timeout=60)) == ["/version"]


@pytest.mark.parametrize("status", ["429 Too Many Requests", "500 Internal Server Error"])
def test_a_batch_that_fails_is_posted_again(status: str, tmp_path: Path) -> None:
    answers = iter([status, "200 OK"])
    with audited(tmp_path, lambda _: http(b"{}", next(answers)), batch_size=1, backoff_seconds=0.01) as (client, hook):
        client.get("/version")
        first, second = (hook.received.get(timeout=60) for _ in range(2))
    assert json.dumps(first.data) == json.dumps(second.data)


def test_a_batch_that_is_refused_is_lost_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with audited(tmp_path, lambda _: http(b"{}", "403 Forbidden"), batch_size=1) as (client, _):
        client.get("/version")
    assert "1 audit events are lost: the webhook answered with status 403" in caplog.text


def test_events_beyond_the_buffer_are_dropped_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with audited(tmp_path, buffer_size=2) as (client, hook):
        for _ in range(3):
            client.get("/version")
    assert len(hook.received.get(timeout=60).data["items"]) == 2
    assert "1 audit events are lost: the buffer was full" in caplog.text
