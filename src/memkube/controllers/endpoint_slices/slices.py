"""EndpointSlices as the controllers plan them, before they are written (``endpointslice/util``)."""

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
"""Key of the ports of an EndpointSlice. The order of the ports does not matter."""
EndpointKey: TypeAlias = tuple[Any, ...]
"""Key of an endpoint: its addresses, its hostname, and the namespace and name of its target."""

SLICES: Final = ("discovery.k8s.io", "v1", "endpointslices")
SERVICE_NAME: Final = "kubernetes.io/service-name"
MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_PORT_FIELDS: Final = ("name", "protocol", "port", "appProtocol")


@dataclass(slots=True, eq=False)
class Slice:
    """An existing or planned EndpointSlice. Do not modify the documents in `endpoints`: stored objects contain them."""

    address_type: str
    ports: list[Document]
    labels: dict[str, str]
    endpoints: list[Document] = field(default_factory=list)
    annotations: dict[str, str] = field(default_factory=dict)
    owner: Document = field(default_factory=dict)
    """Owner reference of the EndpointSlice, if the slice is to be created."""
    prefix: str = ""
    """``metadata.generateName`` of the EndpointSlice, if the slice is to be created."""
    stored: StoredObject | None = None
    """The stored revision of the EndpointSlice, or None if the slice does not exist."""
    replaces: StoredObject | None = None
    """An existing EndpointSlice that is to be overwritten with this planned one, or None."""

    @classmethod
    def of(cls, stored: StoredObject) -> "Slice":
        """Decode a stored EndpointSlice. Its ports are sorted, as Kubernetes sorts them."""
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
        """Key for grouping EndpointSlices that have the same ports."""
        return ports_key(self.ports)


@dataclass(slots=True)
class DesiredEndpoints:
    """Endpoints with the same ports, to be distributed over EndpointSlices."""

    ports: list[Document]
    endpoints: dict[EndpointKey, Document] = field(default_factory=dict)


@dataclass(slots=True)
class Plan:
    """EndpointSlices that a reconciliation creates, updates and deletes."""

    create: list[Slice] = field(default_factory=list)
    update: list[Slice] = field(default_factory=list)
    delete: list[Slice] = field(default_factory=list)

    def add(self, other: "Plan") -> None:
        """Add the EndpointSlices of another plan to this plan."""
        self.create += other.create
        self.update += other.update
        self.delete += other.delete

    def unchanged(self, slices: Iterable[Slice]) -> list[Slice]:
        """Return the EndpointSlices in `slices` that this plan neither updates nor deletes."""
        changed = [*self.update, *self.delete]
        return [each for each in slices if each not in changed]


def name_prefix(owner: str) -> str:
    """Return the ``generateName`` for EndpointSlices of the Service or Endpoints with the name `owner`."""
    prefix = f"{owner}-"
    # As in Kubernetes, a prefix is valid if it is a valid name with a letter in place of its last two characters.
    return owner if is_dns1123_subdomain(f"{prefix[:-2]}a") else prefix


def ports_key(ports: Iterable[Document]) -> PortsKey:
    """Return a key that is equal for two lists with the same ports, in any order."""
    return tuple(sorted((_port_key(port) for port in ports), key=repr))


def sorted_ports(ports: Sequence[Document]) -> list[Document]:
    """Return ports in the order of their hashes, as Kubernetes sorts them."""
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
    """Return a copy of an endpoint whose topology hints are `hints`; without hints if `hints` is None."""
    others = {name: value for name, value in endpoint.items() if name != "hints"}
    return others if hints is None else {**others, "hints": hints}
