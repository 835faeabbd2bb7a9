"""Servers such as nginx, which memkube simulates in containers: their ports, and their responses to HTTP requests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.kubelet.connections.agnhost_servers import (
    AgnhostServer,
    AgnhostServers,
    DatagramServer,
    agnhost_servers,
)
from memkube.controllers.kubelet.containers.behavior import HttpBehavior, container_behavior
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.controllers.kubelet.containers.image_references import base_name
from memkube.controllers.kubelet.containers.rules import ContainerRules
from memkube.controllers.kubelet.pod import SimulatedPod
from memkube.controllers.kubelet.pod_context import AnyContainer, NotConfigured
from memkube.registry.declarations.streaming import ByteStream, HttpAnswer, HttpRequest, StreamFailed
from memkube.time.clock import Clock

_HTTP_PORTS: Final = MappingProxyType(
    {
        "caddy": 80,
        "consul": 8500,
        "echoserver": 8080,
        "elasticsearch": 9200,
        "grafana": 3000,
        "haproxy": 80,
        "http-echo": 5678,
        "httpbin": 80,
        "httpd": 80,
        "influxdb": 8086,
        "jenkins": 8080,
        "minio": 9000,
        "nginx": 80,
        "prometheus": 9090,
        "registry": 5000,
        "tomcat": 8080,
        "traefik": 80,
        "vault": 8200,
        "whoami": 80,
        "wordpress": 80,
    }
)
"""Port on which a container runs a simulated HTTP server, by the name of its image."""
_OTHER_PORTS: Final = MappingProxyType(
    {
        "kafka": 9092,
        "mariadb": 3306,
        "memcached": 11211,
        "mongo": 27017,
        "mysql": 3306,
        "nats": 4222,
        "postgres": 5432,
        "rabbitmq": 5672,
        "redis": 6379,
        "valkey": 6379,
        "zookeeper": 2181,
    }
)
"""Port on which a container runs a server with another protocol than HTTP, by the name of its image."""
_LOOPBACK: Final = "127.0.0.1"
_HEAD_END: Final = b"\r\n\r\n"
_LONGEST_HEAD: Final = 64 * 1024
_REQUEST_PARTS: Final = 3


@dataclass(frozen=True, slots=True)
class SimulatedServer:
    """A server that memkube simulates in a container. It listens on a port of the pod."""

    pod: str
    port: int
    speaks_http: bool = True
    answers: Sequence[HttpBehavior] = field(default=())
    program: AgnhostServer | None = None
    """The server of agnhost; None for a server of which memkube only knows the port."""

    @property
    def uses_tls(self) -> bool:
        """True if the server accepts only HTTPS, which is only known of agnhost. All other servers accept only HTTP."""
        return self.program is not None and self.program.uses_tls

    def answer(self, request: HttpRequest, now: datetime) -> HttpAnswer:
        """Return the server's response to a request at the time `now`.

        If the response is not known, its body is the pod's name.
        """
        return self.known_answer(request, now) or HttpAnswer(HTTPStatus.OK, (), f"{self.pod}\n".encode())

    def known_answer(self, request: HttpRequest, now: datetime) -> HttpAnswer | None:
        """Return the response that a behaviour configures for a request, or that of agnhost; None if it is not known.

        `now` is the time of the request.
        """
        path = request.target.partition("?")[0]
        for each in self.answers:
            if each.port in (None, self.port) and (not each.path or fnmatchcase(path, each.path)):
                return HttpAnswer(each.status, tuple(each.headers.items()), each.body.encode())
        return self.program.answer(request, now) if self.program is not None else None

    async def serve(self, stream: ByteStream, clock: Clock) -> None:
        """Respond to HTTP requests on a connection until the client closes its side.

        A server with another protocol closes the connection as soon as the client has sent bytes. `clock` gives the
        time of the requests.
        """
        received = b""
        while True:
            while _HEAD_END not in received:
                data = await stream.read()
                received += data
                if not data or len(received) > _LONGEST_HEAD or not self.speaks_http:
                    return
            head, _, received = received.partition(_HEAD_END)
            missing = _body_length(head) - len(received)
            while missing > 0 and (data := await stream.read()):
                received += data
                missing -= len(data)
            body, received = received[: _body_length(head)], received[_body_length(head) :]
            method, target, version = _request_line(head)
            closes = b"connection: close" in head.lower() or version == "HTTP/1.0"
            answer = self.answer(HttpRequest(target, method, _LOOPBACK, body=body), clock.now())
            await stream.write(encoded(answer, is_head=method == "HEAD", closes=closes))
            if closes:
                return


def listening(pod: Pod, simulated: SimulatedPod, rules: ContainerRules) -> dict[int, SimulatedServer]:
    """Return the servers that memkube simulates in the running containers of a pod, by port.

    `simulated` is the state of the pod. A container listens on these ports:

    - the ports in its behaviour, which `rules` or the pod's annotation configure,
    - the ports on which agnhost listens, if the container runs agnhost,
    - otherwise the TCP ports that it declares, and the default port of its image, if the container has no command.
    """
    servers: dict[int, SimulatedServer] = {}
    for container in (*pod.spec.containers, *pod.spec.initContainers):
        running = simulated.containers.get(container.name)
        if running is not None and running.is_running:
            for server in _servers(pod, container, running, rules):
                servers.setdefault(server.port, server)
    return servers


def _servers(
    pod: Pod, container: AnyContainer, running: SimulatedContainer, rules: ContainerRules
) -> Iterator[SimulatedServer]:
    answers = configured_answers(pod, container, rules)
    programs = agnhost_servers(container, running)
    for program in programs.tcp if programs is not None else ():
        yield SimulatedServer(pod.metadata.name, program.port, program.speaks_http, answers, program)
    ports = [answer.port for answer in answers if answer.port is not None]
    if programs is not None:
        yield from (SimulatedServer(pod.metadata.name, port, answers=answers) for port in ports)
        return
    image = "" if container.command else base_name(container.image)
    ports += [port.containerPort for port in container.ports if port.protocol in ("", "TCP")]
    ports += [known[image] for known in (_HTTP_PORTS, _OTHER_PORTS) if image in known]
    for port in ports:
        is_foreign = _OTHER_PORTS.get(image) == port and not answers
        yield SimulatedServer(pod.metadata.name, port, not is_foreign, answers)


def datagram_servers(pod: Pod, simulated: SimulatedPod) -> dict[int, DatagramServer]:
    """Return the UDP servers in the running containers of a pod, by port, as far as memkube simulates them.

    These are the servers of agnhost. `simulated` is the state of the pod.
    """
    return {
        server.port: server
        for container in (*pod.spec.containers, *pod.spec.initContainers)
        if (running := simulated.containers.get(container.name)) is not None and running.is_running
        for server in (agnhost_servers(container, running) or AgnhostServers()).udp
    }


def configured_answers(pod: Pod, container: AnyContainer, rules: ContainerRules) -> Sequence[HttpBehavior]:
    """Return the HTTP responses that `rules` or the pod's annotation configure for a container."""
    try:
        return container_behavior(rules, pod, container).http
    except NotConfigured:
        return ()


