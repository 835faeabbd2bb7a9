"""Clusters inside a Python program: time to start and stop one, and duration of tests that have one each."""

import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memkube import Memkube

TESTS: Final = 500
TESTS_WITH_PODS: Final = 100
_ROUNDS: Final = 50
_WITHOUT_A_CLIENT: Final = f"""
import pytest

@pytest.mark.parametrize("number", range({TESTS}))
def test_a_config_map(memkube, number):
    metadata = {{"name": "one"}}
    memkube.apply({{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {{"key": "value"}}}})
    assert memkube.object("configmaps", "one")["data"] == {{"key": "value"}}
"""
_PROGRAM: Final = f"""
import kubernetes.client
import kubernetes.config
import pytest

@pytest.fixture
def core(memkube):
    with kubernetes.config.new_client_from_config(str(memkube.kubeconfig)) as client:
        yield kubernetes.client.CoreV1Api(client)

@pytest.mark.parametrize("number", range({TESTS}))
def test_a_config_map(memkube, core, number):
    metadata = {{"name": "one"}}
    memkube.apply({{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {{"key": "value"}}}})
    assert core.read_namespaced_config_map("one", "default").data == {{"key": "value"}}

@pytest.mark.parametrize("number", range({TESTS_WITH_PODS}))
def test_a_pod_that_runs(memkube, core, number):
    spec = {{"containers": [{{"name": "web", "image": "nginx"}}]}}
    core.create_namespaced_pod("default", {{"metadata": {{"name": "web"}}, "spec": spec}})
    memkube.wait_for("pods", "web", "condition=Ready")
"""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Durations in seconds. The clusters have all controllers and one node."""

    started: float
    """Median time to start a cluster, in a process that has started some before."""
    stopped: float
    tests_alone: float
    """Duration of all tests that use only memkube and pytest, including pytest's own start."""
    tests: float
    """Duration of the same tests if each reads its object with the official client, creating a client each time."""
    tests_with_pods: float


def measure_embedding() -> Embedding:
    """Start clusters in this process, and run tests in other processes."""
    _start_and_stop()
    # The pytest plugin does the same: imported modules are never garbage.
    gc.freeze()
    measured = [_start_and_stop() for _ in range(_ROUNDS)]
    started, stopped = (statistics.median(column) for column in zip(*measured, strict=True))
    alone = _tests(_WITHOUT_A_CLIENT, "test_a_config_map")
    return Embedding(
        started, stopped, alone, _tests(_PROGRAM, "test_a_config_map"), _tests(_PROGRAM, "test_a_pod_that_runs")
    )


def _start_and_stop() -> tuple[float, float]:
    begun = time.perf_counter()
    with Memkube():
        there = time.perf_counter()
    return there - begun, time.perf_counter() - there


def _tests(program: str, name: str) -> float:
    """Return the seconds that pytest takes to run the selected tests of a program in one process."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_it.py").write_text(program)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "memkube.pytest_plugin", "-k", name]
        begun = time.perf_counter()
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        return time.perf_counter() - begun
