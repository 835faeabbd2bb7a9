"""Containers in examples of tutorials, as kubectl shows them."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest

import memkube

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH"),
]

_POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
  - {name: web, image: nginx, volumeMounts: [{name: config, mountPath: /etc/config}]}
  volumes:
  - {name: config, configMap: {name: config}}
"""


@pytest.fixture(scope="module")
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(clock="stepped") as kube:
        _kubectl(kube, "create", "configmap", "config", "--from-literal=color=blue")
        _kubectl(kube, "apply", "-f", "-", stdin=_POD)
        _kubectl(kube, "expose", "pod", "web", "--port=80")
        _kubectl(kube, "wait", "--for=condition=Ready", "pod/web")
        yield kube


def test_an_updated_config_map_is_shown_once_the_clock_has_moved(kube: memkube.Memkube) -> None:
    _kubectl(kube, "patch", "configmap", "config", "--patch", '{"data": {"color": "red"}}')
    assert _kubectl(kube, "exec", "web", "--", "cat", "/etc/config/color") == "blue"
    kube.clock.advance(60)
    assert _kubectl(kube, "exec", "web", "--", "cat", "/etc/config/color") == "red"


def test_a_pod_that_runs_once_requests_a_service(kube: memkube.Memkube) -> None:
    command = ["run", "test", "--image=busybox", "--restart=Never", "--", "wget", "-qO-", "http://web"]
    _kubectl(kube, *command)
    _kubectl(kube, "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/test")
    assert _kubectl(kube, "logs", "test") == "web\n"


def test_a_restored_container_follows_its_volume_and_reaches_services(kube: memkube.Memkube) -> None:
    _kubectl(kube, "patch", "configmap", "config", "--patch", '{"data": {"color": "green"}}')
    with memkube.Memkube(clock="stepped", snapshot=kube.snapshot()) as restored:
        restored.clock.advance(60)
        script = "cat /etc/config/color; echo; wget -qO- web"
        assert _kubectl(restored, "exec", "web", "--", "sh", "-c", script) == "green\nweb\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["exec", "broken", "--", "ls"], 'container not found ("broken")'),
        (["attach", "broken"], "container broken not found in pod broken_default"),
    ],
)
def test_a_container_in_back_off_is_not_found(kube: memkube.Memkube, words: list[str], message: str) -> None:
    if not kube.objects("pods", labels="run=broken"):
        _kubectl(kube, "run", "broken", "--image=busybox", "--", "false")
    kube.wait_for("pods", "broken", lambda pod: "waiting" in pod["status"]["containerStatuses"][0]["state"])
    assert _refusal(kube, *words).endswith(f"error: unable to upgrade connection: {message}\n")


def test_the_kubelet_of_a_failed_node_cannot_be_reached() -> None:
    with memkube.Memkube(clock="stepped") as kube:
        _kubectl(kube, "run", "web", "--image=nginx")
        kube.wait_for("pods", "web", "condition=Ready")
        kube.nodes.fail("node-1")
        why = "error dialing backend: dial tcp 172.16.0.1:10250: connect: connection refused"
        assert _refusal(kube, "exec", "web", "--", "ls") == f"Error from server: {why}\n"
        url = "https://172.16.0.1:10250/containerLogs/default/web/web?tailLines=2&timestamps=true"
        why = "dial tcp 172.16.0.1:10250: connect: connection refused"
        assert _refusal(kube, "logs", "web", "--tail=2", "--timestamps") == f'Error from server: Get "{url}": {why}\n'


def _refusal(kube: memkube.Memkube, *words: str) -> str:
    """Return the error output of a kubectl command that fails."""
    command = ["kubectl", "--kubeconfig", str(kube.kubeconfig), *words]
    done = subprocess.run(command, text=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1, done.stdout
    return done.stderr


def _kubectl(kube: memkube.Memkube, *words: str, stdin: str = "") -> str:
    command = ["kubectl", "--kubeconfig", str(kube.kubeconfig), *words]
    done = subprocess.run(command, input=stdin, text=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
