"""Servers that the control API is tried on."""

from collections.abc import Iterator

import httpx
import pytest

from memkube.controllers.options import ControllerOptions
from memkube.server import Server
from memkube.settings import Settings


@pytest.fixture
def stepped() -> Iterator[httpx.Client]:
    """Talks to a server with two nodes, on a clock that stands still."""
    settings = Settings(clock="stepped", controller_options=ControllerOptions(nodes=2, zones=2))
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as connected:
        yield connected
