"""An HTTPS server on loopback, which sends correct, malformed or no responses, as a test says."""

import ipaddress
import json
import socket
import socketserver
import ssl
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

LOOPBACK = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))


@dataclass(frozen=True)
class Certificates:
    """A CA that signs certificates of servers."""

    name: x509.Name
    key: ec.EllipticCurvePrivateKey
    bundle: bytes

    @classmethod
    def make(cls, name: str = "authority") -> "Certificates":
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        key = ec.generate_private_key(ec.SECP256R1())
        signed = _builder(subject, subject, key, 0, 9).add_extension(x509.BasicConstraints(True, None), True)
        return cls(subject, key, signed.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))

    def issue(self, *names: x509.GeneralName, days: tuple[int, int] = (-1, 9)) -> bytes:
        """Return a key and a certificate for these names.

        `days` are the first and the last day of its validity, relative to today.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(x509.Name([]), self.name, key, *days)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return private + builder.sign(self.key, hashes.SHA256()).public_bytes(Encoding.PEM)

    @property
    def encoded(self) -> str:
        """Return the CA certificate as the value of a caBundle."""
        return b64encode(self.bundle).decode()


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, begins: int, ends: int
) -> x509.CertificateBuilder:
    today = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today + timedelta(days=begins))
        .not_valid_after(today + timedelta(days=ends))
    )


@dataclass(frozen=True)
class Received:
    """A request that the server has received."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def uid(self) -> str:
        """The uid of the request in an AdmissionReview."""
        return str(self.data["request"]["uid"])


Answer: TypeAlias = "Callable[[Received], bytes | Iterator[bytes] | None]"
"""Function that returns the bytes of a response, in pieces if it is an iterator.

None closes the connection without a response.
"""
HANG = b"hang"
"""Piece of a response that stands for a pause until the server stops."""


def http(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """Return the bytes of an HTTP response."""
    told = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def review(received: Received, **response: Any) -> bytes:
    """Return the response to an AdmissionReview. It allows the request by default."""
    said = {"uid": received.uid, "allowed": True, **response}
    return http(json.dumps({**received.data, "request": None, "response": said}).encode())


class Hook:
    """A running server. `received` contains the requests so far."""

    def __init__(self, address: str, port: int) -> None:
        self.host = address
        self.port = port
        self.received: Queue[Received] = Queue()
        self.closing = threading.Event()
        """Whoever never answers waits for it."""
        self.connections = 0

    @property
    def url(self) -> str:
        return f"https://{self.host}:{self.port}/hook"

    def hang(self, received: Received) -> None:
        """Wait until the server stops."""
        self.closing.wait(60)


@contextmanager
def listening(certificate: bytes | None, answer: Answer) -> Iterator[Hook]:
    """Run a server on a free port; without a certificate, it speaks plain HTTP."""
    context = _context(certificate) if certificate else None
    open_sockets: set[socket.socket] = set()

    class Handler(socketserver.StreamRequestHandler):
        def setup(self) -> None:
            if context is not None:
                self.request = context.wrap_socket(self.request, server_side=True, do_handshake_on_connect=False)
            open_sockets.add(self.request)
            super().setup()

        def handle(self) -> None:
            if hook.closing.is_set():
                # The stopping server may have shut the open sockets down before this one was among them.
                return
            with suppress(OSError):
                if context is not None:
                    self.request.do_handshake()
                hook.connections += 1
                _answer_requests(self, hook, answer)

        def finish(self) -> None:
            with suppress(OSError):
                super().finish()
            open_sockets.discard(self.request)
            self.request.close()

    class Server(socketserver.ThreadingTCPServer):
        def handle_error(self, *_: object) -> None:
            """Ignore the errors of clients that do not trust the certificate."""

    with Server(("127.0.0.1", 0), Handler) as server:
        hook = Hook("127.0.0.1", int(server.server_address[1]))
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield hook
        finally:
            hook.closing.set()
            server.shutdown()
            for open_socket in list(open_sockets):
                with suppress(OSError):
                    # Another thread reads from the socket, so its TLS state must not change.
                    socket.socket.shutdown(open_socket, socket.SHUT_RDWR)


def _answer_requests(handler: socketserver.StreamRequestHandler, hook: Hook, answer: Answer) -> None:
    """Answer the requests of a connection, until one gets no complete response."""
    while (received := _read(handler)) is not None:
        hook.received.put(received)
        answered = answer(received)
        if answered is HANG:
            hook.closing.wait(60)
        if answered is None or answered is HANG:
            return
        for part in (answered,) if isinstance(answered, bytes) else answered:
            handler.wfile.write(part)


def _context(certificate: bytes) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "server.pem"
        path.write_bytes(certificate)
        context.load_cert_chain(path)
    return context


def _read(handler: socketserver.StreamRequestHandler) -> Received | None:
    line = handler.rfile.readline().decode()
    if not line:
        return None
    method, target, _ = line.split(" ")
    headers = {}
    while (header := handler.rfile.readline().decode().strip()) != "":
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    return Received(method, target, headers, handler.rfile.read(int(headers.get("content-length", 0))))
