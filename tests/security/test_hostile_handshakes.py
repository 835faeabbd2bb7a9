"""TLS connections of attackers: malformed, expensive or with misleading certificates."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from OpenSSL import SSL

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.server.server import Server
from memkube.server.serving_certificate import TlsOptions
from memkube.server.settings import Settings
from tests.auth.certificates import Authority, client_of
from tests.security.exchanges import exchanged

CLIENTS = Authority.created()
IMPOSTOR = Authority.created("clients")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    authentication = AuthenticationOptions(client_ca_file=CLIENTS.own.written(folder, "ca")[0])
    with Server(Settings(controllers=(), tls=TlsOptions(), authentication=authentication)).in_thread() as running:
        yield running


def works(server: Server, folder: Path) -> bool:
    with client_of(server, folder, CLIENTS.client()) as client:
        return client.get("/version").status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\0" * 1000,
        b"\x16\x03\x01\xff\xff" + b"\1" * 1000,
        b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00",
        b"\x17\x03\x03\x00\x01\x00",
        b"\x15\x03\x03\x00\x02\x02\x28",
    ],
    ids=["HTTP", "zeros", "a long record", "a short hello", "data", "an alert"],
)
def test_garbage_ends_only_its_own_connection(server: Server, folder: Path, sent: bytes) -> None:
    assert b"HTTP/1.1 200" not in exchanged(server, sent)
    assert works(server, folder)


def test_a_handshake_that_is_cut_off_ends_only_its_own_connection(server: Server, folder: Path) -> None:
    context = ssl.create_default_context(cadata=server.authority.decode())
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    hello = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        hello.do_handshake()
    sent = outgoing.read()
    for length in (1, len(sent) // 2, len(sent)):
        with socket.create_connection((server.host, server.port), 60) as connection:
            connection.sendall(sent[:length])
    assert works(server, folder)


def test_a_client_cannot_renegotiate(server: Server) -> None:
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    context.set_max_proto_version(SSL.TLS1_2_VERSION)
    with socket.create_connection((server.host, server.port), 60) as plain:
        plain.settimeout(None)
        connection = SSL.Connection(context, plain)
        connection.set_connect_state()
        connection.do_handshake()
        assert connection.renegotiate()
        with pytest.raises(SSL.Error):
            connection.do_handshake()


def test_an_authority_of_the_same_name_signs_nothing(server: Server, folder: Path) -> None:
    forged = IMPOSTOR.client("administrator", ["system:masters"])
    with client_of(server, folder, forged) as client:
        assert client.get("/version").status_code == 401


def test_a_certificate_of_the_server_is_none_of_a_client(server: Server, folder: Path) -> None:
    with client_of(server, folder, CLIENTS.server("localhost")._replace(issuers=())) as client:
        # The certificate has no common name, so it identifies no user.
        assert client.get("/version").status_code == 401
