"""TLS connections of the server, whose handshakes accept any client certificate.

Python's ``ssl`` aborts a handshake if it cannot verify the client's certificate. kube-apiserver finishes the handshake,
and answers requests with 401. So connections use pyOpenSSL, in which a callback can accept any certificate; the
application verifies it later.
"""

import ssl
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.bindings.openssl.binding import Binding
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from OpenSSL import SSL, crypto

_PROTOCOL: Final = b"http/1.1"
_HEAD: Final = 5
"""Number of bytes before the content of a TLS record. The last two are the length of the content."""
_LARGEST: Final = 16 * 1024
"""Maximum number of bytes of a TLS record's content."""
_OVERHEAD: Final = 64
"""Maximum number of bytes by which a TLS record is longer than its content."""
_PIECE: Final = 256 * 1024
"""Maximum number of bytes that are encrypted in one write."""
_SESSIONS: Final = b"memkube"
_forget_errors: Final = Binding().lib.ERR_clear_error
"""Function that empties OpenSSL's queue of errors.

Otherwise an operation that has to wait would report an earlier error, for example that of a refused client certificate.
"""


class KeyPair(NamedTuple):
    """The server's certificate, followed by the certificates of its issuers, and its private key, both in PEM."""

    certificate: bytes
    key: bytes


class TlsContext(ssl.SSLContext):
    """Creates the TLS connections of an event loop. A connection gets the settings that are current when it begins.

    Event loops use this class in place of ``ssl.SSLContext``: they call `wrap_bio` for each connection. The
    inherited settings have no effect.
    """

    def __new__(cls, *_: object) -> Self:
        return super().__new__(cls, ssl.PROTOCOL_TLS_SERVER)

    def __init__(self, current: Callable[[], SSL.Context]) -> None:
        self._settings = current

    def wrap_bio(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, *_: Any, **__: Any) -> Any:
        """Return the server's side of a new TLS connection; `incoming` and `outgoing` buffer its encrypted bytes."""
        return TlsConnection(self._settings(), incoming, outgoing)


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
        raise ValueError(f"cannot use the certificate of the server: {_reason(error)}") from None
    return settings


