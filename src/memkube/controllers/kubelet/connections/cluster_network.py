"""The network of simulated pods: connections to services, pods and ports of nodes, as kube-proxy makes them.

Hosts outside the cluster are not reachable.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.kubelet.connections.cluster_dns import ClusterDns
from memkube.controllers.kubelet.connections.servers import SimulatedServer, datagram_servers, encoded, listening
from memkube.controllers.kubelet.connections.service_endpoints import Endpoint, endpoints_of
from memkube.controllers.kubelet.containers.rules import ContainerRules
from memkube.controllers.kubelet.pod import SimulatedPod
from memkube.controllers.kubelet.programs.program import NotSimulated, Transport
from memkube.registry.declarations.streaming import HttpRequest
from memkube.registry.objects.stored import StoredObject

_LOOPBACK: Final = ("127.0.0.1", "::1")
_ANY_ADDRESS: Final = ("", "0.0.0.0")  # noqa: S104  compared only, not bound
_ENDED: Final = ("Succeeded", "Failed")
_IGNORED: Final = frozenset({"service.kubernetes.io/headless", "service.kubernetes.io/service-proxy-name"})
"""Labels of services that kube-proxy ignores, because other programs route their traffic."""
_MOST_AFFINITIES: Final = 10_000
"""Number of clients whose endpoints are kept for the session affinity of services."""
_AFFINITY_SECONDS: Final = 10800
REFUSED: Final = "Connection refused"
TIMED_OUT: Final = "Connection timed out"
EMPTY_REPLY: Final = "Empty reply from server"


class ClusterNetwork:
    """The network of the cluster, as simulated containers use it: DNS names, and connections to services and pods."""

    def __init__(
        self, runtime: Runtime, find: Callable[[Pod, str], SimulatedPod | None], rules: ContainerRules
    ) -> None:
        """Create the network of the simulated pods.

        `find(pod, node)` returns the SimulatedPod of a Pod, for a request from another pod on `node`. It raises
        ApiError if the request cannot reach the pod. `rules` determine on which ports containers listen, and what they
        respond.
        """
        self._services = runtime.informers.of("", "v1", "services")
        self._clock = runtime.clock
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._slices = runtime.informers.of("discovery.k8s.io", "v1", "endpointslices")
        self.pods: Informer = runtime.informers.of("", "v1", "pods")
        self.dns = ClusterDns(self._services, self._slices)
        self._find = find
        self._rules = rules
        self._requests: Counter[str] = Counter()
        """Number of connections to each service by its uid, for round-robin between the endpoints."""
        self._affinities: OrderedDict[tuple[str, str], tuple[str, datetime]] = OrderedDict()
        """Endpoint that each client of a service with session affinity was connected to, and when, the oldest first.

        The keys have the uid of the service and the IP address of the client.
        """

    def of(self, namespace: str, pod: str, node: str) -> "PodNetwork":
        """Return the network as a pod uses it. The traffic policies of Services depend on the pod's `node`."""
        return PodNetwork(self, namespace, pod, node)

    def request(self, address: str, port: int, request: HttpRequest, client: "PodNetwork") -> bytes:
        """Send an HTTP request from a pod to a pod, service or node, and return the HTTP/1.1 response.

        `address` is the IP address of a pod, service or node. Raises OSError with the text REFUSED, TIMED_OUT or
        EMPTY_REPLY. Raises NotSimulated for a port of the Service ``kubernetes``.
        """
        server = self._connect(address, port, client)
        if not server.speaks_http:
            raise OSError(EMPTY_REPLY)
        answer = server.answer(request._replace(client=client.address), self._clock.now())
        return encoded(answer, is_head=False, closes=True)

    def exchange(self, address: str, port: int, data: bytes, protocol: Transport, client: "PodNetwork") -> bytes:
        """Connect a pod to a pod, service or node, send `data`, and return the bytes that the server sends.

        `protocol` is TCP or UDP. Raises OSError with the text REFUSED or TIMED_OUT, and NotSimulated if it is not known
        how the server reacts to the data.
        """
        if protocol == "UDP":
            return self._exchange_datagrams(address, port, data, client)
        server = self._connect(address, port, client)
        if b"HTTP/" in data or (data and server.program is None):
            raise NotSimulated(f"sending text to port {port} of a server is not simulated")
        return b"" if server.program is None else server.program.reply(data)

    def _exchange_datagrams(self, address: str, port: int, data: bytes, client: "PodNetwork") -> bytes:
        pods, port = self._route(address, port, "UDP", client)
        for pod, simulated in self._reachable(pods, client.node):
            if (server := datagram_servers(pod, simulated).get(port)) is not None:
                return server.reply(data, client.address, self._clock.now())
        raise NotSimulated(f"sending text to the UDP port {port} of a server is not simulated")

    def server_of_pod(self, address: str, port: int, node: str) -> SimulatedServer | None:
        """Return the server that listens on a port of the pod at an IP address, or None if it cannot be reached.

        `node` is the name of the node from which a client connects.
        """
        pods = [pod for pod in self.pods if pod.document["status"].get("podIP") == address]
        try:
            return self._server_at(pods, port, node)
        except OSError:
            return None

    def _connect(self, address: str, port: int, client: "PodNetwork") -> SimulatedServer:
        """Return the server that a TCP connection from a pod reaches. Raises the errors of `request`."""
        pods, port = self._route(address, port, "TCP", client)
        return self._server_at(pods, port, client.node)

    def _server_at(self, pods: Iterable[StoredObject], port: int, node: str) -> SimulatedServer:
        """Return the server that listens on a TCP port of one of `pods`, which share an IP address.

        `node` is the name of the node from which a client connects. Raises OSError with the text REFUSED or TIMED_OUT.
        """
        for pod, simulated in self._reachable(pods, node):
            if (server := listening(pod, simulated, self._rules).get(port)) is not None:
                return server
        raise OSError(REFUSED)

    def _reachable(self, pods: Iterable[StoredObject], node: str) -> list[tuple[Pod, SimulatedPod]]:
        """Return those of the pods that run, and can be reached from a node.

        Raises OSError with the text TIMED_OUT if no pod can be reached.
        """
        reached = []
        found = []
        for stored in pods:
            pod = Pod.from_document(stored.document)
            with suppress(ApiError):
                simulated = self._find(pod, node)
                reached.append(pod)
                if simulated is not None:
                    found.append((pod, simulated))
        if not reached:
            raise OSError(TIMED_OUT)
        return found

    def _route(
        self, address: str, port: int, protocol: Transport, client: "PodNetwork"
    ) -> tuple[list[StoredObject], int]:
        """Return the pods that packets from a pod to an IP address and port reach, and the port at which they arrive.

        Several pods have the same address if they use the network of their node. Raises OSError and NotSimulated like
        `request`.
        """
        is_loopback = address in _LOOPBACK
        if is_loopback and not client.uses_host_network:
            own = self.pods.get(*client.key)
            return [] if own is None else [own], port
        node = client.node if is_loopback else self._node_at(address)
        if (service := self._service_at(address, port, protocol, is_node=bool(node))) is not None:
            address, port = self._backend(service, address, port, protocol, node, client)
            node = self._node_at(address)
        elif node and (mapped := self._host_port(node, address, port, protocol)) is not None:
            return [mapped[0]], mapped[1]
        found = [pod for pod in self.pods if _is_at(pod, address, node)]
        if node and not found:
            raise OSError(REFUSED)
        return found, port

    def _node_at(self, address: str) -> str:
        """Return the name of the node that has an IP address, or an empty text."""
        for node in self._nodes:
            for known in node.document.get("status", {}).get("addresses") or ():
                if known["type"] == "InternalIP" and known["address"] == address:
                    return node.name
        return ""

    def _service_at(self, address: str, port: int, protocol: Transport, *, is_node: bool) -> StoredObject | None:
        """Return the service that receives connections to an IP address and port by TCP or UDP.

        These are the services with this cluster IP, external IP or address of a load balancer. If the address is that
        of a node (`is_node`), it is the service with this node port.
        """
        for service in self._services:
            if not _IGNORED.isdisjoint(service.labels):
                continue
            spec = service.document["spec"]
            if spec.get("clusterIP") == address:
                return service
            ports = [one for one in spec.get("ports") or () if one.get("protocol", "TCP") == protocol]
            if is_node and any(one.get("nodePort") == port for one in ports):
                return service
            balancers = service.document.get("status", {}).get("loadBalancer", {}).get("ingress") or ()
            external = [*(spec.get("externalIPs") or ()), *(one.get("ip") for one in balancers)]
            if address in external and any(one["port"] == port for one in ports):
                return service
        return None

    def _host_port(self, node: str, address: str, port: int, protocol: Transport) -> tuple[StoredObject, int] | None:
        """Return the pod on a node that receives connections to a host port, and the port of its container."""
        for pod in self.pods:
            spec, phase = pod.document["spec"], pod.document["status"].get("phase")
            if spec.get("nodeName") != node or spec.get("hostNetwork") or phase in _ENDED:
                continue
            for container in spec["containers"]:
                for one in container.get("ports") or ():
                    is_host = one.get("hostPort") == port and one.get("hostIP", "") in (*_ANY_ADDRESS, address)
                    if is_host and one.get("protocol", "TCP") == protocol:
                        return pod, one["containerPort"]
        return None

    def _backend(
        self, service: StoredObject, address: str, port: int, protocol: Transport, node: str, client: "PodNetwork"
    ) -> tuple[str, int]:
        """Choose an endpoint of a service for a connection, as kube-proxy does. Returns its IP address and port.

        `address` and `port` are those to which the client connects. `node` is the node with this address, or empty.
        """
        spec = service.document["spec"]
        ports = [one for one in spec.get("ports") or () if one.get("protocol", "TCP") == protocol]
        fields = ("nodePort", "port") if node else ("port",)
        named = next((one for field in fields for one in ports if one.get(field) == port), None)
        if named is None:
            raise OSError(TIMED_OUT)
        if (service.namespace, service.name) == ("default", "kubernetes"):
            raise NotSimulated("a request to the API server from a container is not simulated")
        name = named.get("name", "")
        endpoints = [one for one in endpoints_of(service, self._slices) if name in one.ports]
        usable = _serving(endpoints)
        if not usable:
            raise OSError(REFUSED)
        if local := _only_node(spec, address, node, client.node):
            usable = _serving([one for one in endpoints if one.node == local])
            if not usable:
                raise OSError(TIMED_OUT)
        chosen = self._chosen(service, sorted(usable, key=lambda one: (one.address, one.ports[name])), client)
        return chosen.address, chosen.ports[name]

    def _chosen(self, service: StoredObject, usable: list[Endpoint], client: "PodNetwork") -> Endpoint:
        """Choose one of the usable endpoints of a service: that of the client's session, or else by round-robin."""
        spec, now = service.document["spec"], self._clock.now()
        key = service.uid, client.address
        last, since = self._affinities.pop(key, ("", now))
        seconds = ((spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}).get("timeoutSeconds")
        keeps = spec.get("sessionAffinity") == "ClientIP"
        if not keeps or now - since >= timedelta(seconds=seconds or _AFFINITY_SECONDS):
            last = ""
        chosen = next((one for one in usable if one.address == last), None)
        if chosen is None:
            self._requests[service.uid] += 1
            chosen = usable[(self._requests[service.uid] - 1) % len(usable)]
        if keeps:
            self._affinities[key] = chosen.address, now
            if len(self._affinities) > _MOST_AFFINITIES:
                self._affinities.popitem(last=False)
        return chosen


