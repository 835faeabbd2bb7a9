"""The servers of agnhost, the image of Kubernetes' end-to-end tests (``test/images/agnhost``).

They respond to GET requests, and to lines of text over TCP and UDP. HTTP requests that are not simulated get the status
501.
"""

import json
import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from http.client import responses
from re import compile as pattern
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import parse_qs, quote, unquote

from memkube.apimachinery.duration import go_duration
from memkube.apimachinery.shown_values import quoted
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.controllers.kubelet.containers.container_states import Running
from memkube.controllers.kubelet.containers.environment import expanded_command
from memkube.controllers.kubelet.containers.process import Command
from memkube.controllers.kubelet.containers.server_requests import NOT_TLS
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.controllers.kubelet.programs.agnhost import LOG_HEAD, server_flags
from memkube.controllers.kubelet.programs.program import Network, NotSimulated, Session
from memkube.registry.declarations.streaming import HttpAnswer, HttpRequest

_PROGRAMS: Final = ("agnhost", "/agnhost", "/agnhost-2")
_CLIENT_PORT: Final = 32768
"""Port from which the requests of simulated clients come: the first one that Linux assigns."""
_LIVENESS_PORT: Final = 8080
_HEALTHY_SECONDS: Final = 10
"""Seconds for which the server of the subcommand ``liveness`` is healthy."""
_MOST_DIGITS: Final = 9
_MOST_TRIES: Final = 100
_PEER_SECONDS: Final = 375
"""Seconds for which ``nettest`` looks for other pods."""
_MOST_ERRORS: Final = 500
_MOST_SOURCES: Final = 1000
"""Maximum number of sources that ``nettest`` counts. The real ``nettest`` has no limit."""
_has_scheme: Final = pattern(r"[A-Za-z][A-Za-z0-9+.-]*:").match
_STATUSES: Final = range(200, 600)
_REDIRECTS: Final = range(300, 400)
_HTML_TAGS: Final = ("<!doctype html", "<html", "<head", "<body", "<a", "<b", "<br", "<div", "<h1", "<p", "<table")
"""Some of the tags by which Go recognizes HTML, if a space or ``>`` follows (``net/http/sniff.go``)."""
_HTML: Final = ("Content-Type", "text/html; charset=utf-8")
_JSON: Final = ("Content-Type", "application/json")
_BAD_REQUEST: Final = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
)
_PORTS: Final = {"SERVE_PORT_": False, "SERVE_TCP_PORT_": False, "SERVE_TLS_PORT_": True}
"""Prefixes of the environment variables of ``porter``, and whether the server uses TLS."""
_UDP_PORT: Final = "SERVE_UDP_PORT_"
_DIAL_ERRORS: Final = {
    "Connection refused": "dial tcp {address}: connect: connection refused",
    "Connection timed out": "dial tcp {address}: i/o timeout (Client.Timeout exceeded while awaiting headers)",
    "Empty reply from server": "EOF",
}


class _Host(NamedTuple):
    """The container in which a server runs."""

    container: SimulatedContainer
    session: Session

    def log(self, text: str, now: datetime) -> None:
        """Write a line to the container's log."""
        if self.container.log is not None:
            self.container.log.write(now, "stderr", f"{now.strftime(LOG_HEAD)}{text}\n".encode())

    @property
    def state(self) -> dict[str, Any]:
        """Values that the server keeps until its process ends."""
        assert self.container.process is not None
        return self.container.process.server_state

    def age(self, now: datetime) -> timedelta:
        """Return the time from the start of the container until `now`."""
        state = self.container.state
        return now - state.started if isinstance(state, Running) else timedelta()


class _Health(NamedTuple):
    """State of a gRPC health service."""

    service: str
    """Name of the only service whose health clients can request."""
    delay: int
    """Seconds after which the service becomes unhealthy; negative if it stays healthy."""


