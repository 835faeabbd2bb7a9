import socket
import ssl
from pathlib import Path

import pytest

from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.serving_certificate import ServingCertificate, TlsOptions
from memkube.server.settings import Settings


def handshake(server: Server, context: ssl.SSLContext) -> ssl.SSLSocket:
    context.set_alpn_protocols(["h2", "http/1.1"])
    connection = socket.create_connection((server.host, server.port), 10)
    return context.wrap_socket(connection, server_hostname="localhost")


def test_a_server_is_verified_by_its_authority() -> None:
    with Server(Settings(controllers=(), tls=TlsOptions())).in_thread() as server:
        trusted = ssl.create_default_context(cadata=server.authority.decode())
        with handshake(server, trusted) as connection:
            assert connection.selected_alpn_protocol() == "http/1.1"
        assert server.url == f"https://127.0.0.1:{server.port}"


def test_tls_before_1_2_is_refused() -> None:
    with Server(Settings(controllers=(), tls=TlsOptions())).in_thread() as server:
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        with pytest.warns(DeprecationWarning, match="TLSv1_1"):
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        with pytest.raises(ssl.SSLError):
            handshake(server, old)


def test_given_files_are_used(tmp_path: Path) -> None:
    made = ServingCertificate.of(TlsOptions(), "127.0.0.1")
    options = TlsOptions(tmp_path / "tls.crt", tmp_path / "tls.key")
    (tmp_path / "tls.crt").write_bytes(made.certificate)
    (tmp_path / "tls.key").write_bytes(made.key)
    with Server(Settings(controllers=(), tls=options)).in_thread() as server:
        trusted = ssl.create_default_context(cadata=made.authority.decode())
        handshake(server, trusted).close()


@pytest.mark.parametrize(
    ("certificate", "key", "message"),
    [
        ("tls.crt", None, "must be given together"),
        ("absent", "absent", "cannot read the certificate of the server"),
        ("tls.crt", "tls.crt", "cannot use the certificate of the server"),
    ],
)
def test_files_that_cannot_be_used_are_refused(tmp_path: Path, certificate: str, key: str | None, message: str) -> None:
    (tmp_path / "tls.crt").write_bytes(ServingCertificate.of(TlsOptions(), "127.0.0.1").certificate)
    options = TlsOptions(tmp_path / certificate, None if key is None else tmp_path / key)
    with pytest.raises(ServerError, match=message):
        Server(Settings(controllers=(), tls=options))
