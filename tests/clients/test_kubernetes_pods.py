"""Programs with the official client that roll out, inspect and drain pods."""

import gc
import http.client
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kubernetes import client, config, watch
from kubernetes.stream import portforward, stream

from memkube import Memkube
from tests.clients.cluster_time import read_on
from tests.clients.workloads import (
    SELECTOR,
    WRITES_EACH_20_SECONDS,
    WRITES_THREE_LINES,
    Document,
    budget,
    condition,
    deployment,
    is_ready,
    is_rolled_out,
    pod,
)

pytestmark = pytest.mark.memkube(nodes=2, clock="x20")

_HOUR = 3600


@pytest.fixture
def api_client(memkube: Memkube) -> Iterator[Any]:
    with config.new_client_from_config(config_file=str(memkube.kubeconfig)) as connected:
        yield connected


@pytest.fixture
def core(api_client: Any) -> Any:
    return client.CoreV1Api(api_client)


@pytest.fixture
def apps(api_client: Any) -> Any:
    return client.AppsV1Api(api_client)


def _until(listing: Any, holds: Callable[[Document], object], **options: Any) -> Document:
    """Return the first watched object that meets a condition, within an hour of the cluster's time."""
    for event in watch.Watch().stream(listing, "default", timeout_seconds=_HOUR, **options):
        found: Document = event["raw_object"]
        if event["type"] != "DELETED" and holds(found):
            return found
    raise AssertionError(f"no object met the condition within {_HOUR} seconds of the cluster's time")


def _started(core: Any, name: str, script: str = "") -> None:
    core.create_namespaced_pod("default", pod(name, script))
    _until(core.list_namespaced_pod, is_ready, field_selector=f"metadata.name={name}")


@pytest.mark.memkube(clock="stepped")
def test_a_deployment_is_rolled_out_and_a_bad_image_rolled_back(memkube: Memkube, apps: Any, core: Any) -> None:
    memkube.behaviors.put("broken", {"image": "nginx:broken", "pullError": "manifest unknown"})
    apps.create_namespaced_deployment("default", deployment())
    memkube.clock.advance(5)
    _until(apps.list_namespaced_deployment, is_rolled_out)

    broken = {"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:broken"}]}}}}
    apps.patch_namespaced_deployment("web", "default", broken)
    memkube.clock.advance(70)
    stuck = _until(apps.list_namespaced_deployment, _is_stuck)
    assert stuck["status"]["availableReplicas"] == 3, "nobody who was served is served no more"

    old = next(rs for rs in apps.list_namespaced_replica_set("default").items if _revision(rs) == "1")
    del old.spec.template.metadata.labels["pod-template-hash"]
    back = [{"op": "replace", "path": "/spec/template", "value": old.spec.template}]
    apps.patch_namespaced_deployment("web", "default", back)
    memkube.clock.advance(5)
    _until(apps.list_namespaced_deployment, is_rolled_out)
    revisions = {_revision(rs): rs.status.replicas for rs in apps.list_namespaced_replica_set("default").items}
    assert revisions == {"2": 0, "3": 3}
    assert {p.spec.containers[0].image for p in core.list_namespaced_pod("default").items if _runs(p)} == {"nginx:1"}


def _is_stuck(deployment: Document) -> bool:
    observed = deployment["status"].get("observedGeneration") == deployment["metadata"]["generation"]
    return observed and condition(deployment, "Progressing").get("reason") == "ProgressDeadlineExceeded"


def _revision(replica_set: Any) -> str:
    revision: str = replica_set.metadata.annotations["deployment.kubernetes.io/revision"]
    return revision


def _runs(pod: Any) -> bool:
    return pod.metadata.deletion_timestamp is None and pod.status.phase == "Running"


@pytest.mark.memkube(clock="stepped")
def test_a_log_is_followed_while_it_is_written(memkube: Memkube, core: Any) -> None:
    core.create_namespaced_pod("default", pod("writer", WRITES_EACH_20_SECONDS))
    memkube.clock.advance(1)
    followed = watch.Watch().stream(core.read_namespaced_pod_log, "writer", "default")
    assert read_on(memkube, followed, 20) == ["line 1", "line 2", "line 3"]
    assert core.read_namespaced_pod("writer", "default").status.phase == "Succeeded"


@pytest.mark.parametrize(
    ("options", "printed"),
    [({}, "one\ntwo\nthree\n"), ({"tail_lines": 1}, "three\n"), ({"limit_bytes": 5}, "one\nt")],
)
def test_a_log_is_read_in_part(core: Any, options: dict[str, int], printed: str) -> None:
    _started(core, "writer", WRITES_THREE_LINES)
    assert core.read_namespaced_pod_log("writer", "default", **options) == printed


