"""The network of simulated pods: cluster DNS names, and HTTP requests to services and pods.

Names are those of the DNS specification of Kubernetes (https://github.com/kubernetes/dns, ``docs/specification.md``).
Hosts outside the cluster are not reachable.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.kubelet.connections.servers import encoded, listening
from memkube.controllers.kubelet.pod import SimulatedPod
from memkube.controllers.kubelet.programs.program import NotSimulated
from memkube.controllers.kubelet.rules import ContainerRules
from memkube.registry.objects.stored import StoredObject

_ZONE: Final = "cluster.local"
_SERVICE_NAME: Final = "kubernetes.io/service-name"
_LOOPBACK: Final = ("127.0.0.1", "::1")
_MOST_ALIASES: Final = 8
_OF_SERVICE, _OF_ENDPOINT = 2, 3
REFUSED: Final = "Connection refused"
TIMED_OUT: Final = "Connection timed out"
EMPTY_REPLY: Final = "Empty reply from server"


class ClusterNetwork:
    """The network of the cluster, as simulated containers use it: DNS names, and HTTP requests to services and pods."""

    def __init__(
        self, runtime: Runtime, find: Callable[[Pod, str], SimulatedPod | None], rules: ContainerRules
    ) -> None:
        """Create the network of the simulated pods.

        `find(pod, node)` returns the SimulatedPod of a Pod, for a request from another pod on `node`. It raises
        ApiError if the request cannot reach the pod. `rules` determine on which ports containers listen, and what they
        respond.
        """
        self._services = runtime.informers.of("", "v1", "services")
        self._slices = runtime.informers.of("discovery.k8s.io", "v1", "endpointslices")
        self.pods: Informer = runtime.informers.of("", "v1", "pods")
        self._find = find
        self._rules = rules
        self._requests: Counter[str] = Counter()
        """Number of requests by cluster IP, to let the endpoints of a service take turns."""

    def of(self, namespace: str, pod: str, node: str) -> "PodNetwork":
        """Return the network as a pod on `node` uses it: with DNS search domains, and with requests from its node."""
        return PodNetwork(self, namespace, pod, node)

    def resolve(self, name: str, aliases: int = 0) -> list[str]:
        """Return the IP addresses of a fully qualified DNS name; empty if the name does not exist.

        `aliases` is the number of Services of type ExternalName that were followed to this name. If there were too many
        in a row, the name does not resolve.
        """
        labels = name.rstrip(".").split(".")
        if ".".join(labels[-3:]) == f"svc.{_ZONE}":
            return self._resolve_service(labels[:-3], aliases)
        if ".".join(labels[-3:]) == f"pod.{_ZONE}" and len(labels) == _OF_SERVICE + 3:
            return [labels[0].replace("-", ".")]
        return []

    def _resolve_service(self, labels: list[str], aliases: int) -> list[str]:
        service = self._services.get(labels[-1], labels[-2]) if len(labels) >= _OF_SERVICE else None
        if service is None or len(labels) > _OF_ENDPOINT:
            return []
        spec = service.document["spec"]
        if len(labels) == _OF_SERVICE and spec.get("externalName"):
            return self.resolve(spec["externalName"], aliases + 1) if aliases < _MOST_ALIASES else []
        if len(labels) == _OF_SERVICE and spec.get("clusterIP", "None") != "None":
            return [spec["clusterIP"]]
        label = labels[0] if len(labels) == _OF_ENDPOINT else ""
        ready = self._endpoints(service)
        return sorted({address for address, host, _ in ready if label in ("", host or address.replace(".", "-"))})

    def name_of(self, address: str) -> str:
        """Return the DNS name of the service or endpoint that has an IP address; empty if there is none."""
        for service in self._services:
            if service.document["spec"].get("clusterIP") == address:
                return f"{service.name}.{service.namespace}.svc.{_ZONE}"
        names = {
            bool(host): f"{host or address.replace('.', '-')}.{service.name}.{service.namespace}.svc.{_ZONE}"
            for service in self._services
            for found, host, _ in self._endpoints(service)
            if found == address
        }
        return names.get(True) or names.get(False, "")

    def request(self, address: str, port: int, target: str, node: str) -> bytes:
        """Send an HTTP request from a pod on `node` to a pod or service, and return the HTTP/1.1 response.

        `address` is the IP address of a pod or service, and `target` the path with an optional query. Raises OSError
        with the text REFUSED, TIMED_OUT or EMPTY_REPLY. Raises NotSimulated for a port of the Service ``kubernetes``.
        """
        for service in self._services:
            if service.document["spec"].get("clusterIP") == address:
                address, port = self._backend(service, port)
                break
        pod = next((pod for pod in self.pods if pod.document["status"].get("podIP") == address), None)
        if pod is None:
            raise OSError(TIMED_OUT)
        return self.request_pod(pod, port, target, node)

    def request_pod(self, stored: StoredObject, port: int, target: str, node: str) -> bytes:
        """Send an HTTP request from a pod on `node` to the pod `stored`, and return the response.

        `target` is the path with an optional query. Raises OSError with the reason if there is no response.
        """
        pod = Pod.from_document(stored.document)
        try:
            simulated = self._find(pod, node)
        except ApiError:
            raise OSError(TIMED_OUT) from None
        server = None if simulated is None else listening(pod, simulated, self._rules).get(port)
        if server is None:
            raise OSError(REFUSED)
        if not server.speaks_http:
            raise OSError(EMPTY_REPLY)
        return encoded(server.answer(target), is_head=False, closes=True)

    def _backend(self, service: StoredObject, port: int) -> tuple[str, int]:
        named = next((p for p in service.document["spec"].get("ports") or () if p["port"] == port), None)
        if named is None:
            raise OSError(TIMED_OUT)
        if (service.namespace, service.name) == ("default", "kubernetes"):
            raise NotSimulated("a request to the API server from a container is not simulated")
        found = sorted(
            (address, ports[named.get("name", "")])
            for address, _, ports in self._endpoints(service)
            if named.get("name", "") in ports
        )
        if not found:
            raise OSError(REFUSED)
        self._requests[service.uid] += 1
        return found[(self._requests[service.uid] - 1) % len(found)]

    def _endpoints(self, service: StoredObject) -> Iterator[tuple[str, str, dict[str, int]]]:
        """Yield the address, the hostname and the ports by name of each ready IPv4 endpoint of a service."""
        for found in self._slices.in_namespace(service.namespace).values():
            document: Document = found.document
            if found.labels.get(_SERVICE_NAME) != service.name or document["addressType"] != "IPv4":
                continue
            ports = {port.get("name") or "": port["port"] for port in document.get("ports") or () if port.get("port")}
            for endpoint in document.get("endpoints") or ():
                if (endpoint.get("conditions") or {}).get("ready", True) is not False:
                    yield endpoint["addresses"][0], endpoint.get("hostname") or "", ports


class PodNetwork:
    """The network of one pod: resolves names in its namespace's search domains, and sends requests from its node."""

    __slots__ = ("_cluster", "_namespace", "_node", "_pod")

    def __init__(self, cluster: ClusterNetwork, namespace: str, pod: str, node: str) -> None:
        self._cluster = cluster
        self._namespace = namespace
        self._pod = pod
        self._node = node

    def resolve(self, name: str) -> list[str]:
        if name.endswith("."):
            return self._cluster.resolve(name)
        for domain in (f"{self._namespace}.svc.{_ZONE}", f"svc.{_ZONE}", _ZONE):
            if found := self._cluster.resolve(f"{name}.{domain}"):
                return found
        return self._cluster.resolve(name)

    def name_of(self, address: str) -> str:
        return self._cluster.name_of(address)

    def request(self, address: str, port: int, target: str) -> bytes:
        if address not in _LOOPBACK:
            return self._cluster.request(address, port, target, self._node)
        own = self._cluster.pods.get(self._namespace, self._pod)
        if own is None:
            raise OSError(REFUSED)
        return self._cluster.request_pod(own, port, target, self._node)
