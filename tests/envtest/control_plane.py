"""Starts kube-apiserver and etcd as test frameworks do: with their flags, polls and signals.

The flags are those of controller-runtime 0.24 (and of its predecessors, whose suites give a list of arguments), of
fabric8's kube-api-test (formerly jenvtest), of envtest-js, and of Kindcontainer. Wrappers for Rust and .NET start the
programs as controller-runtime does.
"""

import contextlib
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import httpx

from memkube.server.serving_certificate import created_pair
from tests.auth.certificates import Authority, Signed

PATIENCE: Final = 60.0
"""Maximum number of seconds until a server answers, also on a busy machine. Frameworks wait 20 s to two minutes."""
_ATTEMPTS: Final = 5
_POLL: Final = 0.1
"""Seconds between two polls, as in controller-runtime."""


class ProgramEnded(Exception):
    """Raised if a program ends before it is ready."""


class Files(NamedTuple):
    """The files that a framework writes before it starts the programs."""

    folder: Path
    clients: Authority
    admin: Signed

    @classmethod
    def written(cls, folder: Path) -> "Files":
        """Write the files as controller-runtime does. The key for tokens has a certificate beside it."""
        folder.mkdir()
        serving, authority = created_pair(["127.0.0.1"])
        (folder / "apiserver.crt").write_bytes(serving.certificate)
        (folder / "apiserver.key").write_bytes(serving.key)
        (folder / "server-ca.crt").write_bytes(authority)
        Authority.created("tokens").own.written(folder, "sa-signer")
        clients = Authority.created()
        clients.own.written(folder, "client-cert-auth-ca")
        return cls(folder, clients, clients.client("admin", ["system:masters"]))

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def audit_policy(self) -> str:
        """Write an audit policy that records each request, and return its path."""
        policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}
        (self.folder / "policy.yaml").write_text(json.dumps(policy))
        return self.path("policy.yaml")


