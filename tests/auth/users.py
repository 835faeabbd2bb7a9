"""A server with authorization, and its clients as different users."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from memkube.admission.available import selected_plugins
from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.server.server import Server
from memkube.server.settings import Settings

AUTHENTICATED = "system:authenticated"
MASTERS = "system:masters"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
SELECT_ALICE = {"kind": "User", "name": "alice", "apiGroup": "rbac.authorization.k8s.io"}

_TOKEN = "secret"


class Users:
    """Sends requests to one server as different users."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def headers(self, name: str, *groups: str) -> httpx.Headers:
        """Return the headers with which the administrator impersonates this user."""
        impersonated = [("Impersonate-Group", group) for group in (*groups, AUTHENTICATED)]
        return httpx.Headers([("Impersonate-User", name), *impersonated])

    def send(self, user: str, method: str, path: str, body: Any = None, groups: tuple[str, ...] = ()) -> httpx.Response:
        """Send a request as this user."""
        return self._client.request(method, path, json=body, headers=self.headers(user, *groups))

    def admin(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Send a request as a user of the group system:masters."""
        return self.send("admin", method, path, body, (MASTERS,)).raise_for_status()

    def grant(self, namespace: str, rules: list[dict[str, list[str]]], name: str = "reader") -> None:
        """Create a Role, and bind it to the user alice."""
        path = f"{RBAC}/namespaces/{namespace}"
        self.admin("POST", f"{path}/roles", {"metadata": {"name": name}, "rules": rules})
        reference = {"kind": "Role", "name": name, "apiGroup": "rbac.authorization.k8s.io"}
        self.admin(
            "POST",
            f"{path}/rolebindings",
            {"metadata": {"name": name}, "roleRef": reference, "subjects": [SELECT_ALICE]},
        )

    def namespace(self, name: str) -> str:
        """Create a namespace, and return its name."""
        self.admin("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        return name


@contextmanager
def authorized_server(*modes: str, plugins: tuple[str, ...] = ()) -> Iterator[Users]:
    """Run a server with these authorization modes and additional admission plugins, but without controllers.

    Its clients send an administrator's token, and impersonate other users.
    """
    settings = Settings(
        controllers=(),
        authorizers=ConfiguredAuthorizers(modes),
        authentication=AuthenticationOptions(_TOKEN),
        admission_plugins=selected_plugins(",".join(plugins), "", have_accounts=False),
    )
    credentials = {"Authorization": f"Bearer {_TOKEN}"}
    with (
        Server(settings).in_thread() as server,
        httpx.Client(base_url=server.url, headers=credentials, trust_env=False) as client,
    ):
        yield Users(client)
