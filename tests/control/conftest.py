"""Servers that the control API is tried on: ``pytest tests/control --engine ENGINE`` says where they keep objects."""

import uuid
from collections.abc import Iterator
from pathlib import Path

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
    """What others may write to is not restored: `test_an_etcd_is_not_restored` sees that refused."""
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
    """Nothing is there yet."""
    return _place(request, tmp_path)


@pytest.fixture
def stepped(place: StorageOptions) -> Iterator[httpx.Client]:
    """Talks to a server with two nodes, on a clock that stands still."""
    settings = Settings(storage=place, clock="stepped", controller_options=ControllerOptions(nodes=2, zones=2))
    # An hour of heartbeats on a disk that others use as well takes its time.
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
    """Talks to that server, and not to the one that most other tests share."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as connected:
        yield connected
