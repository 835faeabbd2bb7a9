import subprocess
import sys
from datetime import timedelta

import httpx
import pytest

from memkube.server import Server, ServerError
from memkube.settings import Settings

_WHAT_FEW_ASK_FOR = {"fastapi", "sse_starlette", "websockets", "memkube.endpoints.spdy"}


def test_a_server_starts_without_what_few_ask_for() -> None:
    program = f"import sys, memkube.cli; print({_WHAT_FEW_ASK_FOR} & sys.modules.keys())"
    started = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=True)
    assert started.stdout == "set()\n"


def test_a_test_moves_the_clock_of_its_server() -> None:
    with Server(Settings(clock="stepped")).in_thread() as server:
        before = server.advance(0)
        assert server.advance(90) - before == timedelta(seconds=90)
        node = httpx.get(f"{server.url}/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1").json()
        assert node["spec"]["renewTime"] == server.advance(0).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_a_clock_that_runs_by_itself_cannot_be_moved() -> None:
    with Server(Settings(controllers=())).in_thread() as server, pytest.raises(ServerError, match="runs by itself"):
        server.advance(1)
