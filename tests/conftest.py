"""Fixtures and hooks for all tests."""

import inspect
import os
import uuid
from collections import Counter
from collections.abc import Iterator

import httpx
import pytest
from hypothesis import HealthCheck, settings

from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.etcd_server import EtcdServer

# The processor is shared with other tests, so the duration of an example says nothing.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")
# Garbage collection would take a quarter of kubectl's time for no benefit, because kubectl ends soon.
os.environ.setdefault("GOGC", "off")
# All functions of httpx share this default of 5 seconds, in which a busy machine may not run the server at all.
_HTTPX_TIMEOUT = inspect.signature(httpx.get).parameters["timeout"].default
_HTTPX_TIMEOUT.connect = _HTTPX_TIMEOUT.read = _HTTPX_TIMEOUT.write = _HTTPX_TIMEOUT.pool = 60


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Asynchronous tests (``pytest.mark.anyio``) run on asyncio, as the server does."""
    return "asyncio"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server on loopback without controllers, so that nothing happens but what a test does."""
    with Server(Settings(controllers=())).in_thread() as running:
        yield running


@pytest.fixture(scope="session")
def etcd_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EtcdServer]:
    """An etcd shared by all tests that neither stop nor pause it and that use a key prefix of their own."""
    server = EtcdServer(tmp_path_factory.mktemp("etcd") / "data", ["--unsafe-no-fsync"])
    yield server
    server.kill()


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    """An HTTP client of the server."""
    with httpx.Client(base_url=server.url, trust_env=False) as connected:
        yield connected


@pytest.fixture
def namespace(client: httpx.Client) -> str:
    """A new namespace for each test."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    client.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
    return name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files that take longest first, so that none of them is the last one running."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print in one line how many tests were skipped, and the reasons."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    if reasons:
        counted = ", ".join(f"{count} since {reason}" for reason, count in sorted(reasons.items()))
        terminalreporter.write_line(f"{len(skipped)} tests were skipped: {counted}")
