"""The program etcd that `memkube envtest` installs: it answers health checks and stores nothing.

memkube's kube-apiserver keeps its objects in memory, and needs no etcd. But test suites start etcd first, and wait
until it is healthy.
"""

import http.server
import ipaddress
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from memkube.envtest.flags import Flag, FlagError, Values, flags_of, help_of, parse_go_flags

_PROGRAM: Final = "etcd"
_VERSION: Final = "3.6.0"
_ABOUT: Final = """memkube with the flags of etcd 3.6.

It answers /health, /livez, /readyz and /version at the client URLs. It stores nothing and speaks no gRPC: memkube's
kube-apiserver keeps its objects in memory."""
_DEFAULT_CLIENT_URL: Final = "http://localhost:2379"
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_WRONG_FLAG: Final = 2
"""Exit status of a Go program whose flags cannot be parsed."""

_SERVED: Final = (
    Flag("advertise-client-urls", "string", "required together with --listen-client-urls"),
    Flag("cert-file", "string", "certificate of https client URLs, in PEM"),
    Flag("client-cert-auth", "bool", "require client certificates, which --trusted-ca-file verifies"),
    Flag("help", "bool", "show this help"),
    Flag("key-file", "string", "private key of the certificate, in PEM"),
    Flag("listen-client-urls", "string", f"URLs to listen on, with commas (default {_DEFAULT_CLIENT_URL})"),
    Flag("listen-metrics-urls", "string", "more URLs to answer health checks at, with commas"),
    Flag("trusted-ca-file", "string", "certificates of the authorities that sign client certificates, in PEM"),
    Flag("version", "bool", "print the version"),
)
_IGNORED: Final = """
auth-token string, auth-token-ttl int, auto-compaction-mode string, auto-compaction-retention string, auto-tls bool,
backend-batch-interval duration, backend-batch-limit int, backend-bbolt-freelist-type string, bcrypt-cost int,
bootstrap-defrag-threshold-megabytes int, cipher-suites string, client-cert-allowed-hostname string,
client-cert-file string, client-crl-file string, client-key-file string, compact-hash-check-time duration,
compaction-batch-limit int, compaction-sleep-interval duration, config-file string, corrupt-check-time duration,
cors string, data-dir string, discovery string, discovery-cacert string, discovery-cert string,
discovery-dial-timeout duration, discovery-endpoints string, discovery-fallback string,
discovery-insecure-skip-tls-verify bool, discovery-insecure-transport bool, discovery-keepalive-time duration,
discovery-keepalive-timeout duration, discovery-key string, discovery-password string, discovery-proxy string,
discovery-request-timeout duration, discovery-srv string, discovery-srv-name string, discovery-token string,
discovery-user string, distributed-tracing-address string, distributed-tracing-instance-id string,
distributed-tracing-sampling-rate int, distributed-tracing-service-name string, downgrade-check-time duration,
election-timeout int, enable-distributed-tracing bool, enable-grpc-gateway bool, enable-log-rotation bool,
enable-pprof bool, feature-gates string, force-new-cluster bool, grpc-keepalive-interval duration,
grpc-keepalive-min-time duration, grpc-keepalive-timeout duration, heartbeat-interval int, host-whitelist string,
initial-advertise-peer-urls string, initial-cluster string, initial-cluster-state string,
initial-cluster-token string, initial-election-tick-advance bool, listen-client-http-urls string,
listen-peer-urls string, log-format string, log-level string, log-outputs string, log-rotation-config-json string,
logger string, max-concurrent-streams int, max-learners int, max-request-bytes int, max-snapshots int,
max-txn-ops int, max-wals int, memory-mlock bool, metrics string, name string, peer-auto-tls bool,
peer-cert-allowed-cn string, peer-cert-allowed-hostname string, peer-cert-file string, peer-client-cert-auth bool,
peer-client-cert-file string, peer-client-key-file string, peer-crl-file string, peer-key-file string,
peer-skip-client-san-verification bool, peer-trusted-ca-file string, pre-vote bool, quota-backend-bytes int,
raft-read-timeout duration, raft-write-timeout duration, self-signed-cert-validity int, snapshot-catchup-entries int,
snapshot-count int, socket-reuse-address bool, socket-reuse-port bool, strict-reconfig-check bool,
tls-max-version string, tls-min-version string, unsafe-no-fsync bool, wal-dir string,
warning-apply-duration duration, warning-unary-request-duration duration, watch-progress-notify-interval duration
"""
"""Flags that are accepted without effect: about storage, peers, gRPC and logs."""

