"""The range of service addresses, and the service at its first address: the API server itself.

Sources: ``pkg/controlplane/controller/defaultservicecidr``, ``pkg/controlplane/controller/kubernetesservice`` and
``pkg/controlplane/reconcilers``.
"""

import socket
from ipaddress import ip_address, ip_network
from typing import Final, NamedTuple

import orjson

from memkube.apimachinery.model import Document
from memkube.bootstrap.objects import create
from memkube.registry.clock import written_now
from memkube.registry.patching import APPLY_PATCH, Patch
from memkube.registry.registry import Registry
from memkube.registry.requests import WriteContext

SERVICE_RANGE: Final = "10.0.0.0/24"
"""Where service addresses come from (``--service-cluster-ip-range``)."""
_NAME: Final = "kubernetes"
_NAMESPACE: Final = "default"
_RANGE_CONTROLLER: Final = "kubernetes-service-cidr-controller"
_SECURE_PORT: Final = 6443
_DISCARD_PORT: Final = 9
_ELSEWHERE: Final = "192.0.2.1"


class ServerAddress(NamedTuple):
    """Where a server listens."""

    host: str
    port: int


async def create_service_range(registry: Registry) -> None:
    """The default ServiceCIDR, which is ready at once."""
    await create(
        registry,
        ("networking.k8s.io", "v1", "servicecidrs"),
        {"metadata": {"name": _NAME}, "spec": {"cidrs": [SERVICE_RANGE]}},
    )
    store = registry.find("networking.k8s.io", "v1", "servicecidrs")
    condition = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": written_now(registry.clock),
        "message": "Kubernetes default Service CIDR is ready",
    }
    applied = {
        "apiVersion": store.resource.api_version,
        "kind": store.resource.kind,
        "metadata": {"name": _NAME},
        "status": {"conditions": [condition]},
    }
    patch = Patch(APPLY_PATCH, orjson.dumps(applied), "Ignore")
    status = store.resource.subresource("status")
    await store.apply(_NAME, patch, WriteContext(manager=_RANGE_CONTROLLER), status, force=True)


async def create_kubernetes_service(registry: Registry, address: ServerAddress | None) -> None:
    """The service that names the API server, with its endpoints.

    Endpoints cannot be on a loopback address: a server that listens there has those of its machine's default route,
    and none where there is no such route.
    """
    port = address.port if address else _SECURE_PORT
    await create(
        registry,
        ("", "v1", "services"),
        {
            "metadata": {"name": _NAME, "labels": {"component": "apiserver", "provider": "kubernetes"}},
            "spec": {
                "ports": [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": port}],
                "clusterIP": str(ip_network(SERVICE_RANGE)[1]),
                "ipFamilyPolicy": "SingleStack",
                "sessionAffinity": "None",
                "type": "ClusterIP",
            },
        },
        _NAMESPACE,
    )
    ip = _public_address(address.host) if address else None
    if ip is not None:
        await _create_endpoints(registry, ip, port)


async def _create_endpoints(registry: Registry, ip: str, port: int) -> None:
    ports = [{"name": "https", "port": port, "protocol": "TCP"}]
    endpoints: Document = {
        "metadata": {"name": _NAME, "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}},
        "subsets": [{"addresses": [{"ip": ip}], "ports": ports}],
    }
    await create(registry, ("", "v1", "endpoints"), endpoints, _NAMESPACE)
    endpoint_slice: Document = {
        "metadata": {"name": _NAME, "labels": {"kubernetes.io/service-name": _NAME}},
        "addressType": f"IPv{ip_address(ip).version}",
        "endpoints": [{"addresses": [ip], "conditions": {"ready": True}}],
        "ports": ports,
    }
    await create(registry, ("discovery.k8s.io", "v1", "endpointslices"), endpoint_slice, _NAMESPACE)


def _public_address(host: str) -> str | None:
    """The address at which others find a server that listens on `host` (apimachinery's ``ResolveBindAddress``)."""
    try:
        listening = ip_address(host)
    except ValueError:
        return _routed_address()
    return _routed_address() if listening.is_loopback or listening.is_unspecified else str(listening)


def _routed_address() -> str | None:
    """This machine's address on its default route; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_ELSEWHERE, _DISCARD_PORT))
        except OSError:
            return None
        found = str(probe.getsockname()[0])
    address = ip_address(found)
    return None if address.is_loopback or address.is_unspecified or address.is_link_local else found