def _serving(endpoints: Sequence[Endpoint]) -> list[Endpoint]:
    """Return the endpoints that are ready or, if none is ready, those that still serve while they terminate."""
    return [one for one in endpoints if one.is_ready] or [one for one in endpoints if one.is_terminating]


def _only_node(spec: Document, address: str, node: str, client_node: str) -> str:
    """Return the name of the node to whose endpoints a traffic policy limits a connection; empty for all nodes.

    `spec` is that of the service, `address` the address to which a pod on `client_node` connects, and `node` the node
    with this address, or empty. No policy limits a pod that connects to an address of its own node: for kube-proxy,
    this is local traffic.
    """
    if spec.get("clusterIP") == address:
        return client_node if spec.get("internalTrafficPolicy") == "Local" else ""
    return node if spec.get("externalTrafficPolicy") == "Local" and node != client_node else ""


def _is_at(pod: StoredObject, address: str, node: str) -> bool:
    """True if `address` is the IP address of a pod. `node` is the name of the node with this address, or empty."""
    spec = pod.document["spec"]
    if node:
        return spec.get("nodeName") == node and bool(spec.get("hostNetwork"))
    return bool(pod.document["status"].get("podIP") == address) and not spec.get("hostNetwork")


class PodNetwork:
    """The cluster network as one pod uses it."""

    __slots__ = ("_cluster", "key", "node")

    def __init__(self, cluster: ClusterNetwork, namespace: str, pod: str, node: str) -> None:
        self._cluster = cluster
        self.key = namespace, pod
        """Namespace and name of the pod."""
        self.node = node

    @property
    def address(self) -> str:
        """IP address of the pod; empty if the pod has been deleted."""
        pod = self._cluster.pods.get(*self.key)
        return "" if pod is None else pod.document["status"].get("podIP", "")

    @property
    def uses_host_network(self) -> bool:
        """True if the pod has the network of its node."""
        pod = self._cluster.pods.get(*self.key)
        return pod is not None and bool(pod.document["spec"].get("hostNetwork"))

    def resolve(self, name: str) -> list[str]:
        return self._cluster.dns.resolve(name)

    def name_of(self, address: str) -> str:
        return self._cluster.dns.name_of(address)

    def records(self, name: str, record_type: str) -> list[str]:
        return [" ".join(record) for record in self._cluster.dns.records(name, record_type)]

    def request(self, address: str, port: int, request: HttpRequest) -> bytes:
        return self._cluster.request(address, port, request, self)

    def exchange(self, address: str, port: int, data: bytes, protocol: Transport) -> bytes:
        return self._cluster.exchange(address, port, data, protocol, self)