@dataclass(frozen=True, slots=True)
class AgnhostServer:
    """One of agnhost's servers that listens on a TCP port."""

    port: int
    host: _Host
    handler: "_Handler | None" = None
    """Function that answers HTTP requests; None if the server does not speak HTTP."""
    uses_tls: bool = False
    text: bytes = b""
    """Text that ``porter`` serves, or that a server without HTTP sends on each new connection."""
    health: _Health | None = None
    """State of the server's gRPC health service; None if it has none."""

    @property
    def speaks_http(self) -> bool:
        return self.handler is not None

    def answer(self, request: HttpRequest, now: datetime) -> HttpAnswer | None:
        """Return the response to a request at the time `now`; None if the server does not speak HTTP.

        Raises OSError if the request uses TLS and the server does not.
        """
        if self.handler is None:
            return None
        if request.uses_tls and not self.uses_tls:
            raise OSError(NOT_TLS)
        if self.uses_tls and not request.uses_tls:
            return HttpAnswer(HTTPStatus.BAD_REQUEST, (), b"Client sent an HTTP request to an HTTPS server.\n")
        return self.handler(self, request, now)

    def check_health(self, service: str, now: datetime) -> str | None:
        """Return the kubelet's message about an unhealthy gRPC service at the time `now`; empty if it is healthy.

        If the server has no gRPC health service, the result is None.
        """
        if self.health is None:
            return None
        started = now - self.host.age(now)
        self.host.log(
            f"Serving the Check request for health check, started at {started:%Y-%m-%d %H:%M:%S} +0000 UTC", now
        )
        if service != self.health.service:
            return "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service"
        is_unhealthy = 0 <= self.health.delay <= self.host.age(now).total_seconds()
        return 'service unhealthy (responded with "NOT_SERVING")' if is_unhealthy else ""

    def reply(self, data: bytes) -> bytes:
        """Return what the server sends to a client that has sent `data`, which is not an HTTP request."""
        if not self.speaks_http:
            return self.text
        return _BAD_REQUEST if data and not self.uses_tls else b""


_Handler: TypeAlias = Callable[[AgnhostServer, HttpRequest, datetime], HttpAnswer]
"""Function that answers a request to a server at a given time."""


@dataclass(frozen=True, slots=True)
class DatagramServer:
    """One of agnhost's servers that listens on a UDP port."""

    port: int
    host: _Host
    text: bytes | None = None
    """Text that the server sends to each client; None for the server of ``netexec``, which has commands."""

    def reply(self, data: bytes, client: str, now: datetime) -> bytes:
        """Return what the server sends to a client that has sent `data` at the time `now`; empty if it sends nothing.

        `client` is the IP address of the client.
        """
        if self.text is not None:
            return self.text
        received, address = data.decode(errors="replace").strip().lower(), f"{client}:{_CLIENT_PORT}"
        match received.partition(" ")[0]:
            case "hostname" if received == "hostname":
                line, answer = "Sending udp hostName response", self.host.session.hostname
            case "echo" if " " in received:
                answer = received.partition(" ")[2]
                line = f"Echoing {answer} to UDP client {address}"
            case "clientip" if received == "clientip":
                line, answer = f"Sending clientip back to UDP client {address}", address
            case "serverport" if received == "serverport":
                line, answer = f"Sending server port to UDP client {self.port}", str(self.port)
            case _:
                line, answer = f"Unknown UDP command received from {address}: {received}", ""
        if received:
            self.host.log(line, now)
        return answer.encode()


class AgnhostServers(NamedTuple):
    """All servers that agnhost runs in a container."""

    tcp: Sequence[AgnhostServer] = ()
    udp: Sequence[DatagramServer] = ()


def agnhost_servers(container: AnyContainer, running: SimulatedContainer) -> AgnhostServers | None:
    """Return the servers that agnhost runs in a container, or None if the container runs another program.

    `running` is the state of the container. The result is also None for subcommands and flags that are not simulated.
    """
    line, session = Command.of(container), running.session
    words = (*line.command, *line.args)
    if not words or words[0] not in _PROGRAMS or session is None or running.behavior.plays:
        return None
    try:
        words = tuple(expanded_command(words, session.environment))
        return _servers(words[1], server_flags(words), _Host(running, session))
    except (NotSimulated, ValueError):
        return None


def _servers(subcommand: str, flags: Mapping[str, str], host: _Host) -> AgnhostServers | None:
    """Return the servers of a subcommand, or None if their responses are not known.

    Raises ValueError if the flag of a port is not a number.
    """
    match subcommand:
        case "netexec":
            has_udp = flags["udp-port"] != "-1"
            handler = partial(_netexec, is_healthy=has_udp)
            server = AgnhostServer(int(flags["http-port"]), host, handler, uses_tls=bool(flags["tls-cert-file"]))
            return AgnhostServers([server], [DatagramServer(int(flags["udp-port"]), host)] if has_udp else ())
        case "serve-hostname":
            return _host_name_servers(flags, host)
        case "test-webserver":
            return AgnhostServers([AgnhostServer(int(flags["port"]), host, _file)])
        case "liveness":
            return AgnhostServers([AgnhostServer(_LIVENESS_PORT, host, _liveness)])
        case "porter":
            return _porter(host, _value_as_json if flags["json-response"] == "true" else _value)
        case "grpc-health-checking":
            health = _Health(flags["service"], int(flags["delay-unhealthy-sec"]))
            control = AgnhostServer(int(flags["http-port"]), host, _health_control)
            return AgnhostServers([AgnhostServer(int(flags["port"]), host, health=health), control])
        case "nettest":
            return AgnhostServers([AgnhostServer(int(flags["port"]), host, _net_test)])
        case "pause":
            return AgnhostServers()
    return None


