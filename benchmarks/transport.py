"""Compare plain HTTP with TLS: ``python -m benchmarks.transport``.

Prints the time to the first answer, and requests per second over 16 kept connections, each the median of rounds that
alternate between the servers; then the processor time of the server per request, which is more reliable on a busy
machine. The last server authorizes a client with a certificate by RBAC. The last row is a bare uvicorn, which uses
Python's ``ssl``, and answers with the bytes of the pod.
"""

import argparse
import ssl
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from benchmarks.engines import ROWS, WIDTH, filled, measured, print_row
from benchmarks.load import Address, repeated, request
from benchmarks.processes import BARE, MEMKUBE, ServerProcess, serving
from benchmarks.workload import Workload, call
from memkube.controllers.certificates.authority import CertificateAuthority
from memkube.controllers.certificates.requested import RequestedCertificate

_ROUNDS: Final = 5
_TOKEN: Final = "benchmark"
_MANY: Final = 5
"""Number of times by which a round has more requests than in `benchmarks.engines`, so that handshakes do not count."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.transport", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=_ROUNDS, help="number of times to take each measurement (%(default)s)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memkube-transport-") as folder, ExitStack() as stack:
        context = _client_with_certificate(Path(folder))
        authorized = ("--tls", "--client-ca-file", f"{folder}/ca.crt", "--authorization-mode", "RBAC")
        commands = {
            "HTTP": MEMKUBE,
            "HTTP, token": (*MEMKUBE, "--token", _TOKEN),
            "TLS, token": (*MEMKUBE, "--tls", "--token", _TOKEN),
            "TLS, certificate, RBAC": (*MEMKUBE, *authorized),
        }
        print(f"{'':24}" + "".join(f"{name:>{WIDTH}}" for name in commands))
        print(
            f"{'first answer':24}"
            + "".join(f"{cell:>{WIDTH}}" for cell in _starts(commands, context, arguments.rounds))
        )
        servers = {name: stack.enter_context(serving(command)) for name, command in commands.items()}
        addresses = {name: _as_client(name, server.address, context) for name, server in servers.items()}
        workloads = {name: stack.enter_context(filled(address)) for name, address in addresses.items()}
        for row in ("GET a pod", "create a pod"):
            count, make = ROWS[row]
            print_row(row, measured(workloads, servers, (_MANY * count, make), arguments.rounds))
        pod = workloads["HTTP"].call("GET", f"{workloads['HTTP'].pods('few')}/pod-0")
        bare = {"HTTP": BARE, "TLS": (*BARE, f"{folder}/client.pem", f"{folder}/client.pem")}
        _print_bare({name: stack.enter_context(serving(command)) for name, command in bare.items()}, pod, arguments)


def _print_bare(servers: Mapping[str, ServerProcess], pod: bytes, arguments: argparse.Namespace) -> None:
    """Measure a GET that bare servers answer with the bytes of a pod, and print the row."""
    unverified = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    addresses = {name: _as_client(name, server.address, unverified) for name, server in servers.items()}
    for address in addresses.values():
        call(address, "PUT", "/", pod)
    workloads = {name: Workload(address, "bare") for name, address in addresses.items()}
    count, get = ROWS["GET a pod"][0], repeated(request("GET", "/"))
    print_row("GET, bare uvicorn", measured(workloads, servers, (_MANY * count, lambda _: get), arguments.rounds))


def _as_client(name: str, address: Address, context: ssl.SSLContext) -> Address:
    tls, token = context if name.startswith("TLS") else None, _TOKEN if "token" in name else ""
    return replace(address, tls=tls, token=token)


def _starts(commands: Mapping[str, Sequence[str]], context: ssl.SSLContext, rounds: int) -> list[str]:
    """Return the median seconds from the start of each server's process to its first answer."""
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            started = time.perf_counter()
            with serving(command) as server:
                call(_as_client(name, server.address, context), "GET", "/version")
                seconds[name].append(time.perf_counter() - started)
    return [f"{statistics.median(found):.2f} s" for found in seconds.values()]


def _client_with_certificate(folder: Path) -> ssl.SSLContext:
    """Return the context of a client whose certificate names an administrator. Write its authority into a file."""
    now, key = datetime.now(UTC), ec.generate_private_key(ec.SECP256R1())
    authority = CertificateAuthority.created(now)
    names = [(NameOID.ORGANIZATION_NAME, "system:masters"), (NameOID.COMMON_NAME, "benchmark")]
    subject = x509.Name([x509.NameAttribute(name, value) for name, value in names])
    request = x509.CertificateSigningRequestBuilder(subject).sign(key, SHA256())
    usages = ("client auth",)
    signed = authority.signed(RequestedCertificate(request, frozenset(usages)), usages, timedelta(days=1), now)
    (folder / "ca.crt").write_bytes(authority.certificate.public_bytes(Encoding.PEM))
    (folder / "client.pem").write_bytes(signed + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.load_cert_chain(folder / "client.pem")
    return context


if __name__ == "__main__":
    main()
