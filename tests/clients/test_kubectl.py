import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from memkube.kubeconfig import write_kubeconfig
from memkube.server import Server

_KUBECTL = shutil.which("kubectl")
_Kubectl: TypeAlias = Callable[..., str]

pytestmark = [pytest.mark.kubectl, pytest.mark.skipif(_KUBECTL is None, reason="there is no kubectl on PATH")]

_MANIFEST = """
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {tier: front}}
spec:
  containers: [{name: web, image: "nginx:1"}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
"""


@pytest.fixture
def kubectl(server: Server, namespace: str, tmp_path: Path) -> _Kubectl:
    """Runs kubectl in the test's namespace and returns what it prints; a failure of kubectl fails the test."""
    kubeconfig = tmp_path / "kubeconfig"
    write_kubeconfig(kubeconfig, server.url)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "KUBECONFIG": str(kubeconfig)}

    def run(*words: str, stdin: str = "") -> str:
        command = ["kubectl", "--namespace", namespace, *words]
        done = subprocess.run(
            command, input=stdin, env=environment, text=True, capture_output=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_run_creates_a_pod_that_get_shows(kubectl: _Kubectl) -> None:
    assert kubectl("run", "web", "--image", "nginx:1") == "pod/web created\n"
    header, row = kubectl("get", "pods").splitlines()
    assert header.split() == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert row.split()[:4] == ["web", "0/1", "Pending", "0"]


def test_apply_creates_then_changes_then_leaves_alone(kubectl: _Kubectl) -> None:
    assert kubectl("apply", "-f", "-", stdin=_MANIFEST) == "pod/web created\nconfigmap/settings created\n"
    changed = _MANIFEST.replace("blue", "red")
    assert kubectl("apply", "-f", "-", stdin=changed) == "pod/web unchanged\nconfigmap/settings configured\n"
    assert kubectl("get", "configmap", "settings", "-o", "jsonpath={.data.colour}") == "red"


def test_server_side_apply_is_understood(kubectl: _Kubectl) -> None:
    printed = kubectl("apply", "--server-side", "-f", "-", stdin=_MANIFEST)
    assert printed == "pod/web serverside-applied\nconfigmap/settings serverside-applied\n"


def test_explain_finds_the_fields_of_containers(kubectl: _Kubectl) -> None:
    printed = kubectl("explain", "pod.spec.containers")
    assert "FIELD: containers <[]Container>" in printed
    assert "image\t<string>" in printed


def test_api_resources_shows_short_names(kubectl: _Kubectl) -> None:
    rows = [line.split() for line in kubectl("api-resources", "--no-headers").splitlines()]
    assert ["pods", "po", "v1", "true", "Pod"] in rows
    assert ["poddisruptionbudgets", "pdb", "policy/v1", "true", "PodDisruptionBudget"] in rows


def test_label_delete_and_wait_end_well(kubectl: _Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=_MANIFEST)
    assert kubectl("label", "pod", "web", "a=b") == "pod/web labeled\n"
    assert kubectl("delete", "pod", "-l", "a=b").startswith('pod "web" deleted')
    assert kubectl("wait", "--for=delete", "pod/web", "--timeout=20s") == ""
