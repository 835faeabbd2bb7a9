"""Print the modules of memkube whose functions a GET and a create of a ConfigMap call.

Each request is made twice and counted the second time, when imports and caches are complete. The requests are made in
this process, without a socket: run it with ``.venv/bin/python tools/modules_read.py``.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType
from typing import Any

import memkube
from memkube.server.app import create_app
from memkube.server.settings import Settings

_SOURCES = f"{Path(memkube.__file__).parent}/"
_COLLECTION = "/api/v1/namespaces/default/configmaps"


class Client:
    """Calls an ASGI application."""

    def __init__(self) -> None:
        self._app = create_app(Settings(controllers=()))

    async def start(self) -> None:
        """Run the start of the application's lifespan."""
        started = asyncio.Event()

        async def receive() -> dict[str, str]:
            if started.is_set():
                await asyncio.Event().wait()
            return {"type": "lifespan.startup"}

        async def send(_: Any) -> None:
            started.set()

        self._lifespan = asyncio.create_task(self._app({"type": "lifespan"}, receive, send))
        await started.wait()

    async def request(self, method: str, path: str, body: bytes = b"") -> int:
        """Make a request; return the status of its answer."""
        statuses: list[int] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            if "status" in message:
                statuses.append(message["status"])

        headers = [(b"host", b"localhost"), (b"user-agent", b"modules_read")]
        scope = {"type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode()}
        scope |= {"query_string": b"", "headers": headers, "client": ("127.0.0.1", 1), "scheme": "http"}
        await self._app(scope, receive, send)
        return statuses[0]


async def modules_called(request: Callable[[], Awaitable[int]]) -> list[str]:
    """Return the modules whose functions run while a request is made, relative to the package."""
    modules: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_SOURCES):
            modules.add(frame.f_code.co_filename.removeprefix(_SOURCES))

    sys.setprofile(note)
    try:
        status = await request()
    finally:
        sys.setprofile(None)
    if status not in (200, 201):
        raise RuntimeError(f"the request was answered with status {status}")
    return sorted(modules)


async def modules_of_requests() -> dict[str, list[str]]:
    """Return the modules that each kind of request calls."""
    client = Client()
    await client.start()
    for name in ("first", "second"):
        body = f'{{"metadata": {{"name": "{name}"}}, "data": {{"key": "value"}}}}'.encode()
        created = await modules_called(lambda: client.request("POST", _COLLECTION, body))  # noqa: B023  the lambda is called before the next iteration
        read = await modules_called(lambda: client.request("GET", f"{_COLLECTION}/first"))
    return {"GET": read, "create": created}


if __name__ == "__main__":
    for request_name, called in asyncio.run(modules_of_requests()).items():
        sys.stdout.write("\n  ".join([f"{request_name}: {len(called)} modules", *called]) + "\n")