def test_a_shell_is_typed_into_until_it_ends(core: Any) -> None:
    _started(core, "web")
    shell = stream(
        core.connect_get_namespaced_pod_exec,
        "web",
        "default",
        command=["sh"],
        stdin=True,
        stdout=True,
        stderr=True,
        tty=False,
        _preload_content=False,
    )
    shell.write_stdin("echo out of $HOSTNAME\n")
    assert shell.readline_stdout(timeout=60) == "out of web"
    shell.write_stdin("echo wrong >&2\n")
    assert shell.readline_stderr(timeout=60) == "wrong"
    shell.write_stdin("exit 3\n")
    shell.run_forever(timeout=60)
    assert shell.returncode == 3


# If the client itself waits for the end of a command, it leaves a socket open.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")
def test_a_command_is_run_for_what_it_prints(core: Any) -> None:
    _started(core, "web")
    words = ["sh", "-c", "echo hello; hostname"]
    options = {"command": words, "stdin": False, "stdout": True, "stderr": True, "tty": False}
    assert stream(core.connect_get_namespaced_pod_exec, "web", "default", **options) == "hello\nweb\n"
    gc.collect()


def test_a_port_is_spoken_http_to(core: Any) -> None:
    _started(core, "web")
    forward: Any = portforward(core.connect_get_namespaced_pod_portforward, "web", "default", ports="80")
    connection = http.client.HTTPConnection("web.default")
    connection.sock = forward.socket(80)
    connection.request("GET", "/")
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (200, b"web\n")
    forward.close()


def test_at_a_port_that_nobody_listens_at_there_is_an_error(core: Any) -> None:
    _started(core, "web")
    forward: Any = portforward(core.connect_get_namespaced_pod_portforward, "web", "default", ports="81")
    assert forward.socket(81).recv(1) == b""
    assert "connection refused" in forward.error(81)
    forward.close()


def test_a_drain_waits_for_the_budget(api_client: Any, apps: Any, core: Any) -> None:
    apps.create_namespaced_deployment("default", deployment())
    _until(apps.list_namespaced_deployment, is_rolled_out)
    budgets = client.PolicyV1Api(api_client)
    budgets.create_namespaced_pod_disruption_budget("default", budget(2))
    _until(budgets.list_namespaced_pod_disruption_budget, lambda found: found["status"].get("disruptionsAllowed") == 1)

    before = [p.metadata.name for p in core.list_namespaced_pod("default", label_selector=SELECTOR).items]
    _cordon(core, cordoned=True)
    _evict(core, before[0])
    with pytest.raises(client.ApiException, match="disruption budget") as refusal:
        _evict(core, before[1])
    assert (refusal.value.status, refusal.value.reason) == (429, "Too Many Requests")
    _cordon(core, cordoned=False)
    for name in before[1:]:
        _evict_at_last(core, name)

    now = _until(apps.list_namespaced_deployment, is_rolled_out)
    assert now["status"]["availableReplicas"] == 3
    after = {p.metadata.name for p in core.list_namespaced_pod("default", label_selector=SELECTOR).items if _runs(p)}
    assert after.isdisjoint(before)


def _cordon(core: Any, *, cordoned: bool) -> None:
    for node in core.list_node().items:
        core.patch_node(node.metadata.name, {"spec": {"unschedulable": cordoned}})


def _evict(core: Any, name: str) -> None:
    core.create_namespaced_pod_eviction(name, "default", client.V1Eviction(metadata=client.V1ObjectMeta(name=name)))


def _evict_at_last(core: Any, name: str) -> None:
    """Evict a pod, and retry while the disruption budget refuses."""
    while True:
        try:
            _evict(core, name)
        except client.ApiException as refused:
            if refused.status != 429:
                raise
            time.sleep(0.02)
        else:
            return


@pytest.mark.memkube(clock="stepped")
def test_pods_of_a_node_that_fails_come_back_on_another(memkube: Memkube, apps: Any, core: Any) -> None:
    apps.create_namespaced_deployment("default", deployment())
    memkube.clock.advance(10)
    lost = core.list_namespaced_pod("default", label_selector=SELECTOR).items[0].spec.node_name
    memkube.nodes.fail(lost)
    memkube.clock.advance(60)
    assert apps.read_namespaced_deployment("web", "default").status.unavailable_replicas
    taints = core.read_node(lost).spec.taints
    assert {("node.kubernetes.io/unreachable", "NoExecute")} <= {(taint.key, taint.effect) for taint in taints}

    memkube.clock.advance(300)
    assert apps.read_namespaced_deployment("web", "default").status.available_replicas == 3
    assert lost not in {p.spec.node_name for p in core.list_namespaced_pod("default").items if _runs(p)}
