import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authentication.request_headers import RequestHeaderOptions
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.serving_certificate import TlsOptions
from memkube.server.settings import Settings
from tests.auth.authentication.test_authenticator import UNAUTHORIZED, user
from tests.auth.certificates import Authority, Signed, client_of

PROXIES = Authority.created("proxies")
CLIENTS = Authority.created("clients")
PROXY = PROXIES.client("front-proxy")
ALICE = {"X-Remote-User": "alice", "X-Remote-Group": "developers", "X-Remote-Uid": "7"}
TOKEN = {"Authorization": "Bearer root"}


def settings(folder: Path, **options: Any) -> Settings:
    """Return settings with CAs for clients and for authenticating proxies.

    A proxy's certificate must have the name front-proxy.
    """
    headers = {
        "allowed_names": ("front-proxy",),
        "username_headers": ("X-Other-User", "X-Remote-User"),
        "uid_headers": ("X-Remote-Uid",),
        "group_headers": ("X-Remote-Group", "X-Other-Group"),
        "extra_prefixes": ("X-Remote-Extra-",),
    }
    proxies = RequestHeaderOptions(PROXIES.own.written(folder, "proxies")[0], **headers | options)
    clients = CLIENTS.own.written(folder, "clients")[0]
    users = AuthenticationOptions("root", client_ca_file=clients, request_headers=proxies, anonymous=True)
    return Settings(controllers=(), tls=TlsOptions(), authentication=users)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with Server(settings(folder)).in_thread() as running:
        yield running


def test_a_proxy_names_the_user_in_headers(server: Server, folder: Path) -> None:
    headers = [
        *ALICE.items(),
        ("x-other-group", "testers"),
        ("X-Remote-Group", "writers"),
        ("X-Remote-Extra-Acme.com%2FProject", "one"),
        ("X-Remote-Extra-acme.com%2fproject", "two"),
    ]
    with client_of(server, folder, PROXY) as client:
        assert user(client, headers) == {  # type: ignore[arg-type]  # httpx accepts a list as well
            "username": "alice",
            "uid": "7",
            "groups": ["developers", "writers", "testers", "system:authenticated"],
            "extra": {"acme.com/project": ["one", "two"]},
        }


def test_the_first_header_with_a_name_counts(server: Server, folder: Path) -> None:
    with client_of(server, folder, PROXY) as client:
        assert user(client, {**ALICE, "X-Other-User": "bob"})["username"] == "bob"
        assert user(client, {**ALICE, "X-Other-User": ""})["username"] == "alice"


@pytest.mark.parametrize("signed", [None, CLIENTS.client("carol")], ids=["none", "client"])
def test_headers_count_for_nothing_without_the_certificate_of_a_proxy(
    server: Server, folder: Path, signed: Signed | None
) -> None:
    with client_of(server, folder, signed) as client:
        assert user(client, ALICE)["username"] == ("carol" if signed else "system:anonymous")
        expected = "carol" if signed else "kubernetes-admin"
        assert user(client, {**ALICE, **TOKEN})["username"] == expected


@pytest.mark.parametrize(
    "signed",
    [PROXIES.client("other"), PROXIES.client("front-proxy", days=(-3, -1)), Authority.created().client("front-proxy")],
    ids=["name", "expired", "authority"],
)
def test_a_proxy_that_is_not_valid_is_unauthorized(server: Server, folder: Path, signed: Signed) -> None:
    with client_of(server, folder, signed) as client:
        answer = client.get("/api", headers=ALICE)
    assert (answer.status_code, answer.json()) == (401, UNAUTHORIZED)


def test_the_certificate_of_a_proxy_names_no_user(server: Server, folder: Path) -> None:
    with client_of(server, folder, PROXY) as client:
        assert client.get("/api").status_code == 401
        assert user(client, TOKEN)["username"] == "kubernetes-admin"


def test_all_names_of_proxies_are_allowed_if_none_is_given(tmp_path: Path) -> None:
    with (
        Server(settings(tmp_path, allowed_names=())).in_thread() as server,
        client_of(server, tmp_path, PROXIES.client("other")) as client,
    ):
        assert user(client, ALICE)["username"] == "alice"


def test_authorities_of_clients_and_proxies_do_not_overlap(tmp_path: Path) -> None:
    chosen = settings(tmp_path, allowed_names=())
    (tmp_path / "proxies.crt").write_bytes(PROXIES.own.pem + CLIENTS.own.pem)
    with pytest.raises(ServerError, match="--requestheader-allowed-names must be specified"):
        Server(chosen)


def test_an_empty_name_of_a_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match='empty value in "requestheader-group-headers"'):
        Server(settings(tmp_path, group_headers=("X-Remote-Group", " ")))


def test_proxies_need_tls(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="client certificates need TLS"):
        Server(dataclasses.replace(settings(tmp_path), tls=None))
