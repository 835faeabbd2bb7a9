"""Requests of a kubelet to servers in pods, for probes and lifecycle hooks (``pkg/probe``, ``pkg/kubelet/lifecycle``).

Only the responses that memkube knows count: those that a behaviour configures, and those of agnhost.
"""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final, NamedTuple, Protocol
from urllib.parse import urljoin, urlsplit

from memkube.apimachinery.duration import go_duration
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.probes import HTTPGetAction, Probe
from memkube.controllers.kubelet.pod_context import AnyContainer, PodContext
from memkube.registry.declarations.streaming import HttpAnswer

_FOLLOWED: Final = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS: Final = 10
_LAST_PORT: Final = 65535
_ERRORED: Final = "errored and resulted in unknown state"
_WARNS: Final = "warning"
NOT_TLS: Final = "http: server gave HTTP response to HTTPS client"


class ProbeResult(NamedTuple):
    """Whether a probe of a container has succeeded, and what an Event says about it."""

    succeeded: bool
    output: str = ""
    """Message for an Event about the probe, if it has failed or succeeded with a warning."""
    verb: str = "failed"
    """What the Event says about the probe: ``failed``, ``warning`` or that it ``errored``."""
    lasts: bool = False
    """True if the result cannot change before the pod, its containers or the rules for container behaviour change."""

    @property
    def is_known(self) -> bool:
        """False if the probe could not be performed, so that its result does not count."""
        return self.verb != _ERRORED

    @property
    def is_warning(self) -> bool:
        """True if the probe has succeeded, but an Event warns about it."""
        return self.verb == _WARNS


class HookResult(NamedTuple):
    """How long a lifecycle hook takes, and why it has failed if it has."""

    seconds: float = 0
    """Seconds that the hook takes."""
    problem: str = ""
    """Why the hook has failed, in the kubelet's words for the container's state; empty if it has succeeded."""
    fallback: str = ""
    """Host and port of a server that got a request by HTTP, because it did not accept HTTPS; otherwise empty."""


class Servers(Protocol):
    """The servers in pods that a kubelet can reach, as far as memkube knows how they respond."""

    def get(self, url: str, container: AnyContainer, now: datetime) -> HttpAnswer | None:
        """Send a GET request at the time `now`, and return the response; None if it is not known.

        `container` is the container of the probe or hook. Raises OSError with the text of a Go client if there is no
        response.
        """

    def accepts(self, host: str, port: int, container: AnyContainer) -> bool | None:
        """True if a server accepts TCP connections, False if it refuses them; None if that is not known."""

    def are_stateless(self, host: str) -> bool:
        """True if the servers at `host` always answer the same request in the same way.

        Their answers change only with the pod, its containers or the rules for container behaviour.
        """

    def check_health(self, port: int, service: str, container: AnyContainer, now: datetime) -> str | None:
        """Return the kubelet's message about an unhealthy gRPC service of the pod; empty if it is healthy.

        If the state of the service is not known, the result is None.
        """


class PodTarget(NamedTuple):
    """The container to which a probe or hook belongs, with the servers that they can reach."""

    container: AnyContainer
    context: PodContext
    servers: Servers

    @property
    def pod_ip(self) -> str:
        """IP address of the pod."""
        return self.context.pod_ip

    @property
    def name(self) -> str:
        """The names of the container and its pod, in the form of messages about failed hooks."""
        return f"Container {quoted(self.container.name)} in Pod {quoted(self.context.pod_name)}"


class InvalidPort(ValueError):
    """Raised if the port of a probe or hook is neither a number nor the name of a port of its container."""


def port_number(port: int | str, container: AnyContainer) -> int:
    """Return the number of a port that a probe or hook names. Raises InvalidPort."""
    if isinstance(port, str):
        named = next((one.containerPort for one in container.ports if one.name == port), None)
        if named is None and not port.isdecimal():
            raise InvalidPort(f'strconv.Atoi: parsing "{port}": invalid syntax')
        port = int(port) if named is None else named
    if not 0 < port <= _LAST_PORT:
        raise InvalidPort(f"invalid port number: {port}")
    return port


