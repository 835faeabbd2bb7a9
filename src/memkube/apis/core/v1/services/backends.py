"""Network addresses of services that the API server calls: webhooks and extension API servers.

The simulated pods have no reachable address. A service is therefore reachable only if a listener is registered for it,
if it is of type ExternalName, or if its Endpoints contain an address that is not a pod's. Sources:
``NewClusterIPServiceResolver`` of kube-aggregator, ``ResolveCluster`` in apiserver's ``pkg/util/proxy``, and kube-proxy
for choosing an endpoint.
"""

from collections.abc import Iterator

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.hooks.configuration import HookFailed
from memkube.hooks.services import Listeners, ServicePort
from memkube.registry.declarations.interface import Stores


class ServiceBackends:
    """Resolves services to network addresses; implements :class:`memkube.hooks.configuration.ServiceResolver`."""

    def __init__(self, stores: Stores, listeners: Listeners) -> None:
        self._stores = stores
        self._listeners = listeners

    async def resolve(self, namespace: str, name: str, port: int) -> tuple[str, int]:
        """Return the host and port to which requests for a port of a Service are sent.

        These are, in this order of preference: the listener that is registered for the port, the external name of the
        Service, or a ready endpoint that is not a pod. Raises HookFailed if the Service or its port does not exist, if
        the Service is headless, or if it has no ready endpoint that is not a pod.
        """
        listener = self._listeners.get(ServicePort(namespace, name, port))
        if listener is not None:
            return listener.host, listener.port
        try:
            stored = await self._stores.find("", "v1", "services").get(namespace, name)
        except ApiError:
            raise HookFailed(f"service {quoted(name)} not found") from None
        spec = stored.document["spec"]
        if spec.get("type") == "ExternalName":
            return spec.get("externalName", ""), port
        if spec.get("clusterIP") == "None" and spec.get("type") == "ClusterIP":
            raise HookFailed('cannot route to service with ClusterIP "None"')
        found = next((one for one in spec.get("ports") or [] if one["port"] == port), None)
        if found is None:
            raise HookFailed(f"no service port {port} found for service {quoted(name)}")
        for backend in await self._external_endpoints(namespace, name, found.get("name", "")):
            return backend
        address = spec.get("clusterIP", "")
        shown = f"[{address}]" if ":" in address else address
        raise HookFailed(f"dial tcp {shown}:{port}: connect: connection refused")

    async def _external_endpoints(self, namespace: str, name: str, port_name: str) -> list[tuple[str, int]]:
        """Return the IP address and port number of each ready endpoint that is no pod.

        `namespace` and `name` are those of the Service. An endpoint can have several ports: the number is that of the
        port with the name `port_name`.
        """
        try:
            endpoints = (await self._stores.find("", "v1", "endpoints").get(namespace, name)).document
        except ApiError:
            return []
        return list(_backends(endpoints, port_name))


def _backends(endpoints: Document, port_name: str) -> Iterator[tuple[str, int]]:
    for subset in endpoints.get("subsets") or []:
        numbers = [port["port"] for port in subset.get("ports") or [] if port.get("name", "") == port_name]
        for address in subset.get("addresses") or []:
            if (address.get("targetRef") or {}).get("kind") != "Pod":
                yield from ((address["ip"], number) for number in numbers)
