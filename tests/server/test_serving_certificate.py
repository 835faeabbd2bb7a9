import socket
import ssl
from pathlib import Path

import pytest

from memkube.endpoints.filters.origins import OriginOptions
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.serving_certificate import CertificateFiles, TlsOptions
from memkube.server.settings import Settings
from tests.auth.certificates import Authority, client_of


def handshake(server: Server, context: ssl.SSLContext, name: str = "localhost") -> ssl.SSLSocket:
    context.set_alpn_protocols(["h2", "http/1.1"])
    connection = socket.create_connection((server.host, server.port), 60)
    return context.wrap_socket(connection, server_hostname=name)


def test_a_server_is_verified_by_its_authority() -> None:
    with Server(Settings(controllers=(), tls=TlsOptions())).in_thread() as server:
        trusted = ssl.create_default_context(cadata=server.authority.decode())
        with handshake(server, trusted) as connection:
            assert connection.selected_alpn_protocol() == "http/1.1"
        assert server.url == f"https://127.0.0.1:{server.port}"


def test_the_generated_certificate_has_the_allowed_hosts() -> None:
    origins = OriginOptions(allowed_hosts=("api.example.com", "*.example.org"))
    with Server(Settings(controllers=(), tls=TlsOptions(), origins=origins)).in_thread() as server:
        trusted = ssl.create_default_context(cadata=server.authority.decode())
        handshake(server, trusted, "api.example.com").close()
        with pytest.raises(ssl.SSLCertVerificationError, match=r"not valid for 'www\.example\.org'"):
            handshake(server, trusted, "www.example.org")


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
    authority = Authority.created("serving")
    options = TlsOptions(*authority.server("localhost").written(tmp_path, "tls"))
    with Server(Settings(controllers=(), tls=options)).in_thread() as server:
        handshake(server, ssl.create_default_context(cadata=authority.own.pem.decode())).close()


def test_a_client_gets_the_certificate_of_the_name_that_it_asks_for(tmp_path: Path) -> None:
    authority = Authority.created("serving")
    names = ("example.com", "*.example.com", "chosen.org", "other.example.com")
    files = [authority.server(name).written(tmp_path, f"tls{index}") for index, name in enumerate(names)]
    named = (CertificateFiles(*files[0]), CertificateFiles(*files[1]), CertificateFiles(*files[2], ("chosen.org",)))
    # The second certificate also contains this name, but a name given as an option takes precedence.
    options = TlsOptions(named=(*named, CertificateFiles(*files[3], ("other.example.com",))))
    trusted = ssl.create_default_context(cadata=authority.own.pem.decode())
    with Server(Settings(controllers=(), tls=options)).in_thread() as server:
        for name in ("example.com", "Any.example.com", "chosen.org", "other.example.com"):
            handshake(server, trusted, name).close()
        with pytest.raises(ssl.SSLCertVerificationError):
            handshake(server, trusted, "two.any.example.com")


@pytest.mark.parametrize("text", ["cert", "cert,", "cert,key:", "cert,key,more", "cert,key:127.0.0.1"])
def test_malformed_options_of_named_certificates_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=text):
        CertificateFiles.of(text)


def test_files_are_read_again_when_they_have_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkube.auth.authentication.changing_files._PAUSE", 0)
    authority, other = Authority.created("serving"), Authority.created("renewed")
    options = TlsOptions(*authority.server("localhost").written(tmp_path, "tls"))
    trusted = ssl.create_default_context(cadata=authority.own.pem.decode())
    with Server(Settings(controllers=(), tls=options)).in_thread() as server:
        handshake(server, trusted).close()
        # The certificate does not match the key file, as in the middle of a renewal, so the old pair is used.
        renewed = other.server("localhost")
        (tmp_path / "tls.crt").write_bytes(renewed.pem)
        handshake(server, trusted).close()
        renewed.written(tmp_path, "tls")
        handshake(server, ssl.create_default_context(cadata=other.own.pem.decode())).close()


def test_a_large_response_arrives_whole(tmp_path: Path) -> None:
    with (
        Server(Settings(controllers=(), tls=TlsOptions())).in_thread() as server,
        client_of(server, tmp_path) as client,
    ):
        body = {"metadata": {"name": "large"}, "data": {"text": "x" * 900_000}}
        path = "/api/v1/namespaces/default/configmaps"
        client.post(path, json=body).raise_for_status()
        for name in ("two", "three", "four"):
            body["metadata"] = {"name": name}
            client.post(path, json=body).raise_for_status()
        assert sum(len(one["data"]["text"]) for one in client.get(path).json()["items"]) == 3_600_000


@pytest.mark.parametrize(
    ("certificate", "key", "message"),
    [
        ("tls.crt", None, "must be given together"),
        ("absent", "absent", "cannot read the certificate of the server"),
        ("tls.crt", "tls.crt", "cannot use the certificate of the server"),
    ],
)
def test_files_that_cannot_be_used_are_refused(tmp_path: Path, certificate: str, key: str | None, message: str) -> None:
    Authority.created().server("localhost").written(tmp_path, "tls")
    options = TlsOptions(tmp_path / certificate, None if key is None else tmp_path / key)
    with pytest.raises(ServerError, match=message):
        Server(Settings(controllers=(), tls=options))
