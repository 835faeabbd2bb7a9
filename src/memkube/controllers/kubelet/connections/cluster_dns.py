"""The cluster DNS, as the specification describes it (https://github.com/kubernetes/dns, ``docs/specification.md``).

Hosts outside the cluster have no names.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memkube.controllers.framework.informer import Informer
from memkube.controllers.kubelet.connections.service_endpoints import Endpoint, endpoints_of
from memkube.controllers.kubelet.pod_context import CLUSTER_DOMAIN
from memkube.controllers.kubelet.programs.program import NotSimulated
from memkube.registry.objects.stored import StoredObject

_MOST_ALIASES: Final = 8
_OF_SERVICE, _OF_ENDPOINT = 2, 3
_OF_PORT: Final = 4
_REVERSE: Final = ".in-addr.arpa"
_WEIGHTS: Final = 100
"""Sum of the weights of the SRV records of a name."""


class Record(NamedTuple):
    """A DNS record: the name that has it, its type and its data."""

    owner: str
    """Fully qualified name that has the record, without a dot at the end."""
    type: str
    data: str


class ClusterDns:
    """Answers DNS queries about services and their endpoints."""

    def __init__(self, services: Informer, slices: Informer) -> None:
        """`services` has the Services of the cluster, and `slices` their EndpointSlices."""
        self._services = services
        self._slices = slices

    def resolve(self, name: str) -> list[str]:
        """Return the IP addresses of a fully qualified DNS name; empty if the name does not exist."""
        return [record.data for record in self.records(name, "A") if record.type == "A"]

    def records(self, name: str, record_type: str) -> list[Record]:
        """Return the answer to a query for a fully qualified name and a type such as ``A``.

        An alias is followed: the answer has its CNAME record, and then the records of its target. Raises NotSimulated
        for a type that is not simulated.
        """
        owner = name.rstrip(".").lower()
        found: list[Record] = []
        for _ in range(_MOST_ALIASES + 1):
            target = self._alias(owner)
            if not target or record_type == "SRV":
                return [*found, *self._own_records(owner, record_type)]
            found.append(Record(owner, "CNAME", f"{target}."))
            if record_type == "CNAME":
                return found
            owner = target
        return []

    def name_of(self, address: str) -> str:
        """Return the DNS name of the service or endpoint that has an IP address; empty if there is none."""
        for service in self._services:
            if service.document["spec"].get("clusterIP") == address:
                return _name(service)
        names = {
            bool(one.hostname): f"{_host(one)}.{_name(service)}"
            for service in self._services
            for one in endpoints_of(service, self._slices)
            if one.address == address and one.is_ready
        }
        return names.get(True) or names.get(False, "")

    def _own_records(self, name: str, record_type: str) -> list[Record]:
        """Return the records of a name that is not an alias."""
        match record_type:
            case "A":
                return [Record(name, "A", address) for address in self._addresses(name)]
            case "AAAA" | "CNAME":
                return []
            case "PTR":
                address = ".".join(reversed(name.removesuffix(_REVERSE).split("."))) if name.endswith(_REVERSE) else ""
                found = self.name_of(address) if address else ""
                return [Record(name, "PTR", f"{found}.")] if found else []
            case "SRV":
                return [Record(name, "SRV", data) for data in self._servers(name)]
        raise NotSimulated(f"a DNS query for {record_type} records is not simulated")

    def _alias(self, name: str) -> str:
        """Return the name that an alias stands for; empty if `name` is no alias. ExternalName Services are aliases."""
        labels = _labels(name, "svc")
        service = self._service(labels) if len(labels) == _OF_SERVICE else None
        if service is None or service.document["spec"].get("type") != "ExternalName":
            return ""
        target: str = service.document["spec"].get("externalName") or ""
        return target.rstrip(".")

    def _addresses(self, name: str) -> list[str]:
        if len(pod := _labels(name, "pod")) == _OF_SERVICE:
            return [pod[0].replace("-", ".")]
        labels = _labels(name, "svc")
        service = self._service(labels)
        if service is None or len(labels) > _OF_ENDPOINT:
            return []
        cluster_ip = service.document["spec"].get("clusterIP", "None")
        if len(labels) == _OF_SERVICE and cluster_ip not in ("", "None"):
            return [cluster_ip]
        label = labels[0] if len(labels) == _OF_ENDPOINT else ""
        return sorted({one.address for one in self._ready(service) if label in ("", _host(one))})

    def _servers(self, name: str) -> list[str]:
        """Return the data of the SRV records of a port, whose name is ``_PORT._PROTOCOL.SERVICE.NAMESPACE.svc…``."""
        labels = _labels(name, "svc")
        service = self._service(labels) if len(labels) == _OF_PORT else None
        if service is None:
            return []
        port, protocol = (label.removeprefix("_") for label in labels[:2])
        spec = service.document["spec"]
        ports = [one for one in spec.get("ports") or () if one.get("name") == port]
        ports = [one for one in ports if one.get("protocol", "TCP").lower() == protocol]
        if not ports:
            return []
        if spec.get("clusterIP", "None") != "None":
            return [f"0 {_WEIGHTS} {ports[0]['port']} {_name(service)}."]
        ready = [one for one in self._ready(service) if port in one.ports]
        return [f"0 {_WEIGHTS // len(ready)} {one.ports[port]} {_host(one)}.{_name(service)}." for one in ready]

    def _service(self, labels: Sequence[str]) -> StoredObject | None:
        """Return the service whose name and namespace are the last two labels."""
        return self._services.get(labels[-1], labels[-2]) if len(labels) >= _OF_SERVICE else None

    def _ready(self, service: StoredObject) -> Iterator[Endpoint]:
        return (one for one in endpoints_of(service, self._slices) if one.is_ready)


def _labels(name: str, kind: str) -> list[str]:
    """Return the labels of a name before ``svc.cluster.local`` or ``pod.cluster.local``, as `kind` says.

    For any other name, the result is empty.
    """
    end = f".{kind}.{CLUSTER_DOMAIN}"
    return name.removesuffix(end).split(".") if name.endswith(end) else []


def _name(service: StoredObject) -> str:
    return f"{service.name}.{service.namespace}.svc.{CLUSTER_DOMAIN}"


def _host(endpoint: Endpoint) -> str:
    """Return the label of an endpoint below the name of its service."""
    return endpoint.hostname or endpoint.address.replace(".", "-")
