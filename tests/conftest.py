"""What all tests share."""

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

# Others have the processor as well: how long an example takes is nobody's fault.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")
# kubectl has ended before its garbage is worth collecting, which would be a quarter of its work.
os.environ.setdefault("GOGC", "off")


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
    """An etcd for all tests that do it no harm, and that stay under prefixes of their own."""
    server = EtcdServer(tmp_path_factory.mktemp("etcd") / "data", ["--unsafe-no-fsync"])
    yield server
    server.kill()


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    """Talks HTTP to the server."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=20) as connected:
        yield connected


@pytest.fixture
def namespace(client: httpx.Client) -> str:
    """A new namespace for each test."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    client.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
    return name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Has the files that take longest come first, so that no process is left with one of them in the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says in one line how many tests were skipped, and for want of what."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    if reasons:
        counted = ", ".join(f"{count} since {reason}" for reason, count in sorted(reasons.items()))
        terminalreporter.write_line(f"{len(skipped)} tests were skipped: {counted}")
