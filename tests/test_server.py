from datetime import timedelta

import httpx
import pytest

from memkube.server import Server, ServerError
from memkube.settings import Settings


def test_a_test_moves_the_clock_of_its_server() -> None:
    with Server(Settings(clock="stepped")).in_thread() as server:
        before = server.advance(0)
        assert server.advance(90) - before == timedelta(seconds=90)
        node = httpx.get(f"{server.url}/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1").json()
        assert node["spec"]["renewTime"] == server.advance(0).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_a_clock_that_runs_by_itself_cannot_be_moved() -> None:
    with Server(Settings(controllers=())).in_thread() as server, pytest.raises(ServerError, match="runs by itself"):
        server.advance(1)