def url_of(action: HTTPGetAction, target: PodTarget) -> str:
    """Return the URL of an HTTP probe or hook. Raises InvalidPort."""
    path = action.path if action.path.startswith("/") else f"/{action.path}"
    port = port_number(action.port, target.container)
    return f"{(action.scheme or 'HTTP').lower()}://{action.host or target.pod_ip}:{port}{path}"


def server_probe(probe: Probe, target: PodTarget, now: datetime) -> ProbeResult:
    """Return the result of an HTTP, TCP or gRPC probe at the time `now`. It succeeds if the response is not known."""
    action = probe.httpGet or probe.tcpSocket
    host = (action.host if action is not None else "") or target.pod_ip
    return _result_of(probe, target, now)._replace(lasts=target.servers.are_stateless(host))


def _result_of(probe: Probe, target: PodTarget, now: datetime) -> ProbeResult:
    container, pod_ip, servers = target.container, target.pod_ip, target.servers
    try:
        if probe.httpGet is not None:
            return _http_probe(url_of(probe.httpGet, target), target, now)
        if (tcp := probe.tcpSocket) is not None:
            host, port = tcp.host or pod_ip, port_number(tcp.port, container)
            refuses = servers.accepts(host, port, container) is False
            return ProbeResult(not refuses, f"dial tcp {host}:{port}: connect: connection refused" if refuses else "")
    except InvalidPort as problem:
        return ProbeResult(False, str(problem), _ERRORED)
    if (grpc := probe.grpc) is None:
        return ProbeResult(True)
    if servers.accepts(pod_ip, grpc.port, container) is False:
        limit = go_duration(timedelta(seconds=max(probe.timeoutSeconds, 1)))
        why = f'failed to connect service "{pod_ip}:{grpc.port}" within {limit}: context deadline exceeded'
        return ProbeResult(False, f"timeout: {why}")
    message = servers.check_health(grpc.port, grpc.service or "", container, now)
    return ProbeResult(not message, message or "")


def _http_probe(url: str, target: PodTarget, now: datetime) -> ProbeResult:
    """Send the request of a probe, and return its result. Redirects to the same host are followed."""
    current, location = url, ""
    for _ in range(_MOST_REDIRECTS):
        try:
            answer = target.servers.get(current, target.container, now)
        except OSError as problem:
            return ProbeResult(False, f'Get "{current}": {problem}')
        if answer is None:
            return ProbeResult(True)
        location = next((value for name, value in answer.headers if name.lower() == "location"), "")
        if answer.status not in _FOLLOWED or not location:
            return _judged(answer)
        try:
            following = urljoin(current, location)
            is_local = urlsplit(following).hostname == urlsplit(url).hostname
        except ValueError:
            return ProbeResult(False, f'Get "{current}": failed to parse Location header {quoted(location)}')
        if not is_local:
            return _judged(answer)
        current = following
    return ProbeResult(False, f'Get "{location}": stopped after {_MOST_REDIRECTS} redirects')


def _judged(answer: HttpAnswer) -> ProbeResult:
    body = answer.body.decode(errors="replace")
    if answer.status >= HTTPStatus.BAD_REQUEST:
        return ProbeResult(False, f"HTTP probe failed with statuscode: {answer.status}")
    if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
        return ProbeResult(True, f"Probe terminated redirects, Response body: {body}", _WARNS)
    return ProbeResult(True, body)


def http_hook(action: HTTPGetAction, target: PodTarget, now: datetime) -> HookResult:
    """Send the request of a lifecycle hook at the time `now`.

    The hook fails if there is no response. Its status does not matter. A server that does not accept HTTPS gets the
    request by HTTP.
    """
    try:
        url = url_of(action, target)
    except InvalidPort as problem:
        return _failed_http_hook(action, target, str(problem))
    try:
        target.servers.get(url, target.container, now)
    except OSError as problem:
        if str(problem) != NOT_TLS:
            return _failed_http_hook(action, target, f'Get "{url}": {problem}')
        target.servers.get(url.replace("https", "http", 1), target.container, now)
        return HookResult(fallback=urlsplit(url).netloc)
    return HookResult()


def _failed_http_hook(action: HTTPGetAction, target: PodTarget, error: str) -> HookResult:
    problem = f"HTTP lifecycle hook ({action.path}) for {target.name} failed - error: {error}"
    return HookResult(problem=problem)
