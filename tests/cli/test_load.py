import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube.controllers.available import COLLECTOR
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.cli.processes import SOON, on_a_terminal, run_memkube
from tests.manifests.test_loading import fill

_PATHS = (
    "/api/v1/namespaces/shop",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com",
    "/apis/example.com/v1/namespaces/shop/widgets/w",
    "/api/v1/namespaces/shop/configmaps/m",
)
"""Paths of objects to copy. They have annotations, finalizers, an owner and a status, and one is terminating."""


@pytest.fixture
def servers() -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """A server to copy from, and one with a garbage collector, which would delete objects without their owners."""
    with (
        Server(Settings(controllers=())).in_thread() as source,
        Server(Settings(controllers=(COLLECTOR,))).in_thread() as target,
        httpx.Client(base_url=source.url, trust_env=False) as reader,
        httpx.Client(base_url=target.url, trust_env=False, timeout=SOON) as writer,
    ):
        fill(reader)
        yield reader, writer


def _without_revision(client: httpx.Client, path: str) -> dict[str, Any]:
    until = time.monotonic() + SOON
    while (answer := client.get(path)).status_code == 404 and time.monotonic() < until:
        pass
    document: dict[str, Any] = answer.json()
    del document["metadata"]["resourceVersion"]
    return document


def _kubeconfig(client: httpx.Client, path: Path) -> str:
    write_kubeconfig(path, str(client.base_url).rstrip("/"))
    return str(path)


def test_a_server_is_copied_into_another(
    environment: dict[str, str], servers: tuple[httpx.Client, httpx.Client], tmp_path: Path
) -> None:
    source, target = servers
    words = ("load", "--from", _kubeconfig(source, tmp_path / "from"), "--server", str(target.base_url))
    done = run_memkube(environment, *words)
    assert done.returncode == 0, done.stderr
    for path in _PATHS:
        assert _without_revision(target, path) == _without_revision(source, path)
    assert target.get("/api/v1/namespaces/shop/secrets/s").json()["data"] == {"password": "bWFza2Vk"}
    # Removing the finalizer of the copied object completes its deletion.
    patch = {"metadata": {"finalizers": None}}
    kind = {"Content-Type": "application/merge-patch+json"}
    assert target.patch(_PATHS[3], json=patch, headers=kind).status_code == 200
    assert target.get(_PATHS[3]).status_code == 404


def test_a_server_is_copied_into_a_file_that_another_is_restored_from(
    environment: dict[str, str], servers: tuple[httpx.Client, httpx.Client], tmp_path: Path
) -> None:
    source, target = servers
    file = tmp_path / "staging.jsonl"
    done = run_memkube(environment, "load", "--from", _kubeconfig(source, tmp_path / "from"), str(file))
    assert done.returncode == 0, done.stderr
    assert "objects copied from" in done.stdout
    done = run_memkube(environment, "snapshot", "restore", "--server", str(target.base_url), str(file))
    assert done.returncode == 0, done.stderr
    for path in _PATHS:
        assert _without_revision(target, path) == _without_revision(source, path)


def test_a_server_is_not_copied_into_itself(
    environment: dict[str, str], servers: tuple[httpx.Client, httpx.Client], tmp_path: Path
) -> None:
    url = str(servers[0].base_url).rstrip("/")
    done = run_memkube(environment, "load", "--from", _kubeconfig(servers[0], tmp_path / "from"), "--server", url)
    assert done.returncode == 1
    assert "the target is the cluster to copy from" in done.stderr


def test_what_is_no_snapshot_is_refused(servers: tuple[httpx.Client, httpx.Client]) -> None:
    answer = servers[1].post("/memkube/v1/objects", content=b'{"kind": "Pod"}\n')
    assert (answer.status_code, answer.json()["message"]) == (422, "line 1: the file is not a memkube snapshot")


def test_a_terminal_shows_how_far_it_is(
    environment: dict[str, str], servers: tuple[httpx.Client, httpx.Client], tmp_path: Path
) -> None:
    words = ("load", "--from", _kubeconfig(servers[0], tmp_path / "from"), str(tmp_path / "all.jsonl"))
    shown = on_a_terminal(environment, *words)
    assert re.search(r"objects, \w+  \[#+-*\] +\d+%", shown)
    assert "objects copied from" in shown


def test_who_has_no_client_is_told_how_to_get_it(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "kubernetes.py").write_text("raise ImportError\n")
    path = os.pathsep.join((str(tmp_path), environment.get("PYTHONPATH", "")))
    done = run_memkube({**environment, "PYTHONPATH": path}, "load", str(tmp_path / "all.jsonl"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'memkube[load]'" in done.stderr
