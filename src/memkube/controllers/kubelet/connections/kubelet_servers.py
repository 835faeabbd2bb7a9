"""Servers in pods, as a kubelet reaches them for probes and lifecycle hooks."""

from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.kubelet.connections.agnhost_servers import agnhost_servers
from memkube.controllers.kubelet.connections.cluster_network import ClusterNetwork
from memkube.controllers.kubelet.connections.servers import SimulatedServer, configured_answers, listening
from memkube.controllers.kubelet.containers.rules import ContainerRules
from memkube.controllers.kubelet.pod import SimulatedPod
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.registry.declarations.streaming import HttpAnswer, HttpRequest

_PORTS: Final = {"http": 80, "https": 443}


class KubeletServers:
    """The servers that the kubelet reaches for the probes and hooks of one pod, if their responses are known."""

    def __init__(
        self, network: ClusterNetwork, pod: Pod, simulated: SimulatedPod, host_ip: str, rules: ContainerRules
    ) -> None:
        """`simulated` is the state of the pod, and `host_ip` the address of its node. `rules` configure servers."""
        self._network = network
        self._pod = pod
        self._simulated = simulated
        self._host_ip = host_ip
        self._rules = rules

    def get(self, url: str, container: AnyContainer, now: datetime) -> HttpAnswer | None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
        except ValueError:
            return None
        server = self._server(host, port)
        found = server or self._undeclared(host, port, container)
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        request = HttpRequest(target, client=self._host_ip, uses_tls=parts.scheme == "https")
        answer = None if found is None else found.known_answer(request, now)
        if answer is None and server is None and self._refuses(host, container):
            raise OSError(f"dial tcp {host}:{port}: connect: connection refused")
        return answer

    def accepts(self, host: str, port: int, container: AnyContainer) -> bool | None:
        if self._server(host, port) is not None:
            return True
        return False if self._refuses(host, container) else None

    def are_stateless(self, host: str) -> bool:
        # Only agnhost keeps a state, for example the time after which it answers that it is not healthy.
        return host == self._simulated.pod_ip and not any(
            agnhost_servers(container, running) is not None
            for container in (*self._pod.spec.containers, *self._pod.spec.initContainers)
            if (running := self._simulated.containers.get(container.name)) is not None
        )

    def check_health(self, port: int, service: str, container: AnyContainer, now: datetime) -> str | None:
        server = self._server(self._simulated.pod_ip, port)
        program = None if server is None else server.program
        return None if program is None else program.check_health(service, now)

    def _server(self, host: str, port: int) -> SimulatedServer | None:
        """Return the server at an IP address and port, or None if memkube does not know any."""
        if host == self._simulated.pod_ip:
            return listening(self._pod, self._simulated, self._rules).get(port)
        return self._network.server_of_pod(host, port, self._pod.spec.nodeName)

    def _undeclared(self, host: str, port: int, container: AnyContainer) -> SimulatedServer | None:
        """Return a server with the configured responses of `container`, for a port that the container does not declare.

        A container may listen on ports that are not in its spec. The result is None if no responses are configured, or
        if `host` is not the address of the pod.
        """
        answers = configured_answers(self._pod, container, self._rules) if host == self._simulated.pod_ip else ()
        return SimulatedServer(self._pod.metadata.name, port, answers=answers) if answers else None

    def _refuses(self, host: str, container: AnyContainer) -> bool:
        """True if `container` refuses connections to all ports on which memkube knows no server.

        This is so if it runs agnhost, and if `host` is the address of its pod.
        """
        running = self._simulated.containers.get(container.name)
        return (
            host == self._simulated.pod_ip and running is not None and agnhost_servers(container, running) is not None
        )
