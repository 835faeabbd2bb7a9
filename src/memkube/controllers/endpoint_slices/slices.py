"""EndpointSlices as their controllers compute them, before they are written (``endpointslice/util``)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.go_dump import dump_for_hash
from memkube.apimachinery.model import Document
from memkube.apimachinery.names import is_dns1123_subdomain
from memkube.apis.discovery.v1 import GO_PACKAGE
from memkube.controllers.workloads.digest import fnv1a_128
from memkube.registry.objects.stored import StoredObject

PortsKey: TypeAlias = tuple[tuple[Any, ...], ...]
"""Key of the ports of a slice, which does not depend on their order."""
EndpointKey: TypeAlias = tuple[Any, ...]
"""Key of an endpoint in a set: addresses, hostname, and the namespace and name of the target."""

SLICES: Final = ("discovery.k8s.io", "v1", "endpointslices")
SERVICE_NAME: Final = "kubernetes.io/service-name"
MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_PORT_FIELDS: Final = ("name", "protocol", "port", "appProtocol")


@dataclass(slots=True, eq=False)
class Slice:
    """One EndpointSlice that exists or is planned. The documents in `endpoints` are shared and must not be modified."""

    address_type: str
    ports: list[Document]
    labels: dict[str, str]
    endpoints: list[Document] = field(default_factory=list)
    annotations: dict[str, str] = field(default_factory=dict)
    owner: Document = field(default_factory=dict)
    """Owner reference of a slice to be created."""
    prefix: str = ""
    """``metadata.generateName`` of a slice to be created."""
    stored: StoredObject | None = None
    """The stored revision of the slice, if the slice exists."""
    replaces: StoredObject | None = None
    """The existing slice whose name and place a new slice takes."""

    @classmethod
    def of(cls, stored: StoredObject) -> "Slice":
        """Read an existing slice. Its ports are sorted, as Kubernetes sorts the ports of slices that it has read."""
        document = stored.document
        return cls(
            address_type=document["addressType"],
            ports=sorted_ports(document.get("ports") or []),
            labels=dict(stored.labels),
            endpoints=list(document.get("endpoints") or []),
            annotations=dict(document["metadata"].get("annotations") or {}),
            stored=stored,
        )

    @property
    def key(self) -> PortsKey:
        """The key by which slices with the same ports are grouped."""
        return ports_key(self.ports)


@dataclass(slots=True)
class DesiredEndpoints:
    """Endpoints with the same ports, which the slices of a Service should contain."""

    ports: list[Document]
    endpoints: dict[EndpointKey, Document] = field(default_factory=dict)


@dataclass(slots=True)
class Plan:
    """The EndpointSlices that a reconciliation creates, updates and deletes."""

    create: list[Slice] = field(default_factory=list)
    update: list[Slice] = field(default_factory=list)
    delete: list[Slice] = field(default_factory=list)

    def add(self, other: "Plan") -> None:
        """Add the slices of another plan to this one."""
        self.create += other.create
        self.update += other.update
        self.delete += other.delete

    def unchanged(self, slices: Iterable[Slice]) -> list[Slice]:
        """Return those of the given existing slices that are neither updated nor deleted."""
        changed = [*self.update, *self.delete]
        return [each for each in slices if each not in changed]


def name_prefix(owner: str) -> str:
    """Return the ``generateName`` for the EndpointSlices of a Service or Endpoints object."""
    prefix = f"{owner}-"
    # Kubernetes checks a prefix with a letter in place of its last two characters.
    return owner if is_dns1123_subdomain(f"{prefix[:-2]}a") else prefix


def ports_key(ports: Iterable[Document]) -> PortsKey:
    """Return a key that is equal for equal lists of ports, in any order."""
    return tuple(sorted((_port_key(port) for port in ports), key=repr))


def sorted_ports(ports: Sequence[Document]) -> list[Document]:
    """Return ports in Kubernetes' order, which is that of their hashes."""
    return list(ports) if len(ports) < 2 else sorted(ports, key=lambda port: _port_digest(_port_key(port)))


def _port_key(port: Document) -> tuple[Any, ...]:
    return tuple(port.get(name) for name in _PORT_FIELDS)


@lru_cache(maxsize=1024)
def _port_digest(key: tuple[Any, ...]) -> int:
    document = dict(zip(_PORT_FIELDS, key, strict=True))
    return fnv1a_128(dump_for_hash(go_package(GO_PACKAGE), "EndpointPort", document).encode())


def endpoint_key(endpoint: Document) -> EndpointKey:
    """Return a key of an endpoint: its addresses, hostname and target (``hashEndpoint``)."""
    target = endpoint.get("targetRef") or {}
    hostname = endpoint.get("hostname") or ""
    return tuple(sorted(endpoint["addresses"])), hostname, target.get("namespace", ""), target.get("name", "")


def same_endpoint(one: Document, other: Document) -> bool:
    """True if two endpoints with the same key are equal apart from hints (``EndpointsEqualBeyondHash``)."""
    return _compared(one) == _compared(other)


def _compared(endpoint: Document) -> tuple[Any, ...]:
    conditions, target = endpoint.get("conditions") or {}, endpoint.get("targetRef")
    if target is not None and "resourceVersion" in target:
        target = {name: value for name, value in target.items() if name != "resourceVersion"}
    states = tuple(conditions.get(name) for name in ("ready", "serving", "terminating"))
    return endpoint.get("nodeName"), endpoint.get("zone"), states, target


def is_ready(endpoint: Document) -> bool:
    """True if the condition ``ready`` of an endpoint is true."""
    return (endpoint.get("conditions") or {}).get("ready") is True


def with_hints(endpoint: Document, hints: Document | None) -> Document:
    """Return a copy of an endpoint with these topology hints. If `hints` is None, the copy has no hints."""
    others = {name: value for name, value in endpoint.items() if name != "hints"}
    return others if hints is None else {**others, "hints": hints}
