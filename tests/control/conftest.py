"""Servers for tests of the control API. ``pytest tests/control --engine ENGINE`` selects their storage."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube.controllers.options import ControllerOptions
from memkube.server.server import Server
from memkube.server.settings import Settings, StorageOptions
from tests.etcd_server import EtcdServer

_ENGINES = ("memory", "sqlite", "etcd")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine", choices=_ENGINES, default=_ENGINES[0], help="where the control API's servers keep objects"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of restores on etcd, which are refused: see `test_an_etcd_is_not_restored`."""
    if config.getoption("--engine") == "etcd":
        restoring = [item for item in items if item.get_closest_marker("restores")]
        items[:] = [item for item in items if item not in restoring]
        config.hook.pytest_deselected(items=restoring)


def _place(request: pytest.FixtureRequest, folder: Path) -> StorageOptions:
    match request.config.getoption("--engine"):
        case "sqlite":
            return StorageOptions.of(f"sqlite:{folder / 'objects.db'}")
        case "etcd":
            etcd: EtcdServer = request.getfixturevalue("etcd_server")
            return StorageOptions.of(f"etcd:{etcd.url}", etcd={"prefix": f"/{uuid.uuid4().hex}"})
        case _:
            return StorageOptions()


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> StorageOptions:
    """The options of an empty storage."""
    return _place(request, tmp_path)


@pytest.fixture
def stepped(place: StorageOptions) -> Iterator[httpx.Client]:
    """A client of a server with two nodes and a stepped clock."""
    settings = Settings(storage=place, clock="stepped", controller_options=ControllerOptions(nodes=2, zones=2))
    # The timeout is long, because an hour of heartbeats takes long on a busy disk.
    with (
        Server(settings).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=60) as connected,
    ):
        yield connected


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without controllers."""
    place = _place(request, tmp_path_factory.mktemp("sandbox"))
    with Server(Settings(controllers=(), storage=place)).in_thread() as running:
        yield running


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    """A client of `server`. It replaces the client of the server that all tests share."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as connected:
        yield connected


def finished(client: httpx.Client, number: int) -> Any:
    """Wait until a scenario is over, and return its state."""
    while (told := client.get(f"/memkube/v1/scenarios/{number}").json())["state"] == "playing":
        pass
    return told