def _host_name_servers(flags: Mapping[str, str], host: _Host) -> AgnhostServers:
    port, text = int(flags["port"]), host.session.hostname.encode()
    if flags["http"] == "true":
        return AgnhostServers([AgnhostServer(port, host, _host_name)])
    tcp = [AgnhostServer(port, host, text=text)] if flags["tcp"] == "true" else ()
    return AgnhostServers(tcp, [DatagramServer(port, host, text)] if flags["udp"] == "true" else ())


def _porter(host: _Host, handler: _Handler) -> AgnhostServers:
    variables = host.session.environment.items()
    tcp = [
        AgnhostServer(int(name.removeprefix(prefix)), host, handler, uses_tls, value.encode())
        for name, value in variables
        for prefix, uses_tls in _PORTS.items()
        if name.startswith(prefix)
    ]
    udp = [
        DatagramServer(int(name.removeprefix(_UDP_PORT)), host, value.encode())
        for name, value in variables
        if name.startswith(_UDP_PORT)
    ]
    return AgnhostServers(tcp, udp)


def _netexec(server: AgnhostServer, request: HttpRequest, now: datetime, *, is_healthy: bool) -> HttpAnswer:
    """Answer a request to netexec, which is healthy (`is_healthy`) if its UDP server runs."""
    path, query = _split(request.target)
    host = server.host
    match path:
        case "/hostname" | "/hostName":
            body = host.session.hostname
        case "/echo":
            return _echo(host, query, now)
        case "/clientip" if request.client:
            body = f"{request.client}:{_CLIENT_PORT}"
        case "/serverport":
            body = str(server.port)
        case "/healthz" | "/readyz":
            host.log(f"GET {path}", now)
            if path == "/readyz" and host.container.has_term:
                return _text("shutting down", HTTPStatus.SERVICE_UNAVAILABLE)
            body = "ok" if path == "/readyz" and is_healthy else ""
            return _text(body, HTTPStatus.OK if is_healthy else HTTPStatus.PRECONDITION_FAILED)
        case "/redirect":
            return _redirect(host, query, now)
        case "/dial":
            return _dial(host, query, now)
        case "/clientip" | "/header" | "/exit" | "/shell" | "/upload" | "/shutdown":
            return _not_simulated(f"{path} of agnhost netexec")
        case _:
            path, age = "/", host.age(now).total_seconds()
            body = f"NOW: {now.strftime('%Y-%m-%d %H:%M:%S.%f').rstrip('0').rstrip('.')} +0000 UTC m=+{age:.9f}"
    host.log(f"GET {path}", now)
    return _text(body)


def _echo(host: _Host, query: Mapping[str, str], now: datetime) -> HttpAnswer:
    message, code = query.get("msg", ""), query.get("code", "")
    host.log(f"GET /echo?msg={message}&code={code}", now)
    return _refused_code(code) or _text(message, int(code or HTTPStatus.OK))


def _redirect(host: _Host, query: Mapping[str, str], now: datetime) -> HttpAnswer:
    location, code = query.get("location", ""), query.get("code", "")
    host.log(f"GET /redirect?msg={location}&code={code}", now)
    return _refused_code(code) or _redirection(location, int(code or HTTPStatus.FOUND))


def _refused_code(code: str) -> HttpAnswer | None:
    """Return the error response if `code` in a request is not a valid status code; None if it is valid or empty."""
    if code and not _is_number(code):
        return _text(f"argument 'code' must be an integer or empty, got {quoted(code)}\n")
    return _not_simulated(f"the status code {code} of agnhost netexec") if code and int(code) not in _STATUSES else None


