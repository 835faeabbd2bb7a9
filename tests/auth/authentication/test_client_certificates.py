import socket
import ssl
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import Certificate
from cryptography.x509.oid import ExtendedKeyUsageOID
from websockets.asyncio.client import connect

from memkube.auth.authentication.certificate_authorities import CertificateAuthorities
from memkube.auth.authentication.client_certificates import ClientCertificates
from memkube.auth.authentication.options import AuthenticationOptions
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.serving_certificate import TlsOptions
from memkube.server.settings import Settings
from tests.auth.authentication.test_authenticator import UNAUTHORIZED, user
from tests.auth.certificates import CLIENT_AUTH, Authority, Signed, client_of, context_of

AUTHORITY = Authority.created()
STRANGER = Authority.created()
BOB = AUTHORITY.client("bob")
TOKEN = {"Authorization": "Bearer root"}


def settings(folder: Path, **options: Any) -> Settings:
    file = folder / "ca.crt"
    file.write_bytes(AUTHORITY.own.pem)
    authentication = AuthenticationOptions("root", client_ca_file=file, **options)
    return Settings(controllers=(), tls=TlsOptions(), authentication=authentication)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with Server(settings(folder, anonymous=True)).in_thread() as running:
        yield running


def status(server: Server, folder: Path, signed: Signed | None, **headers: str) -> tuple[int, Any]:
    with client_of(server, folder, signed) as client:
        answer = client.get("/api", headers=headers)
        return answer.status_code, answer.json()


def test_a_certificate_names_its_user(server: Server, folder: Path) -> None:
    signed = AUTHORITY.client("alice", ["developers", "testers"], ["4711"])
    with client_of(server, folder, signed) as client:
        found = user(client, {})
    assert found == {
        "username": "alice",
        "uid": "4711",
        "groups": ["developers", "testers", "system:authenticated"],
        "extra": {
            "authentication.kubernetes.io/credential-id": [
                f"X509SHA256={signed.certificate.fingerprint(SHA256()).hex()}"
            ]
        },
    }


@pytest.mark.parametrize(
    "signed",
    [
        STRANGER.client(),
        AUTHORITY.client(days=(-3, -1)),
        AUTHORITY.client(days=(1, 3)),
        AUTHORITY.client(usage=ExtendedKeyUsageOID.SERVER_AUTH),
        AUTHORITY.client(uids=["1", "2"]),
        STRANGER.intermediate().client(),
        AUTHORITY.intermediate().client()._replace(issuers=()),
        # A client's certificate cannot sign other certificates.
        Authority(BOB).client()._replace(issuers=(BOB.certificate,)),
        # The certificate is signed by a different CA than the one that it names as issuer.
        Authority(STRANGER.own._replace(certificate=AUTHORITY.own.certificate)).client(),
    ],
    ids=[
        "unknown authority",
        "expired",
        "not yet valid",
        "usage",
        "two uids",
        "unknown root",
        "gap",
        "no authority",
        "signature",
    ],
)
def test_a_certificate_that_is_not_valid_is_unauthorized(server: Server, folder: Path, signed: Signed) -> None:
    assert status(server, folder, signed) == (401, UNAUTHORIZED)


def test_a_certificate_of_an_unknown_version_is_unauthorized(server: Server, folder: Path) -> None:
    signed, context = AUTHORITY.client(), context_of(server, folder)
    der = signed.certificate.public_bytes(Encoding.DER).replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x1a")
    file = folder / "version.pem"
    file.write_text(ssl.DER_cert_to_PEM_cert(der) + signed.key_pem.decode())
    context.load_cert_chain(file)
    with httpx.Client(base_url=server.url, verify=context, trust_env=False) as client:
        assert client.get("/api").status_code == 401


@pytest.mark.parametrize("usage", [CLIENT_AUTH, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE, None])
def test_a_certificate_for_any_usage_is_valid(server: Server, folder: Path, usage: Any) -> None:
    with client_of(server, folder, AUTHORITY.client(usage=usage)) as client:
        assert user(client, {})["username"] == "alice"


def test_a_client_may_send_the_certificates_of_its_issuers(server: Server, folder: Path) -> None:
    with client_of(server, folder, AUTHORITY.intermediate().client()) as client:
        assert user(client, {})["username"] == "alice"


