import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from kubernetes import client as kubernetes_client
from kubernetes.stream import portforward, stream

from memkube.server.server import Server

pytestmark = [
    pytest.mark.usefixtures("pod"),
    # If the server closes a connection first, the package leaves the socket to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect garbage after each test, so that unclosed sockets are reported for the right test."""
    yield
    gc.collect()


@pytest.fixture
def core(server: Server) -> Iterator[Any]:
    configuration = kubernetes_client.Configuration(host=server.url)
    with kubernetes_client.ApiClient(configuration) as connected:
        yield kubernetes_client.CoreV1Api(connected)


@contextmanager
def _exec(core: Any, namespace: str, *command: str, **options: Any) -> Iterator[Any]:
    """Open an exec session, and close it at the end of the block, which the package does not do."""
    asked: dict[str, Any] = {"stdin": False, "stdout": True, "stderr": True, "tty": False, **options}
    connect = core.connect_get_namespaced_pod_exec
    session = stream(connect, "web", namespace, command=list(command), _preload_content=False, **asked)
    try:
        yield session
    finally:
        session.close()


def test_exec_returns_the_output(core: Any, namespace: str) -> None:
    with _exec(core, namespace, "echo", "hi") as session:
        session.run_forever(timeout=60)
        assert (session.returncode, session.read_all()) == (0, "hi\n")


def test_an_open_session_can_be_written_to(core: Any, namespace: str) -> None:
    with _exec(core, namespace, "cat", stdin=True) as session:
        session.write_stdin("hello\n")
        assert session.readline_stdout(timeout=60) == "hello"


def test_a_session_knows_its_exit_code(core: Any, namespace: str) -> None:
    with _exec(core, namespace, "fail", "5") as session:
        session.run_forever(timeout=60)
        assert (session.returncode, session.read_stderr()) == (5, "failed\n")


def test_a_forwarded_port_is_a_socket(core: Any, namespace: str) -> None:
    forwarded = portforward(core.connect_get_namespaced_pod_portforward, "web", namespace, ports="7")
    socket = forwarded.socket(7)
    socket.setblocking(True)
    socket.sendall(b"ping")
    assert socket.recv(100) == b"ping"
    assert forwarded.error(7) is None
    forwarded.close()
