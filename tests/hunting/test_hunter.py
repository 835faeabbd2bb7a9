"""Hunts end in order, whatever ends them."""

import inspect
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import memkube
from memkube.apimachinery.duration import parse_duration
from memkube.cli.hunt import hunt
from memkube.hunting.description import Hunt, Operator, Step, Target
from memkube.hunting.plan import Disturbance, Plan
from memkube.hunting.planning import Planner
from memkube.hunting.run import Patience, Run, announced_delay

_PROGRAM = """
import signal
import sys
import memkube

# Tests that run in the background inherit that SIGINT is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
program = "import os, time; print(os.getpid(), file=open('pid', 'w')); time.sleep(99)"
operator = {"command": [sys.executable, "-c", program]}
config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
memkube.hunt({"operator": operator, "workload": [{"apply": config_map}]}, jobs=1)
"""


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_no_operator_is_left_when_the_hunt_is_terminated(number: signal.Signals, tmp_path: Path) -> None:
    hunting = subprocess.Popen([sys.executable, "-c", _PROGRAM], cwd=tmp_path, stderr=subprocess.DEVNULL)
    pid = tmp_path / "pid"
    deadline = time.monotonic() + 60
    while not (pid.exists() and pid.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    hunting.send_signal(number)
    assert hunting.wait(timeout=60) in (-number, 0)
    assert not exists(int(pid.read_text()))


_COPIER = """
import time
from kubernetes import client, config

config.load_kube_config()
core = client.CoreV1Api()
while True:
    found = {one.metadata.name: one for one in core.list_namespaced_config_map("default").items}
    if "a" in found and "b" not in found:
        seen = {"version": found["a"].metadata.resource_version, "name": "a"}
        core.create_namespaced_config_map("default", {"metadata": {"name": "b"}, "data": seen})
    time.sleep(0.1)
"""


def test_copied_resource_versions_are_not_compared() -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = {"command": [sys.executable, "-c", _COPIER]}
    description = {"operator": operator, "controllers": "none", "workload": [{"apply": config_map}]}
    report = memkube.hunt(description, budget=0)
    assert report.masked == ["ConfigMap: data.version"]


_ONLY_ONCE = """
import time
from pathlib import Path
from kubernetes import client, config

config.load_kube_config()
core = client.CoreV1Api()
while "a" not in [one.metadata.name for one in core.list_namespaced_config_map("default").items]:
    time.sleep(0.1)
try:
    Path("done").touch(exist_ok=False)
    core.create_namespaced_config_map("default", {"metadata": {"name": "b"}})
except FileExistsError:
    pass
time.sleep(99)
"""


def test_a_hunt_whose_runs_without_faults_differ_tells_how(tmp_path: Path) -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = {"command": [sys.executable, "-c", _ONLY_ONCE]}
    with pytest.raises(memkube.UsageError, match=r"differ.*\n  ConfigMap default/b: there (is|are) [01] in one run"):
        memkube.hunt({"operator": operator, "workload": [{"apply": config_map}], "folder": tmp_path}, budget=0)


def test_the_error_of_an_operator_that_cannot_start_is_shown_once() -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = {"command": [sys.executable, "-c", "raise SystemExit('no such module')"]}
    with pytest.raises(memkube.UsageError) as raised:
        memkube.hunt({"operator": operator, "workload": [{"apply": config_map}]}, budget=0)
    assert str(raised.value).endswith("the operator ends again and again, with exit status 1\nno such module\n")


def test_the_command_has_the_defaults_of_the_function() -> None:
    command, function = hunt.make_context("hunt", []).params, inspect.signature(memkube.hunt).parameters
    names = ("jobs", "seed", "max_findings", "report", "replay", "shorten")
    assert {name: command[name] for name in names} == {name: function[name].default for name in names}
    assert parse_duration(command["budget"]) == function["budget"].default


_WITHOUT_CREDENTIALS = """
import json, os, time, urllib.error, urllib.request
import yaml

path = yaml.safe_load(open(os.environ["KUBECONFIG"]))["clusters"][0]["cluster"]["server"]
path += "/api/v1/namespaces/default/configmaps"
b = urllib.request.Request(path, data=b'{"metadata": {"name": "b"}}', headers={"Content-Type": "application/json"})
while True:
    names = [one["metadata"]["name"] for one in json.load(urllib.request.urlopen(path))["items"]]
    if "a" in names and "b" not in names:
        try:
            urllib.request.urlopen(b)
        except urllib.error.HTTPError:
            pass
    time.sleep(0.1)
"""


def test_an_operator_may_send_no_credentials() -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = Operator(command=[sys.executable, "-c", _WITHOUT_CREDENTIALS])
    described = Hunt(operator=operator, workload=[Step(apply=config_map)])
    observed = Run(described, [], quiet=0.5).observe()
    refused = next(plan for plan in Planner(described, observed, ["overload"], seed=1).plans() if "create" in str(plan))
    disturbed = Run(described, [], quiet=0.5, plan=refused).observe()
    assert {one.code for one in disturbed.sent if one.is_write} - {201}


def test_the_requests_of_the_workload_are_not_those_of_the_operator() -> None:
    operator = Operator(command=[sys.executable, "-c", _WITHOUT_CREDENTIALS])
    target = {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "default", "name": "kube-root-ca.crt"}
    steps = [{"patch": {**target, "patch": {"data": {"a": "b"}}}}, {"delete": target}]
    described = Hunt(operator=operator, workload=[Step.model_validate(step) for step in steps])
    assert [one for one in Run(described, [], quiet=0.5).observe().sent if one.is_write] == []


_HEARTBEAT = """
import datetime, time
from kubernetes import client, config

config.load_kube_config()
core = client.CoreV1Api()
while True:
    found = [one.metadata.name for one in core.list_namespaced_config_map("default").items]
    beat = {"data": {"at": datetime.datetime.now(datetime.UTC).isoformat()}}
    if "b" in found:
        core.patch_namespaced_config_map("b", "default", beat)
    elif "a" in found:
        core.create_namespaced_config_map("default", {"metadata": {"name": "b"}, **beat})
    time.sleep(0.2)
"""


def test_an_operator_that_only_writes_times_is_idle() -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = {"command": [sys.executable, "-c", _HEARTBEAT]}
    assert memkube.hunt({"operator": operator, "workload": [{"apply": config_map}]}, budget=0).runs


_ANNOUNCED = """
import datetime, json, time
from kubernetes import client, config

config.load_kube_config()
core = client.CoreV1Api()
while "a" not in [one.metadata.name for one in core.list_namespaced_config_map("default").items]:
    time.sleep(0.1)
due = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=2)
annotations = {"kopf.zalando.org/a": json.dumps({"delayed": due.isoformat()})}
core.patch_namespaced_config_map("a", "default", {"metadata": {"annotations": annotations}})
time.sleep(max(0, (due - datetime.datetime.now(datetime.UTC)).total_seconds()))
core.create_namespaced_config_map("default", {"metadata": {"name": "b"}})
time.sleep(99)
"""


def test_a_step_lasts_until_a_retry_that_kopf_announces() -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = Operator(command=[sys.executable, "-c", _ANNOUNCED])
    observed = Run(Hunt(operator=operator, workload=[Step(apply=config_map)]), [], quiet=0.5).observe()
    assert ("ConfigMap", "default/b") in observed.states[0]


_TWO_WRITES = """
import time
from kubernetes import client, config

config.load_kube_config()
core = client.CoreV1Api()
while "a" not in [one.metadata.name for one in core.list_namespaced_config_map("default").items]:
    time.sleep(0.1)
core.create_namespaced_config_map("default", {"metadata": {"name": "b"}})
time.sleep(0.2)
core.create_namespaced_config_map("default", {"metadata": {"name": "c"}})
time.sleep(99)
"""


def test_a_step_is_not_over_because_the_machine_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    stalled_runs: list[Run] = []
    take_requests = Run._take_requests

    async def stalled(run: Run) -> None:
        if not stalled_runs and any(one["metadata"]["name"] == "b" for one in run._history.objects.values()):
            stalled_runs.append(run)
            time.sleep(1)  # noqa: ASYNC251  blocks the server, as a busy machine would
        await take_requests(run)

    monkeypatch.setattr(Run, "_take_requests", stalled)
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = Operator(command=[sys.executable, "-c", _TWO_WRITES])
    observed = Run(Hunt(operator=operator, workload=[Step(apply=config_map)]), [], quiet=0.5).observe()
    assert ("ConfigMap", "default/c") in observed.states[0]


_POLLING = """
import time
from kubernetes import client, config

config.load_kube_config()
core = client.CoreV1Api()
while True:
    core.list_namespaced_config_map("default")
    began = time.process_time()
    while time.process_time() < began + 0.1:
        pass
    time.sleep(0.1)
"""


def test_a_step_is_over_although_the_operator_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkube.hunting.run._WORKING_SECONDS", 100.0)
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = Operator(command=[sys.executable, "-c", _POLLING])
    observed = Run(Hunt(operator=operator, workload=[Step(apply=config_map)]), [], quiet=1).observe()
    started, step = observed.step_ends
    assert step - started < 90


_DISCOVERING = """
import time
from kubernetes import client, config

config.load_kube_config()
core, apis = client.CoreV1Api(), client.ApisApi()
core.get_api_resources(), apis.get_api_versions(), client.AppsV1Api().get_api_resources()
began = time.process_time()
while time.process_time() < began + 1:
    pass
core.create_namespaced_config_map("default", {"metadata": {"name": "b"}})
time.sleep(99)
"""


def test_an_operator_that_discovers_resources_is_awaited() -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = Operator(command=[sys.executable, "-c", _DISCOVERING])
    observed = Run(Hunt(operator=operator, workload=[Step(apply=config_map)]), [], quiet=0.3).observe()
    assert ("ConfigMap", "default/b") in observed.states[-1]


_WATCHING = """
from kubernetes import client, config, watch

config.load_kube_config()
core = client.CoreV1Api()
for _ in watch.Watch().stream(core.list_namespaced_config_map, "default", timeout_seconds={timeout}):
    pass
{then}
"""


def waiting(timeout: int, then: str) -> float:
    """Return for how many seconds a run waits for an operator that does not do what is expected.

    The operator watches for `timeout` seconds, and then does what `then` says.
    """
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = Operator(command=[sys.executable, "-c", _WATCHING.format(timeout=timeout, then=then)])
    run = Run(Hunt(operator=operator, controllers="none", workload=[Step(apply=config_map)]), [], quiet=0.5)
    patience = Patience(seconds=1, longest=5, waits_on=lambda _: True)
    observed = run.observe(lambda step, _: step < 0, patience)
    assert observed.has_waited
    return observed.seconds - observed.step_ends[-1]


@pytest.mark.skipif(
    not os.access("/proc/self/syscall", os.R_OK), reason="this system does not show what an operator waits for"
)
def test_a_run_does_not_wait_for_an_operator_without_timers() -> None:
    assert waiting(99, "") < 5


@pytest.mark.parametrize(
    ("timeout", "then"), [(1, "import time; time.sleep(99)"), (5, "time.sleep(99)")], ids=["a timer", "a short watch"]
)
def test_a_run_waits_for_an_operator_that_wakes_by_itself(timeout: int, then: str) -> None:
    assert waiting(timeout, then) > 5


def test_a_step_lasts_until_the_probes_of_new_pods_have_succeeded() -> None:
    probe = {"initialDelaySeconds": 3, "periodSeconds": 1, "httpGet": {"path": "/", "port": 80}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": {"containers": [{"name": "a", "image": "a", "readinessProbe": probe}]},
    }
    operator = Operator(command=[sys.executable, "-c", _POLLING])
    observed = Run(Hunt(operator=operator, workload=[Step(apply=pod)]), [], quiet=0.5).observe()
    assert any(
        one.kind == "Pod" and {"type": "Ready", "status": "True"}.items() <= condition.items()
        for one in observed.changes
        for condition in one.document.get("status", {}).get("conditions", ())
    )


_RECREATING = """
import time
from kubernetes import client, config

config.load_kube_config()
core = client.CoreV1Api()
while True:
    seen = [one.metadata.name for one in core.list_namespaced_config_map("default", resource_version="0").items]
    newest = [one.metadata.name for one in core.list_namespaced_config_map("default").items]
    if "a" in seen and "a" not in newest:
        core.create_namespaced_config_map("default", {"metadata": {"name": "b"}})
        core.delete_namespaced_config_map("b", "default")
    time.sleep(0.1)
"""


def test_writing_again_and_again_is_no_livelock_while_a_fault_hides_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkube.hunting.run._BUSY_SECONDS", 3.0)
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    workload = [
        Step(apply=config_map),
        Step(delete=Target(apiVersion="v1", kind="ConfigMap", namespace="default", name="a")),
    ]
    fault = {"match": {"verbs": ["list"], "users": ["operator"]}, "effect": {"type": "staleReads", "onlyAny": True}}
    hidden = Plan(pattern="stale", about="", disturbances=[Disturbance(fault=fault, after=0, until=1)], target="")
    hunt = Hunt(operator=Operator(command=[sys.executable, "-c", _RECREATING]), workload=workload)
    observed = Run(hunt, [], quiet=0.5, plan=hidden).observe()
    assert any(one.name == "b" for one in observed.sent)
    assert not observed.busy


def test_the_longest_delay_that_kopf_logs_is_awaited() -> None:
    outputs = [
        "ready",
        *(f"Timer 'a' failed with an exception and will try again in {one} seconds: x" for one in (60, 1.5)),
    ]
    assert announced_delay(outputs) == 65.0
    assert announced_delay(["ready"]) == 0.0