def refused(pod: Pod, port: int) -> ConnectionRefusedError:
    """Return the error for a connection to a port of a pod on which no container listens."""
    return ConnectionRefusedError(
        f"failed to connect to localhost:{port} inside namespace of pod {pod.metadata.name}: "
        f"dial tcp4 127.0.0.1:{port}: connect: connection refused"
    )


def check_http(server: SimulatedServer, request: HttpRequest) -> None:
    """Raise StreamFailed for a server that does not speak HTTP, or does not use TLS although `request` does.

    The message is that of a Go client.
    """
    if not server.speaks_http:
        raise StreamFailed("EOF")
    if request.uses_tls and not server.uses_tls:
        raise StreamFailed("tls: first record does not look like a TLS handshake")


def _body_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name == b"content-length" and value.strip().isdigit():
            return int(value)
    return 0


def _request_line(head: bytes) -> tuple[str, str, str]:
    """Return method, target and version from the request line at the head of an HTTP request.

    A malformed request line counts as a GET of ``/``.
    """
    parts = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    return (parts[0], parts[1], parts[2]) if len(parts) == _REQUEST_PARTS else ("GET", "/", "")


def encoded(answer: HttpAnswer, *, is_head: bool, closes: bool) -> bytes:
    """Encode `answer`, the response of a server in a simulated container, as HTTP/1.1.

    A response to HEAD (`is_head`) has no body. `closes` is True if the server closes the connection after it.
    """
    lines = [f"HTTP/1.1 {answer.status} {_phrase(answer.status)}"]
    lines += [f"{name}: {value}" for name, value in answer.all_headers]
    lines += [f"Content-Length: {len(answer.body)}", f"Connection: {'close' if closes else 'keep-alive'}", "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace") + (b"" if is_head else answer.body)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