def _redirection(location: str, status: int) -> HttpAnswer:
    """Return the response of Go's ``http.Redirect``."""
    if not _has_scheme(location) and not location.startswith("/"):
        location = f"/{location}"
    phrase = responses.get(status, "")
    body = f'<a href="{_escaped(location)}">{phrase}</a>.\n\n'
    return HttpAnswer(status, (_HTML, ("Location", quote(location, safe="/:?#[]@!$&'()*+,;=%~"))), body.encode())


def _dial(host: _Host, query: Mapping[str, str], now: datetime) -> HttpAnswer:
    """Send the requests that a client asks netexec to send, and return their results as JSON."""
    target, port, request, protocol, tries = (
        query.get(name, "") for name in ("host", "port", "request", "protocol", "tries")
    )
    host.log(f"GET /dial?host={target}&protocol={protocol}&port={port}&request={request}&tries={tries}", now)
    if not request:
        return _text("request parameter not specified. <nil>\n", HTTPStatus.BAD_REQUEST)
    is_simulated = protocol.lower() in ("", "http", "udp") and _is_number(port) and _is_number(tries or "1")
    if not is_simulated or int(tries or 1) > _MOST_TRIES or _split(f"/{request}")[0] == "/dial":
        return _not_simulated(f"this use of /dial of agnhost netexec with port {port} and protocol {protocol}")
    network = host.session.network
    assert network is not None
    addresses = [target] if target.replace(".", "").isdecimal() else network.resolve(target)
    if not addresses:
        why = f"lookup {target}: no such host"
        return _text(f"host and/or port param are invalid. {why}\n", HTTPStatus.BAD_REQUEST)
    output: dict[str, list[str]] = {"errors": [], "responses": []}
    for _ in range(int(tries or 1)):
        try:
            if protocol.lower() == "udp":
                output["responses"].append(_datagram_answer(network, addresses[0], int(port), request))
            else:
                output["responses"].append(_http_answer(network, addresses[0], int(port), request))
        except OSError as problem:
            output["errors"].append(str(problem))
        except NotSimulated as problem:
            return _not_simulated(str(problem))
    return _text(_json({name: texts for name, texts in output.items() if texts}))


def _http_answer(network: Network, address: str, port: int, request: str) -> str:
    """Send an HTTP request, and return the body of the response. Raises OSError with Go's text if there is none."""
    where = f"{address}:{port}"
    try:
        head, _, body = network.request(address, port, HttpRequest(f"/{request}")).partition(b"\r\n\r\n")
    except OSError as problem:
        why = _DIAL_ERRORS.get(str(problem), str(problem)).format(address=where)
        raise OSError(f'Get "http://{where}/{request}": {why}') from None
    if int(head.split(b" ", 2)[1]) in _REDIRECTS:
        raise NotSimulated("a redirect in response to a request of agnhost netexec")
    return body.decode(errors="replace")


def _datagram_answer(network: Network, address: str, port: int, text: str) -> str:
    """Send a text by UDP, and return the server's answer. Raises OSError with Go's text if there is none."""
    try:
        answer = network.exchange(address, port, text.encode(), "UDP")
    except OSError as problem:
        refused = str(problem) == "Connection refused"
        why = f"read udp {address}:{port}: {'read: connection refused' if refused else 'i/o timeout'}"
        raise OSError(f"reading from udp connection failed. err:'{why}'") from None
    return answer.decode(errors="replace")


def _host_name(server: AgnhostServer, request: HttpRequest, now: datetime) -> HttpAnswer:
    server.host.log(f"HTTP request from {request.client}:{_CLIENT_PORT}", now)
    return _text(server.host.session.hostname)


def _liveness(server: AgnhostServer, request: HttpRequest, now: datetime) -> HttpAnswer:
    path, query = _split(request.target)
    age = server.host.age(now)
    match path:
        case "/healthz" if age.total_seconds() > _HEALTHY_SECONDS:
            return _text(f"error: {age.total_seconds()}", HTTPStatus.INTERNAL_SERVER_ERROR)
        case "/healthz":
            return _text("ok")
        case "/started":
            return _text(go_duration(age))
        case "/redirect":
            return _redirection(query.get("loc", ""), HTTPStatus.FOUND)
    return _text("404 page not found\n", HTTPStatus.NOT_FOUND)


def _health_control(server: AgnhostServer, request: HttpRequest, now: datetime) -> HttpAnswer:
    path, _ = _split(request.target)
    if path in ("/make-serving", "/make-not-serving"):
        return _not_simulated(f"{path} of agnhost grpc-health-checking")
    return _text("404 page not found\n", HTTPStatus.NOT_FOUND)