def test_a_certificate_without_a_common_name_is_that_of_nobody(server: Server, folder: Path) -> None:
    with client_of(server, folder, AUTHORITY.client("", ["developers"])) as client:
        assert user(client, {})["username"] == "system:anonymous"


def test_a_certificate_counts_before_a_token(server: Server, folder: Path) -> None:
    with client_of(server, folder, AUTHORITY.client()) as client:
        assert user(client, TOKEN)["username"] == "alice"
        assert user(client, {"Authorization": "Bearer wrong"})["username"] == "alice"


def test_a_token_counts_if_the_certificate_is_not_valid(server: Server, folder: Path) -> None:
    with client_of(server, folder, STRANGER.client()) as client:
        assert user(client, TOKEN)["username"] == "kubernetes-admin"
        assert client.get("/api", headers={"Authorization": "Bearer wrong"}).status_code == 401


def test_a_client_needs_no_certificate(server: Server, folder: Path) -> None:
    with client_of(server, folder) as client:
        assert [user(client, headers)["username"] for headers in (TOKEN, {})] == [
            "kubernetes-admin",
            "system:anonymous",
        ]


def test_each_trusted_certificate_is_an_authority(tmp_path: Path) -> None:
    trusted = Authority.created().intermediate()
    chosen = settings(tmp_path)
    (tmp_path / "ca.crt").write_bytes(STRANGER.own.pem + trusted.own.pem)
    with Server(chosen).in_thread() as server, client_of(server, tmp_path, trusted.client()) as client:
        assert user(client, {})["username"] == "alice"


def test_a_certificate_is_valid_by_the_clock_of_the_server(tmp_path: Path) -> None:
    stepped = replace(settings(tmp_path), clock="stepped")
    with Server(stepped).in_thread() as server, client_of(server, tmp_path, AUTHORITY.client()) as client:
        assert client.get("/api").status_code == 200
        server.advance(2 * 24 * 3600)
        assert client.get("/api").status_code == 401


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_resumed_session_has_the_certificate(server: Server, folder: Path, version: ssl.TLSVersion) -> None:
    context = context_of(server, folder, AUTHORITY.intermediate().client())
    context.maximum_version = version
    session = None
    for _ in range(2):
        plain = socket.create_connection((server.host, server.port), 60)
        with context.wrap_socket(plain, server_hostname="localhost", session=session) as connection:
            connection.sendall(b"GET /api HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer wrong\r\n\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
            session = connection.session


# The blocking client of websockets uses a TLS connection in two threads, and hangs at times.
@pytest.mark.anyio
async def test_a_websocket_has_the_user_of_its_certificate(server: Server, folder: Path) -> None:
    url = f"ws{server.url.removeprefix('http')}/api/v1/namespaces/default/configmaps?watch=1"
    async with connect(url, ssl=context_of(server, folder, AUTHORITY.client()), proxy=None, open_timeout=60):
        pass
    with client_of(server, folder) as client:
        log = client.get("/memkube/v1/requests", headers=TOKEN).json()
    assert any(one["verb"] == "watch" and one["user"].startswith("alice") for one in log["items"])


def test_clients_have_certificates_over_tls_only(tmp_path: Path) -> None:
    plain = settings(tmp_path)
    with pytest.raises(ServerError, match="client certificates need TLS"):
        Server(Settings(authentication=plain.authentication))


@pytest.mark.parametrize("content", [None, b"", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_a_file_without_certificates_is_refused(tmp_path: Path, content: bytes | None) -> None:
    chosen = settings(tmp_path)
    (tmp_path / "ca.crt").unlink()
    if content is not None:
        (tmp_path / "ca.crt").write_bytes(content)
    with pytest.raises(ServerError, match="cannot read the certificate authorities"):
        Server(chosen)


def test_so_many_certificates_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkube.auth.authentication.client_certificates._MOST_KNOWN", 2)
    verified: list[Certificate] = []
    authorities = CertificateAuthorities(AUTHORITY.own.written(tmp_path, "ca")[0])
    certificates = ClientCertificates(authorities, lambda: datetime.now(UTC), verified.append)
    chains = [(AUTHORITY.client().certificate.public_bytes(Encoding.DER),) for _ in range(3)]
    for number in (0, 0, 1, 2, 2, 1, 0):
        certificates.verified(chains[number])
    assert len(verified) == 4
