"""Stages that are applied with kubectl."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

import memkube
from memkube import faults
from memkube.controllers.stages.definition import stage_definition
from tests.controllers.stages.stages import node, node_ready, pod_delete, pod_ready

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH"),
]
_DELAY = {"durationMilliseconds": 30000}


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(clock="stepped", nodes=0, stages=True) as kube:
        yield kube


def _kubectl(kube: memkube.Memkube, *words: str, stdin: Any = None) -> str:
    command = ["kubectl", "--kubeconfig", str(kube.kubeconfig), *words]
    text = "\n".join(json.dumps(each) for each in stdin or ())
    done = subprocess.run(command, input=text, text=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _phase(kube: memkube.Memkube) -> str:
    return _kubectl(kube, "get", "pod", "web", "-o", "jsonpath={.status.phase}")


def test_stages_play_what_kubectl_creates(kube: memkube.Memkube) -> None:
    _kubectl(kube, "apply", "-f", "-", stdin=[node_ready(), pod_ready(), pod_delete(), node("n1")])
    _kubectl(kube, "run", "web", "--image=nginx")
    kube.clock.advance(5)
    assert _phase(kube) == "Running"
    _kubectl(kube, "delete", "pod", "web")
    assert _kubectl(kube, "get", "pods", "-o", "name") == ""


def test_a_delay_goes_on_in_a_restored_server(kube: memkube.Memkube) -> None:
    _kubectl(kube, "apply", "-f", "-", stdin=[node_ready(), pod_ready(delay=_DELAY), node("n1")])
    _kubectl(kube, "run", "web", "--image=nginx")
    kube.clock.advance(20)
    with memkube.Memkube(snapshot=kube.snapshot()) as restored:
        restored.clock.advance(9)
        assert _phase(restored) == "Pending"
        restored.clock.advance(2)
        assert _phase(restored) == "Running"


def test_a_restarted_server_leaves_pods_to_the_stages(tmp_path: Path) -> None:
    storage, found = f"sqlite:{tmp_path / 'objects.db'}", []
    for number in range(2):
        with memkube.Memkube(clock="stepped", storage=storage, stages=True) as started:
            if not number:
                _kubectl(started, "apply", "-f", "-", stdin=[pod_ready()])
                _kubectl(started, "run", "web", "--image=nginx")
            started.clock.advance(30)
            found.append(_kubectl(started, "get", "pod", "web", "-o", "json"))
    assert '"phase": "Running"' in found[0]
    assert found[0] == found[1]


def test_the_own_definition_of_a_user_is_kept(kube: memkube.Memkube) -> None:
    definition = stage_definition()
    definition["metadata"]["labels"] = {"mine": "yes"}
    _kubectl(kube, "apply", "--server-side", "--force-conflicts", "-f", "-", stdin=[definition])
    with memkube.Memkube(snapshot=kube.snapshot(), stages=True) as restored:
        assert "mine" in _kubectl(restored, "get", "crd", "stages.kwok.x-k8s.io", "-o", "jsonpath={.metadata.labels}")


def test_the_kind_is_served_only_if_it_is_asked_for() -> None:
    with memkube.Memkube() as plain:
        assert "kwok" not in _kubectl(plain, "api-versions")


def test_without_the_controller_the_creator_of_a_stage_is_warned() -> None:
    with memkube.Memkube(stages=True, controllers="all,-stages") as without:
        command = ["kubectl", "--kubeconfig", str(without.kubeconfig), "apply", "-f", "-"]
        done = subprocess.run(
            command, input=json.dumps(pod_ready()), text=True, capture_output=True, timeout=60, check=True
        )
    assert "stage-controller does not run in this server, so nothing acts on this Stage" in done.stderr


@pytest.mark.parametrize(("code", "is_repeated"), [(429, True), (503, True), (500, False)])
def test_a_step_is_repeated_after_an_error_that_passes(
    kube: memkube.Memkube, code: Literal[429, 500, 503], is_repeated: bool
) -> None:
    _kubectl(kube, "apply", "-f", "-", stdin=[node_ready(), pod_ready(), node("n1")])
    refused = faults.error(code)
    with kube.faults.add(refused, resource="pods/status", controllers=True, user_agent="kwok", first=2) as fault:
        _kubectl(kube, "run", "web", "--image=nginx")
        kube.clock.advance(60)
    assert fault.hits == (2 if is_repeated else 1)
    assert _phase(kube) == ("Running" if is_repeated else "Pending")
    failures = _kubectl(kube, "get", "events", "--field-selector=reason=StageFailed", "-o", "name")
    assert bool(failures) != is_repeated
