"""Opens a server for a command such as ``memkube serve``, and provides a private path for its kubeconfig."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memkube.control.scenario_runs import PreparedScenario
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.settings import Settings


def open_server(settings: Callable[[], Settings], host: str = "127.0.0.1", port: int = 0) -> Server:
    """Return a server that listens on a socket, and plays the scenarios that are sent to it.

    Raises ServerError if it cannot start or an option is invalid.
    """
    try:
        server = Server(settings(), host, port)
    except ValueError as error:
        raise ServerError(str(error)) from None
    server.parts.scenarios.player = _Player(server)
    return server


class _Player:
    """Plays scenarios on a server. The code for it is imported for the first scenario, because importing takes time."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def prepare(self, document: Mapping[str, Any], speed: float | None) -> PreparedScenario:
        from memkube.scenarios.posting import ServerPlayer  # noqa: PLC0415  see the class

        return ServerPlayer(self._server).prepare(document, speed)


@contextlib.contextmanager
def own_kubeconfig() -> Iterator[Path]:
    """Provide a path for a kubeconfig in a new folder that only this user can write to, deleted after the block."""
    with tempfile.TemporaryDirectory(prefix="memkube-") as folder:
        yield Path(folder) / "kubeconfig"
