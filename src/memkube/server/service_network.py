"""The default ServiceCIDR, and the Service ``kubernetes``, which has the first address of that range.

Sources: ``pkg/controlplane/controller/defaultservicecidr``, ``pkg/controlplane/controller/kubernetesservice`` and
``pkg/controlplane/reconcilers``.
"""

import socket
from ipaddress import IPv4Network, ip_address
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.registry.registry import Registry
from memkube.registry.writes.initial_objects import InitialObject, Owned
from memkube.time.clock import written_now

SERVICE_RANGE: Final = "10.0.0.0/24"
"""Default address range of cluster IPs (``--service-cluster-ip-range``)."""
_NAME: Final = "kubernetes"
_PORT: Final = 443
_PORT_NAME: Final = "https"
_NAMESPACE: Final = "default"
_RANGE_CONTROLLER: Final = "kubernetes-service-cidr-controller"
_SECURE_PORT: Final = 6443
_DISCARD_PORT: Final = 9
_ELSEWHERE: Final = "192.0.2.1"


class ServerAddress(NamedTuple):
    """Host and port that a server listens on."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """URL of the server for other machines.

        If the server listens on all addresses, the URL contains the machine's own address.
        """
        host = self.host
        if host in ("0.0.0.0", "::"):  # noqa: S104  compared with, not bound to
            host = _routed_address() or "127.0.0.1"
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


class ServiceNetwork(NamedTuple):
    """The range of cluster IPs, and the server's addresses inside and outside of the cluster."""

    address: ServerAddress | None = None
    """Address that the server listens on.

    None if it is unknown, or must not appear in the endpoints of the Service ``kubernetes``.
    """
    service_range: str = SERVICE_RANGE
    """IPv4 range of cluster IPs. The Service ``kubernetes`` has its first address."""
    advertised: str = ""
    """Address in the endpoints of the Service ``kubernetes``; empty to derive the address from `address`."""

    @property
    def first_address(self) -> str:
        """Cluster IP of the Service ``kubernetes``."""
        return str(IPv4Network(self.service_range)[1])

    def public_address(self) -> str | None:
        """Return the server's address for other machines; None if it has no address that Endpoints may contain."""
        if self.address is None:
            return None
        if self.advertised:
            given = ip_address(self.advertised)
            return None if given.is_loopback or given.is_unspecified else self.advertised
        return _public_address(self.address.host)


async def create_service_range(registry: Registry, network: ServiceNetwork) -> None:
    """Store the default ServiceCIDR, with the condition Ready set to True."""
    await registry.store_initial(_service_range(network.service_range, written_now(registry.clock)))


def _service_range(service_range: str, now: Time) -> InitialObject:
    ready = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": now,
        "reason": "",
        "message": "Kubernetes default Service CIDR is ready",
    }
    states: Document = {"f:lastTransitionTime": {}, "f:message": {}, "f:status": {}, "f:type": {}}
    applied = {"f:status": {"f:conditions": {'k:{"type":"Ready"}': {".": {}, **states}}}}
    return InitialObject(
        ("networking.k8s.io", "v1", "servicecidrs"),
        {"metadata": {"name": _NAME}, "spec": {"cidrs": [service_range]}, "status": {"conditions": [ready]}},
        [Owned(applied, _RANGE_CONTROLLER, "Apply", "status"), Owned({"f:spec": {"f:cidrs": {}}})],
    )


async def create_kubernetes_service(registry: Registry, network: ServiceNetwork) -> None:
    """Store the Service ``kubernetes`` and its endpoints.

    Endpoints cannot have a loopback address. If the server listens on one, the endpoints have the machine's address on
    the default route; without a default route, no endpoints are stored.
    """
    await registry.store_initial(_address(network), _service(network))
    await create_kubernetes_endpoints(registry, network)


async def create_kubernetes_endpoints(registry: Registry, network: ServiceNetwork) -> None:
    """Store the Endpoints and the EndpointSlice of the API server, unless they exist."""
    ip = network.public_address()
    if network.address is not None and ip is not None:
        port = network.address.port
        await registry.store_initial(_endpoints(ip, port), _endpoint_slice(ip, port))


async def restore_service_network(registry: Registry, network: ServiceNetwork) -> bool:
    """Recreate the default ServiceCIDR, and the Service ``kubernetes`` with its endpoints.

    Return False if another Service has the cluster IP of the Service ``kubernetes``.
    """
    await create_service_range(registry, network)
    if await registry.store_initial(_address(network)):
        await registry.store_initial(_service(network))
    await create_kubernetes_endpoints(registry, network)
    return await _exists(registry)


