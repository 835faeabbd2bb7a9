"""Extension API servers over TLS on loopback, and the APIServices that refer to them."""

import base64
import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from starlette.types import ASGIApp

GROUP = "things.example.com"
SERVICE = {"namespace": "default", "name": "things", "port": 443}


def certificate(folder: Path) -> tuple[Path, Path]:
    """Create a self-signed certificate for the Service's name, and return the paths of certificate and key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "things")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("things.default.svc")]), critical=False)
        .sign(key, SHA256())
    )
    paths = folder / "tls.crt", folder / "tls.key"
    paths[0].write_bytes(signed.public_bytes(Encoding.PEM))
    paths[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return paths


@dataclass(frozen=True)
class Extension:
    """A running extension API server."""

    port: int
    ca_bundle: str


@contextlib.contextmanager
def listening(app: ASGIApp, folder: Path) -> Iterator[Extension]:
    """Serve an application over TLS until the block ends."""
    cert, key = certificate(folder)
    config = uvicorn.Config(
        app,
        port=0,
        loop="asyncio",
        ssl_certfile=cert,
        ssl_keyfile=key,
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    started = threading.Event()

    class _Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            started.set()

    server = _Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert started.wait(60)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Extension(port, base64.b64encode(cert.read_bytes()).decode())
    finally:
        server.should_exit = True
        thread.join()


def api_service(version: str = "v1", group: str = GROUP, **spec: Any) -> dict[str, Any]:
    """Return an APIService that refers to the Service."""
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": f"{version}.{group}"},
        "spec": {
            "group": group,
            "version": version,
            "groupPriorityMinimum": 1500,
            "versionPriority": 10,
            "service": SERVICE,
            **spec,
        },
    }


def register(client: httpx.Client, extension: Extension) -> None:
    """Let an extension API server replace the Service, which does not exist."""
    path = "/memkube/v1/services/{namespace}/{name}/{port}".format(**SERVICE)
    client.put(path, json={"host": "127.0.0.1", "port": extension.port}).raise_for_status()


def settled(client: httpx.Client, name: str, status: str = "True") -> dict[str, Any]:
    """Watch an APIService until its condition has this status, and return the condition."""
    address, deadline = "/apis/apiregistration.k8s.io/v1/apiservices", time.monotonic() + 60
    query = {"watch": "1", "fieldSelector": f"metadata.name={name}", "timeoutSeconds": "60"}
    with client.stream("GET", address, params=query) as response:
        for line in response.iter_lines():
            for condition in json.loads(line)["object"].get("status", {}).get("conditions", []):
                if condition["status"] == status:
                    return dict(condition)
            assert time.monotonic() < deadline
    raise AssertionError(f"{name} does not become {status}")
