"""Functions shared by the commands that start a server."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.settings import Settings


def open_server(settings: Callable[[], Settings], host: str = "127.0.0.1", port: int = 0) -> Server:
    """Return a server that listens on a socket. Raises ServerError if it cannot start or an option is invalid."""
    try:
        return Server(settings(), host, port)
    except ValueError as error:
        raise ServerError(str(error)) from None


@contextlib.contextmanager
def own_kubeconfig() -> Iterator[Path]:
    """Provide a path for a kubeconfig in a new folder that only this user can write to, deleted after the block."""
    with tempfile.TemporaryDirectory(prefix="memkube-") as folder:
        yield Path(folder) / "kubeconfig"