FLAGS: Final = {flag.name: flag for flag in sorted((*_SERVED, *flags_of(_IGNORED)))}
"""All flags of etcd, by name."""


def main(arguments: Sequence[str]) -> int:
    """Run the program until SIGTERM or SIGINT, and return its exit status."""
    try:
        values = parse_go_flags({**FLAGS, "h": FLAGS["help"]}, arguments)
    except FlagError as error:
        return _failed(str(error), _WRONG_FLAG)
    if values.is_on("help"):
        sys.stdout.write(help_of(_PROGRAM, _ABOUT, FLAGS.values()))
        return 0
    if values.is_on("version"):
        sys.stdout.write(f"etcd Version: {_VERSION}\n")
        return 0
    if values.arguments:
        return _failed(f"error verifying flags, '{values.arguments[0]}' is not a valid flag. See 'etcd --help'.")
    if values.text("listen-client-urls") and not values.text("advertise-client-urls"):
        required = "--advertise-client-urls is required when --listen-client-urls is set explicitly"
        return _failed(f"error verifying flags, {required}. See 'etcd --help'.")
    # The server threads inherit the signal mask, so that SIGTERM and SIGINT stay pending until the main thread waits
    # for them.
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        servers = [_HealthServer(url, values) for url in _urls(values)]
    except (OSError, ValueError) as error:
        return _failed(str(error))
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.sigwait(_SIGNALS)
    return 0


def _failed(line: str, status: int = 1) -> int:
    sys.stderr.write(f"{line}\n")
    return status


def _urls(values: Values) -> list[str]:
    return (values.items("listen-client-urls") or [_DEFAULT_CLIENT_URL]) + values.items("listen-metrics-urls")


class _HealthServer(http.server.ThreadingHTTPServer):
    """Serves health checks at one URL.

    Raises ValueError if the URL is not that of an IP address and a port, and OSError if the port or the certificate
    cannot be used.
    """

    def __init__(self, url: str, values: Values) -> None:
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname or address.port is None:
            raise ValueError(f"error verifying flags, URL must be of the form http://IP:PORT: {url}")
        if ":" in address.hostname:
            self.address_family = socket.AF_INET6
        context = _context(values) if address.scheme == "https" else None
        host = "127.0.0.1" if address.hostname == "localhost" else str(_ip(address.hostname))
        try:
            super().__init__((host, address.port), _HealthHandler)
        except OSError as error:
            raise OSError(f"listen tcp {address.netloc}: bind: {(error.strerror or str(error)).lower()}") from None
        if context is not None:
            # The TLS handshake is done in the connection's own thread, so that a slow client does not delay the others.
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        raise ValueError(f"error verifying flags, expected IP in URL for binding ({host})") from None


def _context(values: Values) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(values.text("cert-file"), values.text("key-file"))
    if values.text("trusted-ca-file"):
        context.load_verify_locations(values.text("trusted-ca-file"))
    if values.is_on("client-cert-auth"):
        context.verify_mode = ssl.CERT_REQUIRED
    return context


class _HealthHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a health check; 404 for any other path."""
        body = _ANSWERS.get(urlsplit(self.path).path)
        self.send_response(404 if body is None else 200)
        content = b"404 page not found\n" if body is None else body
        self.send_header("Content-Type", "application/json" if content.startswith(b"{") else "text/plain")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Do not log requests, because test suites poll /health."""


_ANSWERS: Final = {
    "/health": b'{"health":"true","reason":""}',
    "/livez": b"ok\n",
    "/readyz": b"ok\n",
    "/version": b'{"etcdserver":"%b","etcdcluster":"3.6.0"}' % _VERSION.encode(),
}
