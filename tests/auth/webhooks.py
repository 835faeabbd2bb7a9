"""Webhooks for authentication and authorization, and servers that call them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import httpx

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.hooks.listening import LOOPBACK, Certificates, Hook, Received, http, listening

Status: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Function that returns the status of a review for its spec."""
TOKEN = "secret"


@contextmanager
def reviewing(folder: Path, status: Status, **user: Any) -> Iterator[tuple[Hook, Path]]:
    """Run a webhook that answers reviews. Yield the webhook and its kubeconfig, which has the credentials of `user`."""
    certificates = Certificates.make()

    def answer(received: Received) -> bytes:
        review = received.data
        return http(json.dumps({**review, "status": status(review["spec"])}).encode(), "201 Created")

    with listening(certificates.issue(LOOPBACK), answer) as hook:
        yield hook, webhook_kubeconfig(folder, hook.url, certificates.encoded, **user)


def webhook_kubeconfig(folder: Path, url: str, authority: str = "", **user: Any) -> Path:
    """Write a kubeconfig for calling a webhook, and return its path."""
    path = folder / "webhook.json"
    cluster = {"server": url, **({"certificate-authority-data": authority} if authority else {})}
    config = {
        "clusters": [{"name": "webhook", "cluster": cluster}],
        "users": [{"name": "memkube", "user": user}],
        "contexts": [{"name": "webhook", "context": {"cluster": "webhook", "user": "memkube"}}],
        "current-context": "webhook",
    }
    path.write_text(json.dumps(config))
    return path


@contextmanager
def server_with(settings: Settings) -> Iterator[httpx.Client]:
    """Run a server without controllers. Yield a client without credentials.

    The administrator has the token TOKEN.
    """
    users = replace(settings.authentication, token=TOKEN)
    chosen = replace(settings, controllers=(), authentication=users)
    with (
        Server(chosen).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        yield client


def as_user(name: str, *groups: str) -> httpx.Headers:
    """Return headers with which the administrator impersonates a user."""
    named = [("Impersonate-Group", group) for group in groups]
    return httpx.Headers([("Authorization", f"Bearer {TOKEN}"), ("Impersonate-User", name), *named])


def authenticated() -> AuthenticationOptions:
    """Return authentication options with the administrator's token."""
    return AuthenticationOptions(TOKEN)
