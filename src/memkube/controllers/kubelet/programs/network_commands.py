"""Shell commands that use the network: ``wget`` and ``nslookup`` as in busybox, ``curl``, and ``nc`` as in OpenBSD.

Only HTTP and lines of text over TCP and UDP are simulated. The servers in other simulated containers ignore headers and
bodies of requests.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from memkube.controllers.kubelet.programs.input import Lines, options
from memkube.controllers.kubelet.programs.program import (
    NotSimulated,
    Output,
    Pause,
    Run,
    Session,
    Steps,
    Transport,
    error,
)
from memkube.controllers.kubelet.programs.resolver import NAME_SERVER, Resolver, resolve
from memkube.registry.declarations.streaming import HttpRequest

_TIMED_OUT: Final = "Connection timed out"
_SERVICE_NAMES: Final = {21: "ftp", 22: "ssh", 53: "domain", 80: "http", 443: "https"}
"""Service names that ``nc`` prints for ports. A real ``/etc/services`` has more names."""
_CONNECT_SECONDS: Final = 130.0
"""Seconds after which Linux stops connecting to an address that does not respond."""
_URL: Final = re.compile(r"(?:http://)?([^/:?#\s]+)(?::([0-9]{1,5}))?([/?][^#\s]*)?(?:#.*)?")
_WGET_WORDS: Final = {
    "--spider": "-s",
    "--quiet": "-q",
    "--timeout": "-T",
    "--tries": "-t",
    "--output-document": "-O",
    "--post-data": "-d",
}
_CURL_WORDS: Final = {
    "--silent": "-s",
    "--show-error": "-S",
    "--fail": "-f",
    "--include": "-i",
    "--head": "-I",
    "--location": "-L",
    "--insecure": "-k",
    "--output": "-o",
    "--max-time": "-m",
    "--connect-timeout": "-m",
    "--write-out": "-w",
    "--header": "-H",
    "--request": "-X",
    "--data": "-d",
    "--user-agent": "-A",
    "--retry": "-r",
    "--globoff": "-g",
    "--interface": "-e",
}
_HTTP_ERROR: Final = 400
_REDIRECTS: Final = range(300, 400)


class _Url(NamedTuple):
    host: str
    port: int
    target: str


class _Response(NamedTuple):
    head: bytes
    body: bytes

    @property
    def status_line(self) -> str:
        return self.head.split(b"\r\n", 1)[0].decode("latin-1")

    @property
    def status(self) -> int:
        return int(self.status_line.split(" ")[1])


class _Failed(Exception):
    """Raised if the HTTP request of a command gets no response. The text is the reason."""


def wget(arguments: Sequence[str], session: Session) -> Run:
    """Run ``wget`` with one URL."""
    given, words = _permuted(arguments, _WGET_WORDS, "qs", "OTtd")
    if len(words) != 1 or any(word.startswith("-d") for word in arguments):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    url = _url(words[0])
    addresses = resolve(url.host, session)
    if not addresses:
        yield error(f"wget: bad address '{url.host}'")
        return 1
    if "q" not in given:
        yield error(f"Connecting to {url.host} ({addresses[0]}:{url.port})")
    limit = _seconds(given.get("T"))
    try:
        response = yield from _requested(addresses[0], url.port, _request(url, given), limit, session)
    except _Failed as failed:
        yield error(f"wget: {_wget_problem(str(failed), addresses[0], is_limited=limit < _CONNECT_SECONDS)}")
        return 1
    if response.status >= _HTTP_ERROR:
        yield error(f"wget: server returned error: {response.status_line}")
        return 1
    if response.status in _REDIRECTS:
        raise NotSimulated("wget that follows a redirection is not simulated")
    if "s" in given:
        if "q" not in given:
            yield error("remote file exists")
        return 0
    name = given.get("O") or url.target.partition("?")[0].rpartition("/")[2] or "index.html"
    return (yield from _saved(name, response.body, session, is_quiet="q" in given))


def _wget_problem(reason: str, address: str, *, is_limited: bool) -> str:
    if reason == _TIMED_OUT and is_limited:
        return "download timed out"
    if reason.startswith("Connection"):
        return f"can't connect to remote host ({address}): {reason}"
    return "error getting response"


def _saved(name: str, body: bytes, session: Session, *, is_quiet: bool) -> Run:
    if not is_quiet:
        yield error("writing to stdout" if name == "-" else f"saving to '{name}'")
    if name == "-":
        yield Output(body)
    else:
        try:
            session.files.write(session.path(name), body, session.now())
        except OSError as problem:
            yield error(f"wget: can't open '{name}': {problem}")
            return 1
    if not is_quiet:
        yield error(f"{name:<20.20} 100% |{'*' * 32}| {len(body):5d}  0:00:00 ETA")
        yield error("written to stdout" if name == "-" else f"'{name}' saved")
    return 0


def curl(arguments: Sequence[str], session: Session) -> Run:
    """Run ``curl`` with one URL. It never prints a progress meter."""
    given, words = _permuted(arguments, _CURL_WORDS, "sSfiILkqg", "omwHXdAre")
    if len(words) != 1 or ("L" in given and "I" in given):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    url = _url(words[0])
    says = "s" not in given or "S" in given
    code, problem, response = yield from _curled(url, _request(url, given), _seconds(given.get("m")), session)
    if response is not None and "f" in given and response.status >= _HTTP_ERROR:
        code, problem = 22, f"The requested URL returned error: {response.status}"
    elif response is not None:
        if "L" in given and response.status in _REDIRECTS:
            raise NotSimulated("curl that follows a redirection is not simulated")
        head = response.head + b"\r\n\r\n" if given.keys() & {"i", "I"} else b""
        data = head + (b"" if "I" in given else response.body)
        if given.get("o", "-") == "-":
            yield Output(data)
        else:
            try:
                session.files.write(session.path(given["o"]), data, session.now())
            except OSError:
                code, problem = 23, "Failure writing output to destination"
    if "w" in given:
        status = f"{response.status if response is not None else 0:03d}"
        yield Output(_written_out(given["w"], status).encode())
    if problem and says:
        yield error(f"curl: ({code}) {problem}")
    return code


def _curled(
    url: _Url, request: HttpRequest, limit: float, session: Session
) -> Steps[tuple[int, str, _Response | None]]:
    """Send the HTTP request of ``curl``. Returns the exit code, the error message and the response.

    `limit` is the time limit in seconds. Without a response, the exit code is not 0, and the response is None.
    """
    addresses = resolve(url.host, session)
    if not addresses:
        return 6, f"Could not resolve host: {url.host}", None
    try:
        return 0, "", (yield from _requested(addresses[0], url.port, request, limit, session))
    except _Failed as failed:
        reason = str(failed)
    if reason == _TIMED_OUT:
        return 28, f"Connection timed out after {int(limit * 1000)} milliseconds", None
    if reason.startswith("Connection"):
        return 7, f"Failed to connect to {url.host} port {url.port} after 0 ms: Could not connect to server", None
    return 52, reason, None


def _written_out(text: str, status: str) -> str:
    text = text.replace("%{http_code}", status).replace("%{response_code}", status)
    if "%{" in text:
        raise NotSimulated(f"curl -w {text} is not simulated")
    return text.replace("\\n", "\n").replace("\\t", "\t")


def look_up(arguments: Sequence[str], session: Session) -> Run:
    """Run ``nslookup`` for a DNS name, as in busybox 1.28."""
    given, words = options(arguments, "")
    if len(words) != 1 or given:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    assert session.network is not None
    server = Resolver.of(session.files).nameservers[0]
    name = "kube-dns.kube-system.svc.cluster.local" if server == NAME_SERVER else session.network.name_of(server)
    yield Output(f"Server:    {server}\n{f'Address 1: {server} {name}'.rstrip()}\n\n".encode())
    addresses = resolve(words[0], session)
    if not addresses:
        yield error(f"nslookup: can't resolve '{words[0]}'")
        return 1
    lines = [f"Name:      {words[0]}"]
    for number, address in enumerate(addresses, 1):
        lines.append(f"Address {number}: {address} {session.network.name_of(address)}".rstrip())
    yield Output(("\n".join(lines) + "\n").encode())
    return 0


def net_cat(arguments: Sequence[str], session: Session) -> Run:
    """Run ``nc HOST PORT``: connect by TCP or UDP, send standard input, and print what the server sends.

    With UDP, it waits for further answers until the time limit, because no server closes the connection.
    """
    given, words = options(arguments, "vztu", "w")
    if len(words) != 2 or not words[1].isdecimal() or ("u" in given and ("z" in given or "w" not in given)):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    host, port = words[0], int(words[1])
    addresses = resolve(host, session)
    if not addresses:
        yield error(f'nc: getaddrinfo for host "{host}" port {port}: Name does not resolve')
        return 1
    assert session.network is not None
    protocol: Transport = "UDP" if "u" in given else "TCP"
    data = b"" if "z" in given else b"".join((yield from Lines("nc", [], session).remaining()))
    try:
        reply = session.network.exchange(addresses[0], port, data, protocol)
    except OSError as problem:
        reason = f"failed: {problem}"
        if str(problem) == _TIMED_OUT:
            session.budget.renew()
            yield Pause(_seconds(given.get("w")))
            reason = "timed out: Operation in progress" if "w" in given else "failed: Operation timed out"
        if "v" in given:
            yield error(f"nc: connect to {host} port {port} ({protocol.lower()}) {reason}")
        return 1
    if "v" in given:
        yield error(f"Connection to {host} {port} port [{protocol.lower()}/{_SERVICE_NAMES.get(port, '*')}] succeeded!")
    if reply and "z" not in given:
        yield Output(reply)
    if "u" in given:
        session.budget.renew()
        yield Pause(_seconds(given["w"]))
    return 0


def _permuted(
    arguments: Sequence[str], long: dict[str, str], flags: str, valued: str
) -> tuple[dict[str, str], list[str]]:
    """Parse arguments with options in any position. Returns the options by letter, and the other arguments.

    `long` maps long options such as ``--output`` to short ones. `flags` are the letters of options without a value,
    `valued` those of options with a value.
    """
    words = []
    for word in arguments[1:]:
        name, is_set, value = word.partition("=")
        words += [long[name], *([value] if is_set else [])] if name in long else [word]
    given, others = options([arguments[0], *words], flags, valued)
    while len(others) > 1 and others[1].startswith("-"):
        more, following = options([arguments[0], *others[1:]], flags, valued)
        given, others = given | more, [others[0], *following]
    return given, others


def _url(text: str) -> _Url:
    found = _URL.fullmatch(text)
    if found is None or "://" in text.removeprefix("http://"):
        raise NotSimulated(f"a request to {text} is not simulated")
    target = found[3] or "/"
    return _Url(found[1], int(found[2] or 80), target if target.startswith("/") else f"/{target}")


def _seconds(text: str | None) -> float:
    if text is None:
        return _CONNECT_SECONDS
    try:
        return min(float(text), _CONNECT_SECONDS)
    except ValueError:
        raise NotSimulated(f"a time limit of {text}, which is not a number of seconds, is not simulated") from None


def _request(url: _Url, given: Mapping[str, str]) -> HttpRequest:
    """Return the request of ``wget`` or ``curl``, whose options are `given` by letter."""
    default = "POST" if "d" in given else "HEAD" if "I" in given else "GET"
    return HttpRequest(url.target, given.get("X", default), body=given.get("d", "").encode())


def _requested(address: str, port: int, request: HttpRequest, limit: float, session: Session) -> Steps[_Response]:
    """Send an HTTP request to an IP address, and return the response. Raises _Failed if there is none.

    If the address does not respond, _Failed is raised after a pause of `limit` seconds.
    """
    assert session.network is not None
    try:
        head, _, body = session.network.request(address, port, request).partition(b"\r\n\r\n")
    except OSError as problem:
        if str(problem) == _TIMED_OUT:
            session.budget.renew()
            yield Pause(limit)
        raise _Failed(str(problem)) from None
    return _Response(head, body)
