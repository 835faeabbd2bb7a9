import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from memkube import Memkube
from memkube.hunting.report import HuntReport
from tests.cli.processes import MEMKUBE, run_memkube
from tests.hunting.test_report import FINDING

MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept"}, "data": {"colour": "blue"}}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "snapshot.jsonl"
    with Memkube(nodes=1, clock="stepped") as kube:
        kube.apply(MAP)
        kube.snapshot().save(path)
    return path


@contextlib.contextmanager
def showing(environment: dict[str, str], path: Path) -> Iterator[str]:
    """Run ``memkube ui`` for a snapshot, and yield the address of its server."""
    command = [*MEMKUBE, "ui", str(path)]
    process = subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("memkube shows ")
        yield line.split()[-1].removesuffix("/ui")
    finally:
        process.terminate()
        process.communicate()


def test_a_saved_snapshot_is_shown_and_cannot_be_changed(environment: dict[str, str], snapshot: Path) -> None:
    with showing(environment, snapshot) as url, httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
        shown = client.get("/ui/api/v1/namespaces/default/configmaps/kept").text
        assert "blue" in shown
        assert "a saved snapshot" in shown
        assert client.get("/api/v1/namespaces/default/configmaps/kept").status_code == 200
        refusal = client.delete("/api/v1/namespaces/default/configmaps/kept")
        assert (refusal.status_code, refusal.json()["reason"]) == (405, "MethodNotAllowed")
        assert client.post("/memkube/v1/clock/advance", json={"seconds": 1}).status_code == 405
        assert client.post("/ui/clock/advance", data={"seconds": "1"}).status_code == 405


def test_a_folder_of_artifacts_is_shown(environment: dict[str, str], snapshot: Path) -> None:
    with showing(environment, snapshot.parent) as url:
        answer = httpx.get(f"{url}/ui/api/v1/nodes", trust_env=False, timeout=60)
        assert "1 nodes" in answer.text.replace('<span id="count">', "").replace("</span>", "")


def test_the_address_of_a_running_server_is_printed(environment: dict[str, str]) -> None:
    with Memkube(nodes=0) as kube:
        assert run_memkube(environment, "ui", "--server", kube.url).stdout == f"{kube.url}/ui\n"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["missing.jsonl"], "missing.jsonl: No such file or directory"),
        (["--port", "1", "--server", "http://127.0.0.1:1"], "--port is for a file"),
        (["--server", "http://127.0.0.1:1"], "no server answers at http://127.0.0.1:1"),
    ],
)
def test_what_cannot_be_shown_is_told(environment: dict[str, str], words: list[str], problem: str) -> None:
    done = run_memkube(environment, "ui", *words)
    assert done.returncode != 0
    assert problem in done.stderr


def test_the_folder_of_a_hunt_is_shown_as_findings(environment: dict[str, str], tmp_path: Path) -> None:
    HuntReport(1, findings=[FINDING]).write(tmp_path, None)
    with showing(environment, tmp_path) as url:
        answer = httpx.get(f"{url}/ui", trust_env=False, timeout=60, follow_redirects=True)
        assert "the operator is killed &amp; started again" in answer.text
