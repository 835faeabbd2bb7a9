import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.settings import Settings, StorageOptions

ALICE = {"Authorization": "Bearer alice-token"}
REVIEWS = "/apis/authentication.k8s.io/v1"
UNAUTHORIZED = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Failure",
    "message": "Unauthorized",
    "reason": "Unauthorized",
    "code": 401,
}


def serving(folder: Path, **options: Any) -> Server:
    file = folder / "tokens.csv"
    file.write_text('alice-token,alice,1,"developers"\n')
    return Server(Settings(controllers=(), authentication=AuthenticationOptions(token_file=file, **options)))


@pytest.fixture
def authenticated(tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of a server that knows alice's token and accepts anonymous requests."""
    with (
        serving(tmp_path, anonymous=True).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        yield client


def user(client: httpx.Client, headers: dict[str, str]) -> Any:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = client.post(f"{REVIEWS}/selfsubjectreviews", json=body, headers=headers).raise_for_status()
    return answer.json()["status"]["userInfo"]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_a_token_is_that_of_its_user(authenticated: httpx.Client, scheme: str) -> None:
    found = user(authenticated, {"Authorization": f"{scheme} alice-token"})
    assert found == {"username": "alice", "uid": "1", "groups": ["developers", "system:authenticated"]}


@pytest.mark.parametrize("token", ["ALICE-TOKEN", "alice-toke", '"alice-token"', "a.b.c", "system:anonymous"])
def test_an_unknown_token_is_unauthorized(authenticated: httpx.Client, token: str) -> None:
    answer = authenticated.get("/api", headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()) == (401, UNAUTHORIZED)
    assert "www-authenticate" not in answer.headers


@pytest.mark.parametrize("value", ["Bearer", "alice-token", "Token alice-token", "Basic YWxpY2U6YQ==", "Bearer:a"])
def test_other_credentials_are_those_of_nobody(authenticated: httpx.Client, value: str) -> None:
    assert user(authenticated, {"Authorization": value})["username"] == "system:anonymous"


def test_a_second_space_before_the_token_is_warned_about(authenticated: httpx.Client) -> None:
    answer = authenticated.get("/api", headers={"Authorization": "Bearer  alice-token"})
    assert "extra space before the bearer token" in answer.headers["warning"]


def test_anonymous_clients_are_unauthorized_unless_they_are_accepted(tmp_path: Path) -> None:
    with serving(tmp_path).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        assert [client.get(path).status_code for path in ("/api", "/memkube/v1/clock")] == [401, 401]
        assert client.get("/memkube/v1/clock", headers=ALICE).status_code == 200


@pytest.mark.parametrize(("modes", "status"), [(("RBAC",), 200), (("RBAC", "AlwaysAllow"), 401)])
def test_anonymous_clients_are_refused_if_a_mode_would_allow_them_everything(
    modes: tuple[str, ...], status: int
) -> None:
    settings = Settings(
        controllers=(),
        authorizers=ConfiguredAuthorizers(modes),
        authentication=AuthenticationOptions("secret"),
    )
    with Server(settings).in_thread() as server:
        assert httpx.get(f"{server.url}/healthz", trust_env=False).status_code == status


def test_a_token_of_a_service_account_is_that_of_the_account(authenticated: httpx.Client) -> None:
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    authenticated.post(accounts, json={"metadata": {"name": "builder"}}).raise_for_status()
    issued = authenticated.post(f"{accounts}/builder/token", json={}).raise_for_status().json()
    token = {"Authorization": f"Bearer {issued['status']['token']}"}
    assert user(authenticated, token)["username"] == "system:serviceaccount:default:builder"
    authenticated.delete(f"{accounts}/builder").raise_for_status()
    assert authenticated.get("/api", headers=token).status_code == 401


def test_token_reviews_know_static_tokens(authenticated: httpx.Client) -> None:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": "alice-token"}}
    status = authenticated.post(f"{REVIEWS}/tokenreviews", json=review).json()["status"]
    assert (status["authenticated"], status["user"]["username"]) == (True, "alice")


def test_a_websocket_sends_its_token_as_a_protocol(tmp_path: Path) -> None:
    with serving(tmp_path).in_thread() as server:
        url = f"ws{server.url.removeprefix('http')}/api/v1/namespaces/default/configmaps?watch=1"
        token = (
            "base64url.bearer.authorization.k8s.io." + base64.urlsafe_b64encode(b"alice-token").rstrip(b"=").decode()
        )
        with connect(url, subprotocols=[token, "v4.channel.k8s.io"], proxy=None, open_timeout=60):  # type: ignore[list-item]
            pass
        for protocols in ([token], ["v4.channel.k8s.io"], [token, token, "v4.channel.k8s.io"]):
            with (
                pytest.raises(InvalidStatus) as refused,
                connect(url, subprotocols=protocols, proxy=None, open_timeout=60),  # type: ignore[arg-type]
            ):
                pass
            assert refused.value.response.status_code == 401


def test_refused_credentials_are_in_the_request_log_without_the_token(authenticated: httpx.Client) -> None:
    authenticated.get("/api/v1/pods", headers={"Authorization": "Bearer secret-guess"})
    log = authenticated.get("/memkube/v1/requests").text
    assert '"code":401' in log.replace(" ", "")
    assert "secret-guess" not in log


def test_the_token_of_the_administrator_is_of_the_masters() -> None:
    options = AuthenticationOptions(token="root")
    with (
        Server(Settings(controllers=(), authentication=options)).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        assert "system:masters" in user(client, {"Authorization": "Bearer root"})["groups"]
        assert "root" not in repr(options)


def test_servers_on_one_etcd_check_no_credentials() -> None:
    options = AuthenticationOptions(token="root")
    place = StorageOptions.of("etcd:http://127.0.0.1:1")
    with pytest.raises(ServerError, match="authentication is not supported with storage in etcd"):
        Server(Settings(storage=place, authentication=options))