class TlsConnection:
    """A pyOpenSSL connection with the methods of ``ssl.SSLObject`` that event loops call.

    All methods raise SSLWantReadError if more bytes of the client are needed, and SSLError if the connection fails.
    """

    def __init__(self, context: SSL.Context, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._connection = SSL.Connection(context)
        self._connection.set_accept_state()
        self._may_have_more = False
        self._received = 0

    def do_handshake(self) -> None:
        """Continue the TLS handshake with the bytes received so far. Return when the handshake is complete."""
        self._receive()
        _forget_errors()
        try:
            self._connection.do_handshake()
        except SSL.Error as error:
            raise self._failure(error) from None
        self._send()

    def read(self, size: int = _LARGEST, buffer: Any = None) -> Any:
        """Return decrypted bytes, or write them into `buffer` and return their number.

        At the end of the connection, return no bytes or 0.
        """
        self._receive()
        _forget_errors()
        try:
            if buffer is not None:
                return self._connection.recv_into(buffer, size)
            # The buffer is only as large as necessary, because large buffers take longer to allocate than to fill.
            # Decrypted data is never longer than encrypted data.
            return self._connection.recv(min(size, _LARGEST, self._received or size))
        except SSL.ZeroReturnError:
            self._may_have_more = False
            return b"" if buffer is None else 0
        except SSL.Error as error:
            raise self._failure(error) from None

    def write(self, data: Any) -> int:
        """Encrypt bytes. Return the number of bytes that were encrypted, which may be fewer than given."""
        if not data:
            return 0  # OpenSSL would fail, because it cannot encrypt an empty piece.
        _forget_errors()
        wanted = min(len(data), _PIECE)
        try:
            written = self._connection.send(data)
            while written < wanted:
                written += self._connection.send(memoryview(data)[written:wanted])
        except SSL.Error as error:
            raise self._failure(error) from None
        self._send(written + _OVERHEAD * (written // _LARGEST + 1))
        return written

    def pending(self) -> int:
        """Return a positive number if `read` may return bytes now; 0 if it needs more bytes from the client."""
        return self._connection.pending() or self._may_have_more

    def unwrap(self) -> None:
        """Send the close_notify alert, and wait for the client's. Raises SSLWantReadError until it has arrived."""
        self._receive()
        _forget_errors()
        try:
            is_over = self._connection.shutdown()
        except SSL.Error as error:
            raise self._failure(error) from None
        self._send()
        if not is_over:
            raise ssl.SSLWantReadError

    def getpeercert(self, binary_form: bool = False) -> None:
        """Return None, because the handshake does not verify certificates. See `get_unverified_chain`."""

    def get_unverified_chain(self) -> list[bytes]:
        """Return the certificates that the client has sent, in DER, beginning with its own."""
        own = self._connection.get_peer_certificate()
        if own is None:
            return []
        # For a server, OpenSSL's peer chain has only the issuers, so the client's own certificate is put before them.
        # The package cryptography is not used, because it refuses some certificates that OpenSSL accepts.
        issuers = self._connection.get_peer_cert_chain() or []
        return [crypto.dump_certificate(crypto.FILETYPE_ASN1, certificate) for certificate in (own, *issuers)]

    def selected_alpn_protocol(self) -> str | None:
        """Return the application protocol that was negotiated by ALPN, such as ``http/1.1``; None if there was none."""
        return self._connection.get_alpn_proto_negotiated().decode() or None

    def version(self) -> str:
        """Return the version of TLS, such as ``TLSv1.3``."""
        return self._connection.get_protocol_version_name()

    def cipher(self) -> tuple[str, str, int] | None:
        """Return the cipher's name, protocol version and number of secret bits; None before the handshake."""
        name, bits = self._connection.get_cipher_name(), self._connection.get_cipher_bits()
        return None if name is None else (name, self.version(), bits or 0)

    def compression(self) -> None:
        """Return None: TLS compression is off."""

    def _receive(self) -> None:
        data = self._incoming.read()
        if data:
            self._connection.bio_write(data)
            self._received = len(data)
            # If the data is exactly one TLS record, as usual, one `read` returns all of it: a second one is not needed.
            self._may_have_more = int.from_bytes(data[_HEAD - 2 : _HEAD]) + _HEAD != len(data)

    def _send(self, expected: int = _LARGEST) -> None:
        """Write the encrypted bytes that OpenSSL has produced to the outgoing buffer.

        OpenSSL is asked for `expected` bytes at a time. If it returns fewer, it has no more bytes, which saves a last
        read that would return nothing.
        """
        size = expected
        while size == expected:
            try:
                piece = self._connection.bio_read(expected)
            except SSL.WantReadError:
                return
            self._outgoing.write(piece)
            size = len(piece)

    def _failure(self, error: SSL.Error) -> ssl.SSLError:
        """Convert an error of pyOpenSSL to an error of the module ``ssl``."""
        self._send()
        if isinstance(error, SSL.WantReadError):
            self._may_have_more = False
            return ssl.SSLWantReadError()
        return ssl.SSLError(ssl.SSL_ERROR_SSL, _reason(error))


def _accept(*_: object) -> bool:
    """Accept any certificate of a client. The certificate is verified when a request is authenticated."""
    return True


def _select_protocol(_: SSL.Connection, offered: list[bytes]) -> Any:
    return _PROTOCOL if _PROTOCOL in offered else SSL.NO_OVERLAPPING_PROTOCOLS


def _reason(error: Exception) -> str:
    reasons = error.args[0] if error.args else ""
    return str(reasons[-1][-1]) if isinstance(reasons, list) and reasons else str(error) or type(error).__name__
