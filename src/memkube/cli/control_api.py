"""A client of the control API, for commands that act on a running server."""

import http.client
import json
import os
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import click

from memkube.cli.output import print_json
from memkube.errors import Refused, ServerError, reason_of
from memkube.server.kubeconfig import current_memkube

DEFAULT_SERVER: Final = "http://127.0.0.1:8080"
server_option = click.option(
    "--server",
    "-s",
    metavar="URL",
    envvar="MEMKUBE_SERVER",
    show_envvar=True,
    default="",
    show_default=False,
    help=f"Address of the server; default: that of the kubeconfig if memkube wrote it, or {DEFAULT_SERVER}.",
)
TOKEN: Final = "MEMKUBE_TOKEN"
"""Environment variable with the bearer token that the commands send. Without it, they send the kubeconfig's token."""
_PREFIX: Final = "/memkube/v1"
_SECONDS: Final = 300.0
_SCHEMES: Final = ("http", "https")


class ControlApi:
    """The control API of the server at `url`. Raises ServerError if `url` is not an HTTP address.

    Paths are relative to ``/memkube/v1``; bodies and answers are JSON. Every call raises ServerError if no memkube
    server answers within `timeout` seconds, and Refused if it answers with an error Status.
    """

    def __init__(self, url: str, timeout: float = _SECONDS, token: str = "", authority: bytes = b"") -> None:
        """Prepare calls to the server at `url`; nothing is sent yet.

        `token` is the bearer token of the requests, and `authority` the CA certificate in PEM with which the server's
        certificate is verified. `timeout` is the maximum duration of a call in seconds.
        """
        parts = urlsplit(url)
        if parts.scheme not in _SCHEMES or not parts.hostname:
            raise ServerError(f"{url!r} is not the address of a server, such as {DEFAULT_SERVER}")
        self.url = url.rstrip("/")
        """Address of the server, without the path of its control API."""
        self._timeout = timeout
        self._token = token
        self._authority = authority

    @classmethod
    def of(cls, server: str, environment: Mapping[str, str] = os.environ) -> "ControlApi":
        """Return the control API of the server at URL `server`, or of the one in the kubeconfig if `server` is empty.

        Raises MemkubeError if the address or the kubeconfig is invalid.
        """
        context = None if server else current_memkube(environment)
        if context is None:
            return cls(server or DEFAULT_SERVER, token=environment.get(TOKEN, ""))
        token = environment.get(TOKEN, "") or context.token
        return cls(context.server, token=token, authority=context.authority)

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """Send a GET, and return the parsed answer."""
        return self.call("GET", path, query=query)

    def post(self, path: str, body: Any = None) -> Any:
        """Send a POST, and return the parsed answer; None if the answer is empty."""
        return self.call("POST", path, body)

    def put(self, path: str, body: Any) -> Any:
        """Send a PUT, and return the parsed answer; None if the answer is empty."""
        return self.call("PUT", path, body)

    def delete(self, path: str) -> Any:
        """Send a DELETE, and return the parsed answer; None if the answer is empty."""
        return self.call("DELETE", path)

    def call(self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None) -> Any:
        """Send a request, and return the parsed answer; None if the answer is empty."""
        with self.lines(method, path, body, query) as lines:
            text = b"".join(lines)
        return json.loads(text) if text else None

    @contextmanager
    def lines(
        self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None
    ) -> Iterator[Iterator[bytes]]:
        """Send a request, and provide an iterator of the answer's lines as they arrive.

        A `body` of bytes is sent unchanged, any other as JSON.
        """
        target = urlsplit(self.url).path + _PREFIX + path + (f"?{urlencode(query)}" if query else "")
        payload = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if payload is not None else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        with closing(self._connection()) as connection:
            with self._failures():
                connection.request(method, target, payload, headers)
                answer = connection.getresponse()
                if answer.status >= http.client.BAD_REQUEST:
                    raise self._refusal(answer)
            yield self._read(answer)

    def _read(self, answer: http.client.HTTPResponse) -> Iterator[bytes]:
        with self._failures():
            yield from answer

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except ssl.SSLCertVerificationError as error:
            raise ServerError(
                f"the certificate of {self.url} is not trusted ({error.verify_message}): "
                "set KUBECONFIG to the kubeconfig that the server printed"
            ) from None
        except (OSError, http.client.HTTPException) as error:
            said = reason_of(error) or type(error).__name__
            advice = "; start one with `memkube serve`, or name one with --server"
            hint = advice if isinstance(error, ConnectionRefusedError) else ""
            raise ServerError(f"no server answers at {self.url}: {said}{hint}") from None

    def _connection(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        if parts.scheme == "https":
            trusted = ssl.create_default_context(cadata=self._authority.decode() or None)
            return http.client.HTTPSConnection(parts.netloc, timeout=self._timeout, context=trusted)
        return http.client.HTTPConnection(parts.netloc, timeout=self._timeout)

    def _refusal(self, answer: http.client.HTTPResponse) -> Refused | ServerError:
        try:
            status = json.loads(answer.read())
        except ValueError:
            status = None
        # Every error of memkube is a Status, so any other body comes from a different server.
        if not isinstance(status, dict) or status.get("kind") != "Status":
            return ServerError(f"the server at {self.url} is not memkube: it answers {answer.status} {answer.reason}")
        return Refused(status)


def print_items(server: str, path: str, output: str, line: Callable[[Any], str]) -> None:
    """Print the items that the control API returns for a path: as JSON, or a line for each, as `line` returns it."""
    items = ControlApi.of(server).get(path)["items"]
    if output == "json":
        print_json(items)
        return
    for item in items:
        click.echo(line(item))
