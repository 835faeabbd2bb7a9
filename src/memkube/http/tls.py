"""TLS settings of the server, whose handshakes accept any client certificate.

Python's ``ssl`` aborts a handshake if it cannot verify the client's certificate. kube-apiserver finishes the handshake,
and answers requests with 401. So connections use pyOpenSSL, in which a callback can accept any certificate; the
application verifies it later.
"""

import ssl
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from OpenSSL import SSL, crypto

_PROTOCOL: Final = b"http/1.1"
_SESSIONS: Final = b"memkube"


class KeyPair(NamedTuple):
    """The server's certificate, followed by the certificates of its issuers, and its private key, both in PEM."""

    certificate: bytes
    key: bytes


def server_settings(
    default: KeyPair, named: Mapping[str, KeyPair], authorities: Sequence[x509.Certificate] | None
) -> SSL.Context:
    """Return the settings of the server's side of connections: TLS 1.2 and later, and HTTP/1.1 by ALPN.

    `named` has certificates for host names, such as ``api.example.com`` or ``*.example.com``. A client that asks for
    another name, or for none, gets the default certificate. With `authorities`, clients are asked for a certificate of
    these authorities, but connections with any certificate or none are accepted.

    Raises ValueError with a one-line message if a key does not fit its certificate, or if a key or certificate is
    malformed.
    """
    settings = _settings(default, authorities)
    # Host names with the same certificate share one TLS context.
    made = {pair: _settings(pair, authorities) for pair in set(named.values())}
    by_name = {name.lower().encode(): made[pair] for name, pair in named.items()}

    def choose(connection: SSL.Connection) -> None:
        name = (connection.get_servername() or b"").lower().rstrip(b".")
        chosen = by_name.get(name) or by_name.get(b"*." + name.partition(b".")[2])
        if chosen is not None:
            connection.set_context(chosen)

    if by_name:
        settings.set_tlsext_servername_callback(choose)
    return settings


def _settings(pair: KeyPair, authorities: Sequence[x509.Certificate] | None) -> SSL.Context:
    settings = SSL.Context(SSL.TLS_SERVER_METHOD)
    settings.set_min_proto_version(SSL.TLS1_2_VERSION)
    # TLS sessions are not resumed, because a session ticket contains the client's certificate without the certificates
    # of its issuers.
    settings.set_session_cache_mode(SSL.SESS_CACHE_OFF)
    settings.set_session_id(_SESSIONS)
    settings.set_options(ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_TICKET | ssl.OP_NO_COMPRESSION)
    settings.set_alpn_select_callback(_select_protocol)
    if authorities is not None:
        settings.set_verify(SSL.VERIFY_PEER, _accept)
        for authority in authorities:
            settings.add_client_ca(authority)
    try:
        own, *issuers = x509.load_pem_x509_certificates(pair.certificate)
        settings.use_certificate(own)
        for issuer in issuers:
            settings.add_extra_chain_cert(issuer)
        settings.use_privatekey(load_pem_private_key(pair.key, None))  # type: ignore[arg-type]  # refuses other keys
        settings.check_privatekey()
    except (ValueError, TypeError, UnsupportedAlgorithm, SSL.Error) as error:
        raise ValueError(f"cannot use the certificate of the server: {openssl_reason(error)}") from None
    return settings


def sent_certificates(connection: SSL.Connection) -> tuple[bytes, ...]:
    """Return the certificates that the client has sent in the handshake, in DER, its own certificate first.

    The certificates are not verified. The tuple is empty if the server did not ask the client for certificates.
    """
    own = connection.get_peer_certificate()
    if own is None:
        return ()
    # For a server, OpenSSL's peer chain has only the issuers, so the client's own certificate is put before them. The
    # package cryptography is not used, because it refuses some certificates that OpenSSL accepts.
    issuers = connection.get_peer_cert_chain() or []
    return tuple(crypto.dump_certificate(crypto.FILETYPE_ASN1, certificate) for certificate in (own, *issuers))


def openssl_reason(error: Exception) -> str:
    """Return OpenSSL's reason for an error, such as ``no shared cipher``."""
    reasons = error.args[0] if error.args else ""
    return str(reasons[-1][-1]) if isinstance(reasons, list) and reasons else str(error) or type(error).__name__


def _accept(*_: object) -> bool:
    """Accept any certificate of a client. The certificate is verified when a request is authenticated."""
    return True


def _select_protocol(_: SSL.Connection, offered: list[bytes]) -> Any:
    return _PROTOCOL if _PROTOCOL in offered else SSL.NO_OVERLAPPING_PROTOCOLS
