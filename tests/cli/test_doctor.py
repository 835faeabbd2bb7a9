import contextlib
import json
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from benchmarks.processes import free_port

from memkube import Memkube
from memkube.version import KUBERNETES_VERSION
from tests.cli.processes import run_memkube


@pytest.fixture
def environment(environment: dict[str, str], home: Path) -> dict[str, str]:
    """Environment variables without a kubectl on PATH and without a kubeconfig."""
    (home / ".kube" / "config").unlink()
    (home / "bin").mkdir()
    return {**environment, "PATH": str(home / "bin")}


@pytest.fixture
def free() -> int:
    return free_port()


def _found(environment: dict[str, str], port: int, about: str, status: int = 0) -> tuple[str, str]:
    done = run_memkube(environment, "doctor", "--port", str(port), "-o", "json")
    findings = {finding["about"]: finding for finding in json.loads(done.stdout)}
    assert list(findings) == ["python", "memkube", "port", "kubectl", "kubeconfig"]
    assert (done.returncode, done.stderr) == (status, "")
    return findings[about]["state"], findings[about]["says"]


def _kubectl(environment: dict[str, str], script: str) -> None:
    program = Path(environment["PATH"]) / "kubectl"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_it_is_a_line_for_each_finding(environment: dict[str, str], free: int) -> None:
    lines = run_memkube(environment, "doctor", "--port", str(free)).stdout.splitlines()
    assert lines[2] == f"ok      port       127.0.0.1:{free} is free"
    assert lines[3] == "note    kubectl    is not on PATH; memkube itself does not need it"


def test_it_names_the_packages_that_memkube_is_built_with(environment: dict[str, str], free: int) -> None:
    state, says = _found(environment, free, "memkube")
    assert (state, "fastapi " in says, "uvicorn " in says) == ("ok", True, True)


def test_it_knows_a_memkube_on_the_port(environment: dict[str, str]) -> None:
    with Memkube(controllers="none", clock="stepped") as kube:
        state, says = _found(environment, int(kube.url.rpartition(":")[2]), "port")
    assert (state, "is used by memkube, whose clock (stepped) shows" in says) == ("ok", True)


def test_a_port_that_another_program_has_is_a_problem(environment: dict[str, str]) -> None:
    with _answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") as port:
        state, says = _found(environment, port, "port", status=1)
    assert (state, says) == ("problem", f"127.0.0.1:{port} is used by another program: serve on another --port")


def test_a_port_that_another_api_server_has_is_a_problem(environment: dict[str, str]) -> None:
    body = b'{"gitVersion": "v1.30.1"}'
    with _answering(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)) as port:
        state, says = _found(environment, port, "port", status=1)
    assert (state, "is used by another API server (Kubernetes 1.30.1)" in says) == ("problem", True)


@contextlib.contextmanager
def _answering(answer: bytes) -> Iterator[int]:
    """Run a server that sends the same response to every request; yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        connection.settimeout(60)
                        if connection.recv(65536):
                            connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize(
    ("release", "state", "words"),
    [
        (KUBERNETES_VERSION, "ok", f"{KUBERNETES_VERSION}, "),
        ("1.35.0+k3s1", "ok", "1.35.0+k3s1, "),
        ("1.30.2", "note", "it differs by 6 minor releases, and Kubernetes supports one"),
    ],
)
def test_it_tells_how_far_kubectl_is_away(
    environment: dict[str, str], free: int, release: str, state: str, words: str
) -> None:
    _kubectl(environment, f"""echo '{{"clientVersion": {{"gitVersion": "v{release}"}}}}'""")
    found, says = _found(environment, free, "kubectl")
    assert (found, words in says) == (state, True)


@pytest.mark.parametrize("script", ["exit 1", "echo hello", "echo '{}'"])
def test_a_kubectl_that_does_not_work_is_a_problem(environment: dict[str, str], free: int, script: str) -> None:
    _kubectl(environment, script)
    state, says = _found(environment, free, "kubectl", status=1)
    assert (state, "does not print its version" in says) == ("problem", True)


@pytest.mark.kubectl
@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH")
def test_it_understands_the_real_kubectl(environment: dict[str, str], free: int) -> None:
    program = shutil.which("kubectl")
    assert program is not None
    state, says = _found({**environment, "PATH": str(Path(program).parent)}, free, "kubectl")
    assert (state in ("ok", "note"), says.split(", ")[1].split(";")[0]) == (True, program)


def test_no_kubeconfig_is_no_problem(environment: dict[str, str], free: int, home: Path) -> None:
    expected = f"{home / '.kube' / 'config'} has no current context: kubectl uses http://localhost:8080"
    assert _found(environment, free, "kubeconfig") == ("note", expected)


def test_it_knows_the_kubeconfig_of_a_memkube(environment: dict[str, str], free: int) -> None:
    with Memkube(controllers="none") as kube:
        path, url = str(kube.kubeconfig), kube.url
        running = _found({**environment, "KUBECONFIG": path}, free, "kubeconfig")
    assert running == ("ok", f"{path}, context memkube, is {url}, a memkube server that answers ({KUBERNETES_VERSION})")


def test_a_kubeconfig_whose_server_does_not_answer_is_a_problem(
    environment: dict[str, str], free: int, home: Path
) -> None:
    run_memkube(environment, "kubeconfig", "--merge", "-s", f"http://127.0.0.1:{free}")
    state, says = _found(environment, free, "kubeconfig", status=1)
    assert (state, says.endswith(f"is http://127.0.0.1:{free}, which does not answer")) == ("problem", True)


def test_a_kubeconfig_of_another_cluster_is_noted(environment: dict[str, str], free: int, home: Path) -> None:
    with Memkube(controllers="none") as kube:
        config = yaml.safe_load(kube.kubeconfig_content)
        del config["clusters"][0]["cluster"]["extensions"]
        (home / ".kube" / "config").write_text(yaml.safe_dump(config))
        state, says = _found(environment, free, "kubeconfig")
    assert (state, says.endswith("but is not memkube")) == ("note", True)


def test_a_kubeconfig_that_cannot_be_read_is_a_problem(environment: dict[str, str], free: int, home: Path) -> None:
    (home / ".kube" / "config").write_text("a: [")
    assert _found(environment, free, "kubeconfig", status=1)[0] == "problem"
