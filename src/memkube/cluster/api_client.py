"""An HTTP client for the API server, which connects to the server's socket as any other client does."""

import http.client
import json
import ssl
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from anyio import fail_after
from anyio.from_thread import start_blocking_portal
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.typing import Subprotocol

from memkube.cluster.running import MANAGER
from memkube.errors import CallTimeout, Refused, ServerError
from memkube.registry.declarations.resource import Resource
from memkube.server.server import Server

_SUBPROTOCOL: Final = Subprotocol("v5.channel.k8s.io")
_STDIN, _STDOUT, _STDERR, _RESULT, _CLOSE = 0, 1, 2, 3, 255


@dataclass(frozen=True, slots=True)
class ExecResult:
    """The result of a command that was run in a container."""

    exit_code: int
    stdout: str
    stderr: str


def api_client(server: Server, timeout: float) -> "ApiClient":
    """Return a client that sends the administrator's token, and waits at most `timeout` seconds for a response.

    If the server does not check credentials, the administrator has no token, and the client sends no credentials.
    """
    context = ssl.create_default_context(cadata=server.authority.decode()) if server.authority else None
    return ApiClient(server.url, timeout, server.admin_token, context)


def path_of(resource: Resource, namespace: str, name: str = "", subresource: str = "") -> str:
    """Return the path of a collection, an object or a subresource."""
    prefix = ("apis", resource.group) if resource.group else ("api",)
    inside = ("namespaces", namespace) if resource.namespaced and namespace else ()
    parts = (*prefix, resource.version, *inside, resource.plural, name, subresource)
    return "/" + "/".join(quote(part, safe="") for part in parts if part)


class ApiClient:
    """Sends requests to the API server at `url`, with the user agent ``memkube-python``. Its methods block.

    Each method raises Refused for an error Status, ServerError if the connection ends without a response, and
    CallTimeout after `timeout` seconds.
    """

    def __init__(self, url: str, timeout: float, token: str = "", context: ssl.SSLContext | None = None) -> None:
        """Create a client for the server at `url`, which waits at most `timeout` seconds for a response.

        `token` is the bearer token to send; empty for none. `context` is the TLS context; None for plain HTTP.
        """
        self._context = context
        self._credentials = {"Authorization": f"Bearer {token}"} if token else {}
        self._netloc = urlsplit(url).netloc
        self._timeout = timeout

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content_type: str = "application/json",
    ) -> bytes:
        """Send a request, and return the body of the response.

        `body` is JSON data, sent with the media type `content_type`. Fields of `query` that are None are left out.
        """
        content_headers = {"Content-Type": content_type} if body is not None else {}
        headers = {"User-Agent": MANAGER, **self._credentials, **content_headers}
        content = None if body is None else json.dumps(body).encode()
        try:
            with closing(self._connection()) as connection:
                connection.request(method, path + _query(query or {}), content, headers)
                response = connection.getresponse()
                answer = response.read()
        except TimeoutError:
            raise self._late(method, path) from None
        except (OSError, http.client.HTTPException) as error:
            raise ServerError(f"no response to {method} {path}: {str(error) or type(error).__name__}") from None
        if response.status >= http.client.BAD_REQUEST:
            raise _refused(response.status, answer)
        return answer

    def _connection(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._netloc, timeout=self._timeout)
        return http.client.HTTPSConnection(self._netloc, timeout=self._timeout, context=self._context)

    def execute(self, path: str, query: Mapping[str, Any], stdin: str) -> ExecResult:
        """Run a command in a pod over a WebSocket, and return its output and exit code.

        `path` is the URL path of the pod's subresource ``exec``. `query` has the query parameters, such as the command
        and the container. `stdin` is the input of the command.
        """
        # Use an event loop, which reads and writes in one thread. The blocking client of websockets uses two threads,
        # and sometimes hangs over TLS, because an SSLSocket is not safe for threads.
        with start_blocking_portal() as portal:
            result: ExecResult = portal.call(self._execute, path, query, stdin)
        return result

    async def _execute(self, path: str, query: Mapping[str, Any], stdin: str) -> ExecResult:
        scheme = "ws" if self._context is None else "wss"
        url = (
            f"{scheme}://{self._netloc}{path}{_query({**query, 'stdin': bool(stdin), 'stdout': True, 'stderr': True})}"
        )
        try:
            async with connect(
                url,
                ssl=self._context,
                subprotocols=[_SUBPROTOCOL],
                additional_headers=self._credentials,
                user_agent_header=MANAGER,
                open_timeout=self._timeout,
                compression=None,
                proxy=None,
                max_size=None,
            ) as socket:
                if stdin:
                    await socket.send(bytes([_STDIN]) + stdin.encode())
                    await socket.send(bytes([_CLOSE, _STDIN]))
                return await self._result(socket, path)
        except InvalidStatus as refusal:
            raise _refused(refusal.response.status_code, bytes(refusal.response.body or b"")) from None
        except TimeoutError:
            raise self._late("exec", path) from None
        except (OSError, WebSocketException) as error:
            raise ServerError(f"no response to exec {path}: {str(error) or type(error).__name__}") from None

    async def _result(self, socket: ClientConnection, path: str) -> ExecResult:
        output = {_STDOUT: bytearray(), _STDERR: bytearray(), _RESULT: bytearray()}
        try:
            while True:
                with fail_after(self._timeout):
                    message = await socket.recv()
                assert isinstance(message, bytes)
                if message and message[0] in output:
                    output[message[0]] += message[1:]
        except ConnectionClosed:
            pass
        if not output[_RESULT]:
            raise ServerError(f"exec {path}: the connection ended before the command did")
        status = json.loads(output[_RESULT])
        stdout, stderr = (output[channel].decode("utf-8", "replace") for channel in (_STDOUT, _STDERR))
        if status.get("status") == "Success":
            return ExecResult(0, stdout, stderr)
        causes: Sequence[Mapping[str, str]] = status.get("details", {}).get("causes") or ()
        codes = [cause["message"] for cause in causes if cause.get("reason") == "ExitCode"]
        if not codes:
            raise Refused({"code": 500, **status})
        return ExecResult(int(codes[0]), stdout, stderr)

    def _late(self, method: str, path: str) -> CallTimeout:
        return CallTimeout(f"no response to {method} {path} within {self._timeout:g} s")


def _query(fields: Mapping[str, Any]) -> str:
    """Encode fields as the query of a URL.

    Booleans are written in lower case, a list becomes a parameter for each item, and fields that are None are omitted.
    """
    given = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in fields.items()
        if value is not None
    }
    return f"?{urlencode(given, doseq=True)}" if given else ""


def _refused(code: int, body: bytes) -> Refused:
    try:
        status = json.loads(body)
    except ValueError:
        status = {"message": body.decode("utf-8", "replace").strip()}
    return Refused({"code": code, **(status if isinstance(status, dict) else {})})