class Ports(NamedTuple):
    """Free ports for the programs."""

    apiserver: int
    etcd: int
    peer: int

    @classmethod
    def free(cls) -> "Ports":
        """Return ports that were free when they were checked. Frameworks choose ports in this way."""
        sockets = [socket.socket() for _ in cls._fields]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        ports = [one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()
        return cls(*ports)


class Framework(NamedTuple):
    """The flags and polls with which a framework starts the programs."""

    etcd: Callable[[Files, Ports], list[str]]
    apiserver: Callable[[Files, Ports], list[str]]
    ready: str = "/healthz"
    """Path at which the framework polls kube-apiserver."""
    polls_as_admin: bool = False
    """True if the framework polls with a client certificate."""
    stop: signal.Signals = signal.SIGTERM
    etcd_is_secure: bool = False


def _controller_runtime_etcd(files: Files, ports: Ports) -> list[str]:
    url = f"http://127.0.0.1:{ports.etcd}"
    return [
        f"--advertise-client-urls={url}",
        f"--data-dir={files.path('etcd')}",
        f"--listen-client-urls={url}",
        f"--listen-peer-urls=http://127.0.0.1:{ports.peer}",
        "--unsafe-no-fsync=true",
    ]


def _controller_runtime(files: Files, ports: Ports) -> list[str]:
    return [
        "--allow-privileged=true",
        "--authorization-mode=RBAC",
        "--bind-address=127.0.0.1",
        f"--cert-dir={files.folder}",
        f"--client-ca-file={files.path('client-cert-auth-ca.crt')}",
        "--disable-admission-plugins=ServiceAccount",
        f"--etcd-servers=http://127.0.0.1:{ports.etcd}",
        f"--secure-port={ports.apiserver}",
        f"--service-account-issuer=https://127.0.0.1:{ports.apiserver}/",
        f"--service-account-key-file={files.path('sa-signer.crt')}",
        f"--service-account-signing-key-file={files.path('sa-signer.key')}",
        "--service-cluster-ip-range=10.0.0.0/24",
    ]


def _with_a_list_of_arguments(files: Files, ports: Ports) -> list[str]:
    """Return controller-runtime's deprecated default arguments, and those that suites add to them."""
    added = (
        "--advertise-address=127.0.0.1",
        "--insecure-port=0",
        "--insecure-bind-address=127.0.0.1",
        "--feature-gates=WatchList=true,AllAlpha=false",
        "--max-requests-inflight=800",
        "--max-mutating-requests-inflight=400",
        "--delete-collection-workers=100",
        "--runtime-config=api/beta=false,batch/v1=true",
        "--enable-admission-plugins=AlwaysPullImages",
        f"--audit-log-path={files.path('audit.log')}",
        f"--audit-policy-file={files.audit_policy()}",
        "--audit-log-maxbackup=1",
        "-v=4",
    )
    return [*_controller_runtime(files, ports), *added]


def _fabric8_etcd(files: Files, ports: Ports) -> list[str]:
    url, peer = f"http://0.0.0.0:{ports.etcd}", f"http://localhost:{ports.peer}"
    options = ["-data-dir", files.path("etcd"), "-wal-dir", files.path("wal"), "--listen-client-urls", url]
    options += ["--advertise-client-urls", url, "--initial-cluster", f"default={peer}"]
    return [*options, "--initial-advertise-peer-urls", peer, "--listen-peer-urls", peer]


def _fabric8(files: Files, ports: Ports) -> list[str]:
    """Return fabric8's arguments.

    Values are separate arguments, a flag is repeated, the second issuer is a path, and the client's certificate is its
    own CA.
    """
    files.admin.written(files.folder, "client")
    options = {
        "--min-request-timeout": "300",
        "--cert-dir": str(files.folder),
        "--secure-port": str(ports.apiserver),
        "--etcd-servers": f"http://0.0.0.0:{ports.etcd}",
        "--authorization-mode": "RBAC",
        "--service-account-key-file": files.path("apiserver.key"),
        "--disable-admission-plugins": "ServiceAccount",
        "--client-ca-file": files.path("client.crt"),
        "--service-cluster-ip-range": "10.0.0.0/24",
    }
    signing = ["--service-account-signing-key-file", files.path("apiserver.key")]
    issuers = ["--service-account-issuer", "https://localhost", "--service-account-issuer", files.path("apiserver.crt")]
    return [word for pair in options.items() for word in pair] + signing + signing + issuers + ["--allow-privileged"]


def _envtest_js_etcd(files: Files, ports: Ports) -> list[str]:
    return [*_controller_runtime_etcd(files, ports)[:3], "--listen-peer-urls=http://localhost:0"]


def _envtest_js(files: Files, ports: Ports) -> list[str]:
    return [
        *_controller_runtime(files, ports),
        "--advertise-address=127.0.0.1",
        f"--tls-cert-file={files.path('apiserver.crt')}",
        f"--tls-private-key-file={files.path('apiserver.key')}",
    ]


def _kindcontainer_etcd(files: Files, ports: Ports) -> list[str]:
    url, peer = f"https://127.0.0.1:{ports.etcd}", f"https://localhost:{ports.peer}"
    names = {
        "advertise-client-urls": url,
        "cert-file": files.path("apiserver.crt"),
        "client-cert-auth": "true",
        "data-dir": files.path("etcd"),
        "initial-advertise-peer-urls": peer,
        "initial-cluster": f"control-plane={peer}",
        "key-file": files.path("apiserver.key"),
        "listen-client-urls": url,
        "listen-peer-urls": peer,
        "name": "control-plane",
        "peer-cert-file": files.path("apiserver.crt"),
        "peer-client-cert-auth": "true",
        "peer-key-file": files.path("apiserver.key"),
        "peer-trusted-ca-file": files.path("client-cert-auth-ca.crt"),
        "snapshot-count": "10000",
        "trusted-ca-file": files.path("client-cert-auth-ca.crt"),
    }
    return [f"--{name}={value}" for name, value in names.items()]


def _kindcontainer(files: Files, ports: Ports) -> list[str]:
    certificate, key = files.path("apiserver.crt"), files.path("apiserver.key")
    names = {
        "advertise-address": "127.0.0.1",
        "allow-privileged": "true",
        "authorization-mode": "Node,RBAC",
        "client-ca-file": files.path("client-cert-auth-ca.crt"),
        "enable-admission-plugins": "NodeRestriction",
        "enable-bootstrap-token-auth": "true",
        "etcd-cafile": certificate,
        "etcd-certfile": certificate,
        "etcd-keyfile": key,
        "etcd-servers": f"https://localhost:{ports.etcd}",
        "kubelet-client-certificate": certificate,
        "kubelet-client-key": key,
        "kubelet-preferred-address-types": "InternalIP,ExternalIP,Hostname",
        "proxy-client-cert-file": certificate,
        "proxy-client-key-file": key,
        "requestheader-allowed-names": "front-proxy-client",
        "requestheader-client-ca-file": files.path("server-ca.crt"),
        "requestheader-extra-headers-prefix": "X-Remote-Extra-",
        "requestheader-group-headers": "X-Remote-Group",
        "requestheader-username-headers": "X-Remote-User",
        "runtime-config": "",
        "secure-port": str(ports.apiserver),
        "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
        "service-account-key-file": files.path("sa-signer.crt"),
        "service-account-signing-key-file": files.path("sa-signer.key"),
        "service-cluster-ip-range": "10.96.0.0/16",
        "tls-cert-file": certificate,
        "tls-private-key-file": key,
    }
    return [f"--{name}={value}" for name, value in names.items()]


FRAMEWORKS: Final = {
    "controller-runtime": Framework(_controller_runtime_etcd, _controller_runtime),
    "a list of arguments": Framework(_controller_runtime_etcd, _with_a_list_of_arguments),
    "fabric8": Framework(_fabric8_etcd, _fabric8, "/readyz", polls_as_admin=True, stop=signal.SIGKILL),
    "envtest-js": Framework(_envtest_js_etcd, _envtest_js, "/readyz", polls_as_admin=True),
    "Kindcontainer": Framework(
        _kindcontainer_etcd, _kindcontainer, "/api/v1/nodes", polls_as_admin=True, etcd_is_secure=True
    ),
}


class ControlPlane(NamedTuple):
    """The running programs."""

    url: str
    files: Files
    apiserver: subprocess.Popen[bytes]
    log: Path
    """File with the output of kube-apiserver."""

    def client(self, signed: Signed | None = None, **options: str) -> httpx.Client:
        """Return a client with the certificate of a user, or without a certificate."""
        context = ssl.create_default_context(cafile=self.files.path("server-ca.crt"))
        if signed is not None:
            context.load_cert_chain(*signed.written(self.files.folder, f"user-{signed.certificate.serial_number}"))
        return httpx.Client(base_url=self.url, verify=context, trust_env=False, headers=options)

    def admin(self) -> httpx.Client:
        """Return a client with the certificate of the framework's administrator."""
        return self.client(self.files.admin)


def has_flag(program: Path, flag: str) -> bool:
    """True if the help of a program lists a flag, by controller-runtime's regular expression."""
    told = subprocess.run([program, "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
    return re.search(rf"(?m)^\s*--{flag}\b", told.stdout.decode()) is not None


@contextlib.contextmanager
def control_plane(programs: Path, folder: Path, framework: Framework) -> Iterator[ControlPlane]:
    """Run the programs as a framework does.

    There are up to five attempts, because another program may take a port that was free.
    """
    with contextlib.ExitStack() as stack:
        for attempt in range(_ATTEMPTS):
            inside = folder / f"attempt-{attempt}"
            inside.mkdir()
            try:
                plane = stack.enter_context(_attempt(programs, inside, framework))
            except ProgramEnded:
                continue
            yield plane
            return
    raise AssertionError("the programs have ended at each attempt: see their logs")


@contextlib.contextmanager
def _attempt(programs: Path, folder: Path, framework: Framework) -> Iterator[ControlPlane]:
    """Start etcd and then kube-apiserver, each in its own process group, and poll them until they are ready.

    Raises ProgramEnded if one of them ends before it is ready.
    """
    files, ports = Files.written(folder / "certificates"), Ports.free()
    log, url = folder / "apiserver.log", f"https://127.0.0.1:{ports.apiserver}"
    with contextlib.ExitStack() as stack:
        etcd = stack.enter_context(_started(programs / "etcd", framework.etcd(files, ports), folder / "etcd.log"))
        stack.callback(_stop, etcd, framework.stop)
        scheme, credentials = ("https", files.admin) if framework.etcd_is_secure else ("http", None)
        _poll(f"{scheme}://127.0.0.1:{ports.etcd}/health", files, credentials, etcd)
        apiserver = stack.enter_context(_started(programs / "kube-apiserver", framework.apiserver(files, ports), log))
        stack.callback(_stop, apiserver, framework.stop)
        _poll(url + framework.ready, files, files.admin if framework.polls_as_admin else None, apiserver)
        yield ControlPlane(url, files, apiserver, log)


@contextlib.contextmanager
def _started(program: Path, arguments: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen([program, *arguments], stdout=output, stderr=output, process_group=0)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _poll(url: str, files: Files, signed: Signed | None, process: subprocess.Popen[bytes]) -> None:
    """Poll a URL until the status is 200. The server's certificate is not verified."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if signed is not None:
        context.load_cert_chain(*signed.written(files.folder, "polling"))

    def get() -> httpx.Response:
        if process.poll() is not None:
            raise ProgramEnded
        return client.get(url)

    with httpx.Client(verify=context, trust_env=False) as client:
        polled(get)


def polled(get: Callable[[], httpx.Response]) -> httpx.Response:
    """Call `get` every 100 ms until the status is 200, as the frameworks do."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        with contextlib.suppress(httpx.TransportError):
            response = get()
            if response.status_code == httpx.codes.OK:
                return response
        time.sleep(_POLL)
    raise AssertionError("there was no answer with status 200")


def _stop(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signal the process group, and wait for its end.

    The exit status must be 0 unless the process was killed.
    """
    if process.poll() is not None:
        return
    os.killpg(process.pid, number)
    assert process.wait(PATIENCE) == (0 if number == signal.SIGTERM else -number)