def _net_test(server: AgnhostServer, request: HttpRequest, now: datetime) -> HttpAnswer:
    """Answer a request to ``nettest``, which counts the requests of other programs by the source that they name."""
    path, _ = _split(request.target)
    host = server.host
    searches = host.age(now).total_seconds() < _PEER_SECONDS
    if path == "/status":
        return _text("running" if searches else "fail")
    if path == "/read":
        seen = {"Hostname": host.session.hostname, "Sent": None, "Received": host.state.get("received")}
        seen |= {"Errors": host.state.get("errors"), "Log": None, "StillContactingPeers": searches}
        return _text(json.dumps(seen, indent="\t"))
    if path != "/write":
        return _text("404 page not found\n", HTTPStatus.NOT_FOUND) if path != "/quit" else _not_simulated("/quit")
    try:
        source = str(json.loads(request.body).get("Source", ""))
    except (ValueError, AttributeError):
        return _not_simulated("a body that is not a JSON object, for agnhost nettest")
    if source:
        received = host.state.setdefault("received", {})
        if len(received) >= _MOST_SOURCES and source not in received:
            return _not_simulated(f"more than {_MOST_SOURCES} sources of requests to agnhost nettest")
        received[source] = received.get(source, 0) + 1
    else:
        errors = host.state.setdefault("errors", [])
        errors.append(f"{host.session.hostname}: Got request with no source")
        del errors[:-_MOST_ERRORS]
    return _text(f"{_json({'Hostname': host.session.hostname})}\n")


def _value(server: AgnhostServer, request: HttpRequest, now: datetime) -> HttpAnswer:
    return _text(server.text.decode())


def _value_as_json(server: AgnhostServer, request: HttpRequest, now: datetime) -> HttpAnswer:
    body = _json({"Method": request.method, "Body": server.text.decode()})
    return HttpAnswer(HTTPStatus.OK, (_JSON,), body.encode())


def _file(server: AgnhostServer, request: HttpRequest, now: datetime) -> HttpAnswer:
    """Return a file of the container, or the list of the files in a directory."""
    files = server.host.session.files
    asked, _ = _split(request.target)
    path = posixpath.normpath(asked) + ("/" if asked.endswith("/") and asked.strip("/") else "")
    if not files.exists(path):
        return _text("404 page not found\n", HTTPStatus.NOT_FOUND)
    if files.is_directory(path):
        if not path.endswith("/"):
            return HttpAnswer(HTTPStatus.MOVED_PERMANENTLY, (("Location", f"{path.rpartition('/')[2]}/"),), b"")
        names = sorted(f"{name}/" if files.is_directory(f"{path}{name}") else name for name in files.names_in(path))
        links = "".join(f'<a href="{quote(name)}">{_escaped(name)}</a>\n' for name in names)
        head = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n'
        return HttpAnswer(HTTPStatus.OK, (_HTML,), f"{head}<pre>\n{links}</pre>\n".encode())
    try:
        return _text(files.read(path).decode(errors="replace"))
    except OSError:
        return _text("403 Forbidden\n", HTTPStatus.FORBIDDEN)


def _split(target: str) -> tuple[str, Mapping[str, str]]:
    """Return the path of a request, and the first value of each parameter in its query."""
    path, _, query = target.partition("?")
    parameters = parse_qs(query, keep_blank_values=True)
    return unquote(path) or "/", {name: values[0] for name, values in parameters.items()}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def _text(body: str, status: int = HTTPStatus.OK) -> HttpAnswer:
    """Return a response, with the media type that a Go server recognizes from the body."""
    start = body.lstrip("\t\n\x0c\r ").lower()
    is_html = any(start.startswith((f"{tag} ", f"{tag}>")) for tag in _HTML_TAGS)
    return HttpAnswer(status, (_HTML,) if is_html else (), body.encode())


def _not_simulated(what: str) -> HttpAnswer:
    return HttpAnswer(HTTPStatus.NOT_IMPLEMENTED, (), f"memkube does not simulate {what}\n".encode())


def _json(value: Mapping[str, object]) -> str:
    """Format JSON as Go does: without spaces, and with escapes for HTML characters."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _escaped(text: str) -> str:
    """Escape HTML characters as Go does."""
    for character, escape in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&#34;"), ("'", "&#39;")):
        text = text.replace(character, escape)
    return text
