"""An OpenID Connect provider on loopback, over TLS."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import time
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from tests.auth.certificates import Authority

AUTHORITY = Authority.created()


class Provider:
    """An OpenID Connect provider, which signs tokens and publishes the keys to verify them."""

    def __init__(self, url: str, pem: str) -> None:
        self.url = url
        self.pem = pem
        self.fetched: list[str] = []
        self._keys: dict[str, rsa.RSAPrivateKey] = {}
        self.published: Any = None
        """What is published instead of the keys; None for the keys."""
        self.more_paths = ["/elsewhere"]
        """Paths of the provider's configuration, besides the path of the standard."""
        self.answers = threading.Event()
        """Requests wait while this event is not set."""
        self.answers.set()
        self.rotate()

    def rotate(self) -> None:
        """Sign with a new key from now on. The older keys are still published."""
        self._newest = f"key-{len(self._keys)}"
        self._keys[self._newest] = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def token(self, algorithm: str = "RS256", **claims: Any) -> str:
        """Return a token with these claims; a claim that is None is left out."""
        given = {"iss": self.url, "aud": "memkube", "sub": "jane", "exp": time() + 600, **claims}
        named = {name: value for name, value in given.items() if value is not None}
        return jwt.encode(named, self._keys[self._newest], algorithm, headers={"kid": self._newest})

    def answer(self, path: str) -> dict[str, Any] | None:
        """Return the document at a path; None if there is none."""
        self.fetched.append(path)
        self.answers.wait()
        if path in ("/.well-known/openid-configuration", *self.more_paths):
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        if path == "/keys":
            return {"keys": self.published or [self._jwk(name) for name in self._keys]}
        return None

    def _jwk(self, name: str) -> dict[str, Any]:
        public: dict[str, Any] = RSAAlgorithm.to_jwk(self._keys[name].public_key(), as_dict=True)
        return {**public, "kid": name, "use": "sig", "alg": "RS256"}


@contextmanager
def running_provider(folder: Path) -> Iterator[Provider]:
    """Serve a provider on a free port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            document = provider.answer(self.path)
            body = json.dumps(document).encode()
            self.send_response(200 if document is not None else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*AUTHORITY.server("localhost").written(folder, "provider"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    provider = Provider(f"https://localhost:{server.server_address[1]}", AUTHORITY.own.pem.decode())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
