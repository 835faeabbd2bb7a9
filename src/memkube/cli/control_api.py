"""A client of the control API, for commands about a server that runs elsewhere."""

import http.client
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import urlencode, urlsplit

import typer

from memkube.errors import Refused, ServerError
from memkube.server.kubeconfig import current_memkube

DEFAULT_SERVER: Final = "http://127.0.0.1:8080"
ServerOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--server",
        "-s",
        metavar="URL",
        envvar="MEMKUBE_SERVER",
        show_default=False,
        help=f"Address of the server; else that of the kubeconfig, if memkube wrote it, else {DEFAULT_SERVER}.",
    ),
]
_PREFIX: Final = "/memkube/v1"
_SECONDS: Final = 300.0
_CONNECTIONS: Final[dict[str, type[http.client.HTTPConnection]]] = {
    "http": http.client.HTTPConnection,
    "https": http.client.HTTPSConnection,
}


class ControlApi:
    """The control API of the server at `url`. Raises ServerError for what is no address.

    Paths are relative to ``/memkube/v1``, bodies and answers documents in JSON. Every call raises ServerError where no
    memkube answers within `timeout` seconds, and Refused for a Status.
    """

    def __init__(self, url: str, timeout: float = _SECONDS) -> None:
        parts = urlsplit(url)
        if parts.scheme not in _CONNECTIONS or not parts.hostname:
            raise ServerError(f"{url} is no address of a server: it would be like {DEFAULT_SERVER}")
        self.url = url.rstrip("/")
        """Of the server, not of its control API."""
        self._timeout = timeout

    @classmethod
    def of(cls, server: str, environment: Mapping[str, str] = os.environ) -> "ControlApi":
        """That of a `ServerOption`."""
        return cls(server or current_memkube(environment) or DEFAULT_SERVER)

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """What is at `path`."""
        return self.call("GET", path, query=query)

    def post(self, path: str, body: Any = None) -> Any:
        """What a POST answers; None if it answers nothing."""
        return self.call("POST", path, body)

    def put(self, path: str, body: Any) -> Any:
        """What a PUT answers; None if it answers nothing."""
        return self.call("PUT", path, body)

    def delete(self, path: str) -> Any:
        """What a DELETE answers; None if it answers nothing."""
        return self.call("DELETE", path)

    def call(self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None) -> Any:
        """What a request answers; None if it answers nothing."""
        with self.lines(method, path, body, query) as lines:
            text = b"".join(lines)
        return json.loads(text) if text else None

    @contextmanager
    def lines(
        self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None
    ) -> Iterator[Iterator[bytes]]:
        """The lines of an answer as they come. `body` may be bytes, which are sent as they are."""
        target = urlsplit(self.url).path + _PREFIX + path + (f"?{urlencode(query)}" if query else "")
        payload = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if payload is not None else {}
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
        except (OSError, http.client.HTTPException) as error:
            said = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
            raise ServerError(f"no server answers at {self.url}: {said}") from None

    def _connection(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        return _CONNECTIONS[parts.scheme](parts.netloc, timeout=self._timeout)

    def _refusal(self, answer: http.client.HTTPResponse) -> Refused | ServerError:
        try:
            status = json.loads(answer.read())
        except ValueError:
            status = None
        # A Kubernetes API server that is another's says that it has no such path, or asks who it is that asks.
        if not isinstance(status, dict) or status.get("kind") != "Status" or answer.status in (401, 403):
            return ServerError(f"the server at {self.url} is not memkube: it answers {answer.status} {answer.reason}")
        return Refused(status)