async def _exists(registry: Registry) -> bool:
    try:
        await registry.find("", "v1", "services").get(_NAMESPACE, _NAME)
    except ApiError:
        return False
    return True


def _address(network: ServiceNetwork) -> InitialObject:
    labels = {"ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}
    parent = {"resource": "services", "namespace": _NAMESPACE, "name": _NAME}
    reference: Document = {".": {}, "f:name": {}, "f:namespace": {}, "f:resource": {}}
    return InitialObject(
        ("networking.k8s.io", "v1", "ipaddresses"),
        {"metadata": {"name": network.first_address, "labels": labels}, "spec": {"parentRef": parent}},
        [Owned({"f:metadata": {"f:labels": _keys(labels)}, "f:spec": {"f:parentRef": reference}})],
    )


def _service(network: ServiceNetwork) -> InitialObject:
    port = network.address.port if network.address else _SECURE_PORT
    labels = {"component": "apiserver", "provider": "kubernetes"}
    exposed = {"name": _PORT_NAME, "protocol": "TCP", "port": _PORT, "targetPort": port}
    spec = {
        "ports": [exposed],
        "clusterIP": network.first_address,
        "clusterIPs": [network.first_address],
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "internalTrafficPolicy": "Cluster",
    }
    ports = {".": {}, f'k:{{"port":{_PORT},"protocol":"TCP"}}': _keys(exposed)}
    own = {name: spec[name] for name in sorted(spec) if name not in ("clusterIPs", "ipFamilies")}
    fields = {**_keys(own, present=False), "f:ports": ports}
    return InitialObject(
        ("", "v1", "services"),
        {
            "metadata": {"name": _NAME, "namespace": _NAMESPACE, "labels": labels},
            "spec": spec,
            "status": {"loadBalancer": {}},
        },
        [Owned({"f:metadata": {"f:labels": _keys(labels)}, "f:spec": fields})],
    )


def _endpoints(ip: str, port: int) -> InitialObject:
    labels = {"endpointslice.kubernetes.io/skip-mirror": "true"}
    ports = [{"name": _PORT_NAME, "port": port, "protocol": "TCP"}]
    return InitialObject(
        ("", "v1", "endpoints"),
        {
            "metadata": {"name": _NAME, "namespace": _NAMESPACE, "labels": labels},
            "subsets": [{"addresses": [{"ip": ip}], "ports": ports}],
        },
        [Owned({"f:metadata": {"f:labels": _keys(labels)}, "f:subsets": {}})],
    )


def _endpoint_slice(ip: str, port: int) -> InitialObject:
    labels = {"kubernetes.io/service-name": _NAME}
    return InitialObject(
        ("discovery.k8s.io", "v1", "endpointslices"),
        {
            "metadata": {"name": _NAME, "namespace": _NAMESPACE, "generation": 1, "labels": labels},
            "addressType": f"IPv{ip_address(ip).version}",
            "endpoints": [{"addresses": [ip], "conditions": {"ready": True}}],
            "ports": [{"name": _PORT_NAME, "protocol": "TCP", "port": port}],
        },
        [Owned({"f:addressType": {}, "f:endpoints": {}, "f:metadata": {"f:labels": _keys(labels)}, "f:ports": {}})],
    )


def _keys(owned: Document, *, present: bool = True) -> Document:
    """Return the managedFields entry (FieldsV1) that owns each key of the map `owned`.

    With `present`, the entry also owns the map itself (``.``), like the entry of a manager that created the map.
    """
    keys: Document = {f"f:{name}": {} for name in sorted(owned)}
    return {".": {}, **keys} if present else keys


def _public_address(host: str) -> str | None:
    """Return the address at which other machines reach a server on `host` (apimachinery ``ResolveBindAddress``)."""
    try:
        listening = ip_address(host)
    except ValueError:
        return _routed_address()
    return _routed_address() if listening.is_loopback or listening.is_unspecified else str(listening)


def _routed_address() -> str | None:
    """Return the machine's address on its default route, without sending packets; None if there is no such address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_ELSEWHERE, _DISCARD_PORT))
        except OSError:
            return None
        found = str(probe.getsockname()[0])
    address = ip_address(found)
    return None if address.is_loopback or address.is_unspecified or address.is_link_local else found
