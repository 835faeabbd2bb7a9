"""The endpoints of services, as kube-proxy and the cluster DNS see them."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.registry.objects.stored import StoredObject

_SERVICE_NAME: Final = "kubernetes.io/service-name"


class Endpoint(NamedTuple):
    """An IPv4 endpoint of a service."""

    address: str
    hostname: str
    node: str
    ports: dict[str, int]
    """Ports by name."""
    is_ready: bool
    is_terminating: bool
    """True if the endpoint is terminating but still serves requests."""


def endpoints_of(service: StoredObject, slices: Informer) -> Iterator[Endpoint]:
    """Yield the IPv4 endpoints of a service, from its EndpointSlices among `slices`."""
    for found in slices.in_namespace(service.namespace).values():
        document: Document = found.document
        if found.labels.get(_SERVICE_NAME) != service.name or document["addressType"] != "IPv4":
            continue
        ports = {port.get("name") or "": port["port"] for port in document.get("ports") or () if port.get("port")}
        for endpoint in document.get("endpoints") or ():
            conditions = endpoint.get("conditions") or {}
            yield Endpoint(
                endpoint["addresses"][0],
                endpoint.get("hostname") or "",
                endpoint.get("nodeName") or "",
                ports,
                conditions.get("ready", True) is not False,
                bool(conditions.get("terminating") and conditions.get("serving")),
            )
