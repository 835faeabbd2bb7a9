"""Authentication by bootstrap tokens, with which machines join a cluster."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.server.server import Server
from memkube.server.settings import Settings

ADMIN = {"authorization": "Bearer root"}
SECRETS = "/api/v1/namespaces/kube-system/secrets"
REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
SECRET = "0123456789abcdef"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    authentication = AuthenticationOptions("root", bootstrap_tokens=True)
    settings = Settings(controllers=(), authentication=authentication, authorizers=ConfiguredAuthorizers(("RBAC",)))
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url) as connected:
        yield connected


def user_of(client: httpx.Client, identifier: str, secret: str = SECRET) -> Any:
    headers = {"authorization": f"Bearer {identifier}.{secret}"}
    answer = client.post(REVIEW, json={}, headers=headers)
    return answer.json()["status"]["userInfo"] if answer.status_code == 201 else answer.status_code


def store(client: httpx.Client, identifier: str, **data: str | None) -> None:
    held = {"token-id": identifier, "token-secret": SECRET, "usage-bootstrap-authentication": "true", **data}
    document = {
        "metadata": {"name": f"bootstrap-token-{identifier}"},
        "type": "bootstrap.kubernetes.io/token",
        "stringData": {key: value for key, value in held.items() if value is not None},
    }
    client.post(SECRETS, json=document, headers=ADMIN).raise_for_status()


def test_a_token_names_its_user_and_groups(client: httpx.Client) -> None:
    store(client, "aaaaaa", **{"auth-extra-groups": "system:bootstrappers:kubeadm"})
    assert user_of(client, "aaaaaa") == {
        "username": "system:bootstrap:aaaaaa",
        "groups": ["system:bootstrappers", "system:bootstrappers:kubeadm", "system:authenticated"],
    }


@pytest.mark.parametrize(
    ("identifier", "data"),
    [
        ("bbbbb1", {"usage-bootstrap-authentication": "false"}),
        ("bbbbb2", {"usage-bootstrap-authentication": None}),
        ("bbbbb3", {"expiration": "2020-01-01T00:00:00Z"}),
        ("bbbbb4", {"expiration": "tomorrow"}),
        ("bbbbb5", {"auth-extra-groups": "system:masters"}),
        ("bbbbb6", {"token-id": "other1"}),
    ],
)
def test_a_secret_that_is_no_valid_token_names_nobody(
    client: httpx.Client, identifier: str, data: dict[str, str | None]
) -> None:
    store(client, identifier, **data)
    assert user_of(client, identifier) == 401


def test_a_token_expires_later(client: httpx.Client) -> None:
    store(client, "cccccc", expiration="2999-01-01T00:00:00Z")
    assert user_of(client, "cccccc")["username"] == "system:bootstrap:cccccc"


def test_a_wrong_secret_is_refused(client: httpx.Client) -> None:
    store(client, "dddddd")
    assert user_of(client, "dddddd", "f" * 16) == 401
