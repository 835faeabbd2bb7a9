"""What a server is started with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memkube.admission.available import DEFAULT_PLUGINS
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.controllers.available import CONTROLLERS
from memkube.controllers.options import ControllerOptions, ElectionOptions
from memkube.endpoints.filters.limits import RequestLimits
from memkube.http.options import ConnectionLimits, ShutdownOptions
from memkube.telemetry.request_log import RequestLogOptions

if TYPE_CHECKING:
    from memkube.snapshots.snapshot import Snapshot
    from memkube.storage.etcd.options import EtcdOptions


@dataclass(frozen=True, slots=True)
class StorageOptions:
    """Where objects are kept."""

    path: Path | None = None
    """A file of SQLite, which outlives the server; in memory alone, if not set."""
    durable: bool = True
    """Whether what is answered has reached the disk; else it outlives the process, and perhaps not the machine."""
    etcd: "EtcdOptions | None" = None
    """An etcd instead, which other servers may use too."""

    @property
    def is_shared(self) -> bool:
        """Whether other servers keep their objects there too."""
        return self.etcd is not None

    @property
    def is_memory(self) -> bool:
        """Whether nothing was there before the server, and nobody but it writes."""
        return self.path is None and self.etcd is None

    @classmethod
    def of(cls, text: str, durability: str = "strict", etcd: Mapping[str, Any] | None = None) -> Self:
        """``memory``, ``sqlite:PATH`` or ``etcd:http://HOST:PORT[,…]``, and ``strict`` or ``relaxed``.

        `etcd` are further fields of EtcdOptions. Raises ValueError.
        """
        engine, _, path = text.partition(":")
        if engine == "etcd":
            from memkube.storage.etcd.options import EtcdOptions  # noqa: PLC0415  for those who choose it

            return cls(etcd=EtcdOptions.of(path, **(etcd or {})))
        if etcd:
            raise ValueError(f"options of etcd are given, and the storage is {text}")
        if durability not in ("strict", "relaxed"):
            raise ValueError(f"no durability is called {durability}: strict or relaxed")
        if text == "memory":
            return cls()
        if engine != "sqlite" or not path:
            raise ValueError(f"no storage is called {text}: memory, sqlite:PATH, or etcd:http://HOST:PORT")
        return cls(Path(path), durability == "strict")


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of whoever starts a server."""

    controllers: tuple[str, ...] = tuple(CONTROLLERS)
    """Names of the controllers that run."""
    controller_options: ControllerOptions = field(default_factory=ControllerOptions)
    """What they are told."""
    clock: str = "real"
    """What time objects and controllers live by: ``real``, ``stepped``, or ``x60`` for sixty times as fast."""
    admission_plugins: tuple[str, ...] = DEFAULT_PLUGINS
    """Names of the admission plugins that decide over writes, in the order in which they run."""
    storage: StorageOptions = field(default_factory=StorageOptions)
    """Where objects are kept."""
    election: ElectionOptions = field(default_factory=ElectionOptions)
    """How servers on one storage agree on the one that runs the controllers."""
    history: int = 20_000
    """How many changes are kept for watches to resume from and lists to go back to."""
    history_bytes: int = 128 * 1024 * 1024
    """How many bytes of objects those changes may hold; the oldest go first."""
    requests: RequestLogOptions = field(default_factory=RequestLogOptions)
    """How much is kept of what clients have asked."""
    tokens: TokenOptions = field(default_factory=TokenOptions)
    """Who signs the tokens of service accounts, and what they are good for."""
    snapshot: "Snapshot | None" = None
    """What the server begins with; nothing but what every new cluster has, if not set."""
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    """What each client may take."""
    shutdown: ShutdownOptions = field(default_factory=ShutdownOptions)
    """How the server ends."""
    in_flight: RequestLimits = field(default_factory=RequestLimits)
    """How many requests are worked on at once."""
