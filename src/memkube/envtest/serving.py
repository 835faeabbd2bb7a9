"""Runs the server of the kube-apiserver program until it receives a signal."""

import gc
import logging
import sys

from memkube.envtest.apiserver_settings import ServerOptions
from memkube.errors import MemkubeError
from memkube.server.server import Server
from memkube.version import KUBERNETES_VERSION


def serve(options: ServerOptions) -> int:
    """Serve until SIGINT or SIGTERM, and return the exit status. Warnings and errors are logged to stderr."""
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    try:
        server = Server(options.settings, options.host, options.port)
    except MemkubeError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 1
    gc.enable()
    return 0 if server.run(lambda: _announce(server.url)) else 1


def _announce(url: str) -> None:
    sys.stderr.write(f"memkube serves Kubernetes {KUBERNETES_VERSION} at {url}\n")
    sys.stderr.flush()
