"""The parts of pods that determine Endpoints and EndpointSlices (``endpointslice/util`` and ``utils.go``).

They are decoded once per revision of a pod, because the endpoints of a Service are computed again whenever one of its
pods changes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from memkube.apimachinery.ip_addresses import parse_unmapped_ip
from memkube.apimachinery.model import Document
from memkube.controllers.workloads.pod_state import is_ended, is_ready, is_terminating
from memkube.registry.objects.stored import StoredObject

IPV4: Final = "IPv4"
IPV6: Final = "IPv6"


class ContainerPort(NamedTuple):
    """A port that a container or sidecar of a pod declares."""

    name: str
    protocol: str
    number: int


@dataclass(frozen=True, slots=True)
class EndpointPod:
    """The parts of a pod that determine its Endpoints and EndpointSlices."""

    namespace: str
    name: str
    uid: str
    labels: Mapping[str, str]
    node: str
    """Name of the pod's node; empty if the pod is not bound."""
    hostname: str
    subdomain: str
    addresses: tuple[tuple[str, str], ...]
    """The pod's IP addresses: pairs of the IP family and the address in canonical form."""
    has_address: bool
    is_ended: bool
    is_ready: bool
    is_terminating: bool
    trigger_time: str
    """Time of the last change of the pod's readiness; empty if unknown."""
    ports: tuple[ContainerPort, ...]

    @classmethod
    def of(cls, stored: StoredObject) -> "EndpointPod":
        """Decode the parts of a pod that determine endpoints."""
        document = stored.document
        spec, status = document["spec"], document["status"]
        return cls(
            namespace=stored.namespace,
            name=stored.name,
            uid=stored.uid,
            labels=stored.labels,
            node=spec.get("nodeName", ""),
            hostname=spec.get("hostname", ""),
            subdomain=spec.get("subdomain", ""),
            addresses=tuple(_addresses(status)),
            has_address=bool(status.get("podIP") or status.get("podIPs")),
            is_ended=is_ended(stored),
            is_ready=is_ready(stored),
            is_terminating=is_terminating(stored),
            trigger_time=_trigger_time(status),
            ports=tuple(_ports(spec)),
        )

    def is_endpoint(self, *, includes_terminating: bool) -> bool:
        """True if the pod has an address, is not in the phase Succeeded or Failed, and is not terminating.

        If `includes_terminating` is True, a terminating pod is accepted too.
        """
        return self.has_address and not self.is_ended and (includes_terminating or not self.is_terminating)

    def address(self, family: str) -> str:
        """Return the first address of the pod in an IP family, or an empty text if it has none."""
        return next((text for each, text in self.addresses if each == family), "")

    def hostname_in(self, service: str) -> str:
        """Return the pod's hostname if its subdomain is the name of the Service `service`, otherwise an empty text."""
        return self.hostname if self.subdomain == service else ""

    def port(self, service_port: Document) -> int | None:
        """Return the port number in the pod for a Service's port; None if no container declares the target port."""
        target = service_port.get("targetPort", 0)
        if isinstance(target, int):
            return target
        protocol = service_port.get("protocol", "")
        return next((port.number for port in self.ports if (port.name, port.protocol) == (target, protocol)), None)


def membership_changed(old: EndpointPod, new: EndpointPod) -> bool:
    """True if a pod's labels, hostname or subdomain have changed (``podEndpointsChanged``).

    They determine which Services select the pod.
    """
    return old.labels != new.labels or (old.hostname, old.subdomain) != (new.hostname, new.subdomain)


def endpoint_changed(old: EndpointPod, new: EndpointPod) -> bool:
    """True if the endpoints of a pod must be computed again after the pod has changed from `old` to `new`.

    This is so if its addresses or its readiness have changed, or if it is terminating. For a terminating pod every
    change counts, as in Kubernetes, which compares pointers to deletionTimestamps.
    """
    if old.is_terminating or new.is_terminating or old.is_ready != new.is_ready:
        return True
    return old.addresses != new.addresses


def _addresses(status: Document) -> Iterator[tuple[str, str]]:
    for entry in status.get("podIPs") or []:
        address = parse_unmapped_ip(entry.get("ip", ""))
        if address is not None:
            yield IPV6 if address.version == 6 else IPV4, str(address)


def _trigger_time(status: Document) -> str:
    for condition in status.get("conditions") or []:
        if condition["type"] == "Ready":
            return condition.get("lastTransitionTime") or ""
    return ""


def _ports(spec: Document) -> Iterator[ContainerPort]:
    """Yield the ports that the containers and sidecars of a pod declare, containers first."""
    sidecars = (each for each in spec.get("initContainers") or [] if each.get("restartPolicy") == "Always")
    for container in (*spec["containers"], *sidecars):
        for port in container.get("ports") or []:
            yield ContainerPort(port.get("name", ""), port.get("protocol", ""), port["containerPort"])
