"""kubectl and a server with two nodes on a stepped clock."""

from collections.abc import Iterator

import httpx
import pytest

from memkube.controllers.options import ControllerOptions
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl

_CLOCK = "/memkube/v1/clock/advance"


@pytest.fixture
def server() -> Iterator[Server]:
    """A new server for each test."""
    settings = Settings(clock="stepped", controller_options=ControllerOptions(nodes=2))
    with Server(settings).in_thread() as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    """An HTTP client of the server."""
    with httpx.Client(base_url=server.url, trust_env=False) as connected:
        yield connected


def deploy(kubectl: Kubectl, client: httpx.Client, replicas: int) -> None:
    """Create a Deployment, and wait until its pods are ready. The pods take some time to terminate."""
    kubectl("create", "deployment", "web", "--image=busybox", f"--replicas={replicas}", "--", "sleep", "infinity")
    client.post(_CLOCK, json={"seconds": 1}).raise_for_status()
    kubectl("rollout", "status", "deployment/web", "--timeout=60s")


def nodes_of_pods(kubectl: Kubectl) -> list[str]:
    """Wait for the rollout, and return the nodes of the pods."""
    kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    return sorted(kubectl("get", "pods", "--output=jsonpath={.items[*].spec.nodeName}").split())


def test_deletion_waits_for_the_clock(kubectl: Kubectl, client: httpx.Client) -> None:
    deploy(kubectl, client, 1)
    with kubectl.started("delete", "deployment", "web", "--cascade=foreground") as deleting:
        kubectl("wait", "--for=jsonpath={.metadata.deletionTimestamp}", "pods", "-l", "app=web", "--timeout=60s")
        client.post(_CLOCK, json={"seconds": 29}).raise_for_status()
        assert len(kubectl("get", "pods", "--output=name").split()) == 1
        client.post(_CLOCK, json={"seconds": 1}).raise_for_status()
        assert kubectl("get", "pods", "--output=name") == ""
        assert deleting.wait(timeout=60) == 0


def test_a_cordoned_node_gets_no_pods_until_it_is_uncordoned(kubectl: Kubectl, client: httpx.Client) -> None:
    assert kubectl("cordon", "node-1") == "node/node-1 cordoned\n"
    assert kubectl("get", "node", "node-1", "--no-headers").split()[1] == "Ready,SchedulingDisabled"
    deploy(kubectl, client, 2)
    assert nodes_of_pods(kubectl) == ["node-2", "node-2"]
    assert kubectl("uncordon", "node-1") == "node/node-1 uncordoned\n"
    kubectl("scale", "deployment/web", "--replicas=4")
    assert nodes_of_pods(kubectl) == ["node-1", "node-1", "node-2", "node-2"]


def test_a_taint_drives_pods_away(kubectl: Kubectl, client: httpx.Client) -> None:
    deploy(kubectl, client, 2)
    assert kubectl("taint", "node", "node-2", "broken=yes:NoExecute") == "node/node-2 tainted\n"
    client.post(_CLOCK, json={"seconds": 31}).raise_for_status()
    assert nodes_of_pods(kubectl) == ["node-1", "node-1"]
    assert kubectl("taint", "node", "node-2", "broken-") == "node/node-2 untainted\n"


def test_a_pod_that_fits_nowhere_says_why(kubectl: Kubectl) -> None:
    for node in ("node-1", "node-2"):
        kubectl("taint", "node", node, "only=some:NoSchedule")
    kubectl("run", "web", "--image=nginx")
    kubectl("wait", "--for=condition=PodScheduled=false", "pod/web", "--timeout=60s")
    assert "0/2 nodes are available: 2 node(s) had untolerated taint(s)." in kubectl("describe", "pod", "web")


def test_a_drained_node_is_left_by_its_pods(kubectl: Kubectl, client: httpx.Client) -> None:
    deploy(kubectl, client, 2)
    with kubectl.started("drain", "node-2") as draining:
        kubectl("wait", "--for=jsonpath={.metadata.deletionTimestamp}", "pods", "--field-selector=spec.nodeName=node-2")
        client.post(_CLOCK, json={"seconds": 30}).raise_for_status()
        assert draining.wait(timeout=60) == 0
    assert nodes_of_pods(kubectl) == ["node-1", "node-1"]


def test_a_pod_of_nobody_is_not_drained_unasked(kubectl: Kubectl, client: httpx.Client) -> None:
    kubectl("run", "web", "--image=nginx")
    client.post(_CLOCK, json={"seconds": 1}).raise_for_status()
    node = kubectl("get", "pod", "web", "--output=jsonpath={.spec.nodeName}")
    refused = kubectl.run("drain", node)
    assert refused.returncode == 1
    assert "declare no controller (use --force to override)" in refused.stderr


_AGENT = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: "nginx:1"}]}
"""


def roll_out(kubectl: Kubectl, client: httpx.Client, *words: str, stdin: str = "") -> str:
    """Change the DaemonSet, wait until its pods are updated, and return the image of all of them."""
    kubectl(*words, stdin=stdin)
    client.post(_CLOCK, json={"seconds": 120}).raise_for_status()
    assert "successfully rolled out" in kubectl("rollout", "status", "daemonset/agent", "--timeout=60s")
    place = "{range .items[*]}{.spec.nodeName} {.spec.containers[0].image}{'\\n'}{end}"
    placed = sorted(kubectl("get", "pods", f"--output=jsonpath={place}").split("\n")[:-1])
    assert [line.split()[0] for line in placed] == ["node-1", "node-2"]
    [image] = {line.split()[1] for line in placed}
    return image


def test_a_daemon_set_is_rolled_out_on_every_node_and_rolled_back(kubectl: Kubectl, client: httpx.Client) -> None:
    assert roll_out(kubectl, client, "apply", "-f", "-", stdin=_AGENT) == "nginx:1"
    assert roll_out(kubectl, client, "set", "image", "daemonset/agent", "agent=nginx:2") == "nginx:2"
    assert roll_out(kubectl, client, "rollout", "undo", "daemonset/agent") == "nginx:1"
    assert roll_out(kubectl, client, "rollout", "restart", "daemonset/agent") == "nginx:1"
    history = kubectl("rollout", "history", "daemonset/agent").splitlines()
    assert [line.split()[0] for line in history[2:] if line] == ["2", "3", "4"]
