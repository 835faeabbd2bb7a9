"""The settings of a server: its storage, users, controllers, nodes, clock and limits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from memkube.admission.available import default_plugins
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.modes import authorizes
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.controllers.available import KUBELET, SERVICE_ACCOUNT, selected_names
from memkube.controllers.options import ControllerOptions, ElectionOptions
from memkube.endpoints.auditing.options import AuditOptions
from memkube.endpoints.filters.limits import RequestLimits
from memkube.endpoints.filters.origins import OriginOptions
from memkube.http.options import ConnectionLimits, ShutdownOptions
from memkube.server.service_network import SERVICE_RANGE
from memkube.server.serving_certificate import TlsOptions
from memkube.storage.etcd.options import EtcdOptions
from memkube.telemetry.request_log import RequestLogOptions
from memkube.version import KUBERNETES_VERSION

if TYPE_CHECKING:
    from memkube.snapshots.snapshot import Snapshot


class StorageOptions(NamedTuple):
    """The storage of objects: memory (the default), a SQLite file or etcd."""

    path: Path | None = None
    """Path of the SQLite file; None for another engine."""
    durable: bool = True
    """True if a write is answered only after it is on disk. If False, a crash of the machine may lose writes."""
    etcd: "EtcdOptions | None" = None
    """Options of the etcd engine; None for another engine."""

    @property
    def is_shared(self) -> bool:
        """True if several servers may use the storage (etcd)."""
        return self.etcd is not None

    @property
    def is_memory(self) -> bool:
        """True if the storage is in memory, so that it is empty at the start and used by this server only."""
        return self.path is None and self.etcd is None

    @classmethod
    def of(cls, text: str, durability: str = "strict", etcd: Mapping[str, Any] | None = None) -> Self:
        """Parse ``memory``, ``sqlite:PATH`` or ``etcd:http://HOST:PORT[,…]``.

        `durability` is ``strict`` or ``relaxed``; `etcd` has values for other fields of EtcdOptions. Raises ValueError
        for an unknown engine or durability, and for invalid options.
        """
        engine, _, path = text.partition(":")
        if engine == "etcd":
            return cls(etcd=EtcdOptions.of(path, **(etcd or {})))
        if etcd:
            raise ValueError(f"options for etcd need storage in etcd, not {text}")
        if durability not in ("strict", "relaxed"):
            raise ValueError(f"unknown durability {durability}: use strict or relaxed")
        if text == "memory":
            return cls()
        if engine != "sqlite" or not path:
            raise ValueError(f"unknown storage {text}: use memory, sqlite:PATH, or etcd:http://HOST:PORT")
        return cls(Path(path), durability == "strict")


@dataclass(frozen=True, slots=True)
class Settings:
    """All options of a server, with their defaults."""

    controllers: tuple[str, ...] = selected_names("all")
    """Names of the controllers to run."""
    controller_options: ControllerOptions = field(default_factory=ControllerOptions)
    """Number of simulated nodes, scheduler profiles, and other options of individual controllers."""
    stages: bool = False
    """True to serve KWOK's custom kind Stage from the start. Stages describe how simulated objects change over time."""
    clock: str = "real"
    """Name of the clock: ``real``, ``stepped`` (it moves only when it is advanced), or ``x60``: 60 times real speed."""
    start: datetime | None = None
    """Time at which a clock other than the real one starts; None for the current time.

    If the storage has the objects of an earlier server, None is the time which that server had reached, if it is later.
    """
    seed: int | None = None
    """Seed of the server's random values; None for values that differ each time."""
    admission_plugins: tuple[str, ...] | None = None
    """Names of the admission plugins, in the order in which they run; None for the default ones."""
    authorizers: ConfiguredAuthorizers = field(default_factory=ConfiguredAuthorizers)
    """The authorizers, in the order in which they are asked."""
    audit: AuditOptions | None = None
    """Audit policy, and the log file and webhook that receive audit events; None to audit no requests."""
    storage: StorageOptions = field(default_factory=StorageOptions)
    """The storage of objects: memory (the default), a SQLite file or etcd."""
    election: ElectionOptions = field(default_factory=ElectionOptions)
    """Lease duration, and other options of the leader election among servers that share a storage."""
    history: int = 20_000
    """Maximum number of events in the event log, which is used to resume watches and to list older revisions."""
    history_bytes: int = 128 * 1024 * 1024
    """Maximum size in bytes of the objects in the event log. The oldest events are compacted first."""
    requests: RequestLogOptions = field(default_factory=RequestLogOptions)
    """Maximum size of the request log, and which requests it contains."""
    tls: TlsOptions | None = None
    """Certificates for TLS; None to serve plain HTTP."""
    origins: OriginOptions = field(default_factory=OriginOptions)
    """Allowed host names in requests, and allowed origins of web pages (CORS)."""
    hunt_report: Mapping[str, Any] | None = None
    """Report of ``memkube hunt`` as JSON data, which the web page shows instead of a cluster; None for no report."""
    read_only: bool = False
    """True to refuse all writes of clients with 405, for example to serve a saved snapshot for inspection."""
    insecure: bool = False
    """True to let other machines use the server even without TLS, or without authentication."""
    authentication: AuthenticationOptions = field(default_factory=AuthenticationOptions)
    """How clients authenticate. By default all clients are anonymous, and no credentials are checked."""
    tokens: TokenOptions = field(default_factory=TokenOptions)
    """Issuers, audiences and lifetimes of service account tokens."""
    snapshot: "Snapshot | None" = None
    """Snapshot to restore at the start; None for a new cluster."""
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    """Maximum header size and timeouts of each client connection."""
    shutdown: ShutdownOptions = field(default_factory=ShutdownOptions)
    """Delay and grace period of a shutdown after a signal."""
    in_flight: RequestLimits = field(default_factory=RequestLimits)
    """Maximum numbers of concurrent reads, writes, watches and streams."""
    service_range: str = SERVICE_RANGE
    """IPv4 range of cluster IPs, in CIDR notation."""
    advertise_address: str = ""
    """IP address in the endpoints of the Service ``kubernetes``; empty to derive it from the server's socket."""
    root_certificate: str = ""
    """Certificate in PEM by which clients verify the server. A :class:`Server` that uses TLS sets it."""
    reported_version: str = f"v{KUBERNETES_VERSION}"
    """Release of Kubernetes that ``/version`` names, such as v1.36.2-custom."""

    @property
    def authorizes(self) -> bool:
        """True if an authorizer of the server can refuse a request, now or after its configuration file has changed."""
        return self.authorizers.file is not None or authorizes(self.authorizers.modes)

    @property
    def plugins(self) -> tuple[str, ...]:
        """Names of the admission plugins that run."""
        chosen = self.admission_plugins
        return default_plugins(have_accounts=pods_have_accounts(self.controllers)) if chosen is None else chosen


def pods_have_accounts(controllers: Collection[str]) -> bool:
    """Return True if pods get a service account by default: if `controllers` contains those for accounts and for pods.

    Otherwise, the server is like an API server without a cluster, for example the one of envtest, where pods need no
    service account.
    """
    return {KUBELET, SERVICE_ACCOUNT} <= set(controllers)
