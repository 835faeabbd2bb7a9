"""Connections that are upgraded from HTTP to another protocol, offered to applications as an ASGI extension."""

import asyncio
import logging
from collections import deque
from http import HTTPStatus
from typing import Final

from starlette.types import ASGIApp, Message, Scope
from uvicorn.server import ServerState

from memkube.endpoints.transport import UPGRADE

_LOGGER = logging.getLogger("memkube")
_HIGH_WATER: Final = 256 * 1024
_LEAVING_SECONDS: Final = 5.0


class UpgradeProtocol(asyncio.Protocol):
    """Serves a request that asks for an upgrade, and then the upgraded connection (ASGI extension UPGRADE).

    If the application answers with an ordinary response, the response is sent and the connection is closed.
    """

    def __init__(self, app: ASGIApp, scope: Scope, transport: asyncio.Transport, state: ServerState) -> None:
        self._app = app
        self._scope = scope
        self._transport = transport
        self._state = state
        self._received: deque[bytes] = deque()
        self._size = 0
        self._changed = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._lost = False
        self._request_read = False
        scope.setdefault("extensions", {})[UPGRADE] = {}

    def start(self) -> None:
        """Take the transport over from the HTTP protocol, and run the application."""
        self._transport.set_protocol(self)
        self._state.connections.add(self)  # type: ignore[arg-type]  # uvicorn only calls shutdown()
        task = asyncio.get_running_loop().create_task(self._run())
        self._state.tasks.add(task)
        task.add_done_callback(self._state.tasks.discard)

    def data_received(self, data: bytes) -> None:
        """Buffer received bytes for the application. If the buffer is too large, stop reading from the transport."""
        self._received.append(data)
        self._size += len(data)
        if self._size > _HIGH_WATER:
            self._transport.pause_reading()
        self._changed.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake the application if it waits to receive or to send."""
        self._lost = True
        self._state.connections.discard(self)
        self._changed.set()
        self._writable.set()

    def pause_writing(self) -> None:
        """Make the application wait before it sends more, because the transport's buffer is full."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Let the application send again, because the transport's buffer has room."""
        self._writable.set()

    def shutdown(self) -> None:
        """Shut down: tell the application that the client has disconnected."""
        self._lost = True
        self._changed.set()
        self._transport.close()

    async def _run(self) -> None:
        try:
            await self._app(self._scope, self._receive, self._send)
        except OSError:
            pass
        except Exception:
            _LOGGER.exception("an upgraded connection failed")
        finally:
            self._finish()

    def _finish(self) -> None:
        """Close the connection, after giving the client time to read the last bytes."""
        if not self._transport.is_closing():
            self._received.clear()
            self._transport.resume_reading()
            if self._transport.can_write_eof():
                self._transport.write_eof()
            asyncio.get_running_loop().call_later(_LEAVING_SECONDS, self._transport.close)

    async def _receive(self) -> Message:
        if not self._request_read:
            self._request_read = True
            return {"type": "http.request", "body": b"", "more_body": False}
        while not self._received:
            if self._lost:
                return {"type": "http.disconnect"}
            self._changed.clear()
            await self._changed.wait()
        data = self._received.popleft()
        self._size -= len(data)
        if self._size <= _HIGH_WATER and not self._lost:
            self._transport.resume_reading()
        return {"type": "http.upgrade.receive", "bytes": data}

    async def _send(self, message: Message) -> None:
        await self._writable.wait()
        if self._lost:
            raise ConnectionResetError
        match message["type"]:
            case "http.upgrade.accept":
                self._request_read = True
                self._write_head(101, message["headers"])
            case "http.upgrade.send":
                self._transport.write(message["bytes"])
            case "http.response.start":
                self._write_head(message["status"], [*message.get("headers", ()), (b"connection", b"close")])
            case "http.response.body":
                self._transport.write(message.get("body", b""))

    def _write_head(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n".encode()
        lines = [name + b": " + value + b"\r\n" for name, value in headers]
        self._transport.write(head + b"".join(lines) + b"\r\n")
