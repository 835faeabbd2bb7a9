"""kubectl and a server whose nodes run pods, on the real clock."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl

_SERVICE = """
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 2
  containers: [{name: web, image: "nginx:1", ports: [{containerPort: 80}]}]
"""
_WAITS = """
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 2
  containers: [{name: web, image: busybox, command: [sleep, "3600"]}]
"""
_WRITER = """
metadata: {name: writer, labels: {app: writer}}
spec:
  containers:
  - {name: first, image: busybox, command: [sh, -c, echo one; echo two; echo three; sleep 3600]}
  - {name: second, image: busybox, command: [sh, -c, echo other; sleep 3600]}
"""
_CRASHED_ONCE = """
metadata: {name: crashed}
spec:
  volumes: [{name: notes, emptyDir: {}}]
  containers:
  - name: main
    image: busybox
    command: [sh, -c, "if [ -e /notes/run ]; then echo second; sleep 3600; fi; echo first; echo > /notes/run; exit 1"]
    volumeMounts: [{name: notes, mountPath: /notes}]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server with all default controllers."""
    with Server(Settings()).in_thread() as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    """An HTTP client of the server."""
    with httpx.Client(base_url=server.url, trust_env=False) as connected:
        yield connected


def start(kubectl: Kubectl, manifest: str) -> None:
    """Create a pod, and wait until it is ready."""
    created = kubectl("create", "-f", "-", stdin=f"apiVersion: v1\nkind: Pod\n{manifest}")
    kubectl("wait", "--for=condition=Ready", "--timeout=60s", created.split()[0])


@pytest.mark.alone
def test_a_pod_is_ready_in_no_time(kubectl: Kubectl) -> None:
    begun = time.perf_counter()
    kubectl("run", "web", "--image=nginx")
    assert kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=60s") == "pod/web condition met\n"
    seconds = time.perf_counter() - begun
    assert seconds < 20, "it takes half a second where nothing else is done"


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        ((), "one\ntwo\nthree\n"),
        (("--tail=1",), "three\n"),
        (("--limit-bytes=5",), "one\nt"),
        (("--container=second",), "other\n"),
    ],
)
def test_logs_are_shown_as_asked_for(kubectl: Kubectl, options: tuple[str, ...], printed: str) -> None:
    start(kubectl, _WRITER)
    assert kubectl("logs", "writer", *options) == printed


def test_logs_of_all_containers_are_shown(kubectl: Kubectl) -> None:
    start(kubectl, _WRITER)
    printed = kubectl("logs", "writer", "--all-containers", "--tail=1", "--prefix")
    # kubectl prints the logs of the containers in any order.
    assert sorted(printed.splitlines()) == ["[pod/writer/first] three", "[pod/writer/second] other"]


def test_logs_of_all_pods_with_a_label_are_shown(kubectl: Kubectl) -> None:
    start(kubectl, _WRITER)
    start(kubectl, _WRITER.replace("name: writer", "name: another", 1))
    assert kubectl("logs", "-l", "app=writer", "--tail=1") == "three\nthree\n"


def test_log_lines_have_their_times(kubectl: Kubectl) -> None:
    start(kubectl, _WRITER)
    lines = kubectl("logs", "writer", "--timestamps").splitlines()
    assert [line.split(" ")[1] for line in lines] == ["one", "two", "three"]
    written = datetime.fromisoformat(lines[0].split(" ")[0])
    assert abs((datetime.now(UTC) - written).total_seconds()) < 600


def test_the_log_of_the_run_before_is_kept(kubectl: Kubectl) -> None:
    start(kubectl, _CRASHED_ONCE)
    assert kubectl("logs", "crashed") == "second\n"
    assert kubectl("logs", "crashed", "--previous") == "first\n"


def test_there_is_no_log_before_the_first_run(kubectl: Kubectl) -> None:
    start(kubectl, _WRITER)
    refused = kubectl.run("logs", "writer", "--previous")
    assert 'previous terminated container "first" in pod "writer" not found' in refused.stderr


def test_a_log_is_followed_to_its_end(kubectl: Kubectl) -> None:
    command = ("--", "sh", "-c", "echo begun; sleep 1; echo ended")
    kubectl("run", "short", "--image=busybox", "--restart=Never", *command)
    kubectl("wait", "--for=jsonpath={.status.containerStatuses[0].containerID}", "pod/short", "--timeout=60s")
    assert kubectl("logs", "short", "--follow") == "begun\nended\n"


@pytest.mark.parametrize("command", ["exit 3", "echo out; echo problem >&2; exit 3"])
def test_a_command_ends_with_its_exit_status(kubectl: Kubectl, command: str) -> None:
    start(kubectl, _SERVICE)
    done = kubectl.run("exec", "web", "--", "sh", "-c", command)
    assert done.returncode == 3
    assert done.stdout == ("out\n" if "out" in command else "")
    problem = "problem\n" if "problem" in command else ""
    assert done.stderr == f"{problem}command terminated with exit code 3\n"


def test_a_command_that_there_is_not_is_not_found(kubectl: Kubectl) -> None:
    start(kubectl, _SERVICE)
    done = kubectl.run("exec", "web", "--", "no-such-program")
    assert done.returncode == 127
    assert 'exec: "no-such-program": executable file not found in $PATH' in done.stderr


def test_files_are_copied_in_and_out(kubectl: Kubectl, tmp_path: Path) -> None:
    start(kubectl, _SERVICE)
    (tmp_path / "notes" / "inner").mkdir(parents=True)
    (tmp_path / "notes" / "inner" / "bytes").write_bytes(bytes(range(256)) * 1000)
    kubectl("cp", str(tmp_path / "notes"), "web:/tmp/copied")
    assert kubectl("exec", "web", "--", "wc", "-c", "/tmp/copied/inner/bytes") == "256000 /tmp/copied/inner/bytes\n"
    kubectl("cp", "web:/tmp/copied", str(tmp_path / "back"))
    assert (tmp_path / "back" / "inner" / "bytes").read_bytes() == bytes(range(256)) * 1000


def test_a_command_reads_what_is_typed(kubectl: Kubectl) -> None:
    start(kubectl, _SERVICE)
    assert kubectl("exec", "-i", "web", "--", "cat", stdin="one\ntwo") == "one\ntwo"


def test_a_declared_port_is_forwarded(kubectl: Kubectl) -> None:
    start(kubectl, _SERVICE)
    with kubectl.started("port-forward", "pod/web", ":80") as forwarding:
        answer = httpx.get(f"http://127.0.0.1:{_local_port(forwarding.stdout)}/", trust_env=False)
    assert (answer.status_code, answer.text) == (200, "web\n")


def test_at_a_port_that_is_not_declared_nobody_listens(kubectl: Kubectl) -> None:
    start(kubectl, _SERVICE)
    with kubectl.started("port-forward", "pod/web", ":81") as forwarding:
        port = _local_port(forwarding.stdout)
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
        assert forwarding.stderr is not None
        assert "connect: connection refused" in forwarding.stderr.readline()


def _local_port(printed: Iterator[str] | None) -> int:
    assert printed is not None
    said = next(printed)
    found = re.search(r"127\.0\.0\.1:(\d+) -> ", said)
    assert found is not None, said
    return int(found[1])


def test_a_debug_container_joins_a_running_pod(kubectl: Kubectl) -> None:
    start(kubectl, _SERVICE)
    kubectl("debug", "web", "--image=busybox", "--container=debugger", "--", "sleep", "3600")
    started = "jsonpath={.status.ephemeralContainerStatuses[0].state.running.startedAt}"
    kubectl("wait", f"--for={started}", "pod/web", "--timeout=60s")
    assert kubectl("exec", "web", "-c", "debugger", "--", "echo", "hello") == "hello\n"


def test_a_debug_shell_is_typed_into(kubectl: Kubectl) -> None:
    start(kubectl, _SERVICE)
    printed = kubectl("debug", "-i", "web", "--image=busybox", "--", "sh", stdin="echo hello\n")
    assert printed.splitlines()[-1] == "hello"


def test_run_ends_as_the_pod_does(kubectl: Kubectl) -> None:
    program = ("--", "sh", "-c", "read name; echo hello $name; exit 3")
    done = kubectl.run("run", "-i", "--rm", "greeter", "--image=busybox", "--restart=Never", *program, stdin="you\n")
    assert (done.returncode, done.stdout.splitlines()[0]) == (3, "hello you")
    assert kubectl("get", "pods", "--output=name") == ""


def test_describe_tells_how_a_pod_came_to_run(kubectl: Kubectl) -> None:
    start(kubectl, _SERVICE.replace("nginx:1", "nginx:described"))
    _, _, events = kubectl("describe", "pod", "web").partition("Events:")
    reasons = [line.split()[1] for line in events.splitlines() if line.startswith("  Normal")]
    assert reasons == ["Scheduled", "Pulling", "Pulled", "Created", "Started"]


@pytest.mark.parametrize(("options", "seconds"), [((), 2), (("--grace-period=1",), 2), (("--force",), 0)])
def test_deleting_takes_the_grace_period(kubectl: Kubectl, options: tuple[str, ...], seconds: int) -> None:
    start(kubectl, _WAITS)
    begun = time.perf_counter()
    kubectl("delete", "pod", "web", *options)
    assert seconds <= time.perf_counter() - begun < 30, "the default of the grace period"
    assert kubectl("get", "pods", "--output=name") == ""


def test_a_watch_shows_a_pod_come_to_run(kubectl: Kubectl) -> None:
    start(kubectl, _WRITER)
    with kubectl.started("get", "pods", "--watch", "--no-headers", "--output-watch-events") as watching:
        assert watching.stdout is not None
        assert next(watching.stdout).split()[:2] == ["ADDED", "writer"]
        kubectl("run", "web", "--image=nginx")
        assert next(watching.stdout).split()[:4] == ["ADDED", "web", "0/1", "Pending"]
        assert any(line.split()[:4] == ["MODIFIED", "web", "1/1", "Running"] for line in watching.stdout)


@pytest.mark.alone
def test_nobody_waits_for_servers_to_end(kubectl: Kubectl) -> None:
    kubectl("run", "quick", "--image=nginx")
    kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/quick")
    kubectl("create", "namespace", "shop")
    kubectl("create", "deployment", "web", "--image=nginx", "--replicas=10", "-n", "shop")
    kubectl("rollout", "status", "deployment/web", "-n", "shop", "--timeout=60s")
    began = time.monotonic()
    kubectl("delete", "pod", "quick")
    alone = time.monotonic() - began
    kubectl("delete", "namespace", "shop")
    assert alone < 20
    assert time.monotonic() - began - alone < 20
