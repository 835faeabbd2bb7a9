"""Airflow's KubernetesPodOperator: pods that succeed, fail, cannot start or are lost, and deferred tasks."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from memkube import Memkube, faults
from tests.clients.worker import CLIENTS, Worker, worker

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "airflow/stamp").exists(), reason="Airflow is not installed: make clients"),
]
_QUICK: Final = {
    "namespace": "default",
    "startup_check_interval_seconds": 1,
    "base_container_status_polling_interval": 0.2,
    "poll_interval": 0.2,
}
_LINE: Final = re.compile(r"\[base\] (?:logs: )?(.*?)\s*(?:\[airflow.*)?$", re.MULTILINE)
_ANSWER: Final = """echo counting; echo '{"rows": 3}' > /airflow/xcom/return.json"""


class Airflow:
    """A worker of Airflow that runs one task after another."""

    def __init__(self, program: Worker) -> None:
        self._program = program

    def start(self, task: str, script: str = "", **arguments: Any) -> None:
        """Start a task whose pod runs a script. `finish` waits for its end."""
        if script:
            arguments |= {"cmds": ["sh", "-c"], "arguments": [script]}
        self._program.send({**_QUICK, "task_id": task, "name": task, "image": "busybox:1", **arguments})

    def finish(self) -> dict[str, Any]:
        """Wait for the end of the task.

        Return its result, its error, the values that it pushed, and its container's log.
        """
        ended: dict[str, Any] = self._program.receive()
        return {**ended, "log": _LINE.findall(self._program.logged())}

    def run(self, task: str, script: str = "", **arguments: Any) -> dict[str, Any]:
        """Run a task to its end."""
        self.start(task, script, **arguments)
        return self.finish()


@pytest.fixture(scope="module")
def kube() -> Iterator[Memkube]:
    """A cluster with two nodes, one of which a test removes."""
    with Memkube(nodes=2) as started:
        yield started


@pytest.fixture(scope="module")
def airflow(kube: Memkube, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Airflow]:
    """An Airflow worker. It is shared by all tests, because importing Airflow takes seconds."""
    folder = tmp_path_factory.mktemp("airflow")
    environment = {
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW_CONN_KUBERNETES_DEFAULT": '{"conn_type": "kubernetes"}',
        "AIRFLOW__WORKERS__API_RETRY_WAIT_MIN": "0.1",
        "KUBECONFIG": str(kube.kubeconfig),
    }
    with worker("airflow", Path(__file__).parent / "program.py", folder, environment) as program:
        yield Airflow(program)


def test_a_pod_is_launched_followed_and_deleted(airflow: Airflow, kube: Memkube) -> None:
    ended = airflow.run("report", "echo one; sleep 1; echo two $GREETING", env_vars={"GREETING": "hello"})
    assert (ended["error"], ended["result"]) == (None, None), ended
    assert ended["log"] == ["one", "two hello"]
    assert ended["xcom"]["pod_namespace"] == "default"
    kube.wait_for("pods", ended["xcom"]["pod_name"], "delete")


def test_what_the_pod_writes_is_the_task_s_result(airflow: Airflow, kube: Memkube) -> None:
    ended = airflow.run("count", _ANSWER, do_xcom_push=True)
    assert (ended["error"], ended["result"]) == (None, {"rows": 3}), ended
    kube.wait_for("pods", ended["xcom"]["pod_name"], "delete")


def test_a_pod_that_fails_fails_the_task_and_is_kept(airflow: Airflow, kube: Memkube) -> None:
    ended = airflow.run("broken", "echo oh no; exit 3", on_finish_action="keep_pod")
    assert ended["error"] == "AirflowException"
    pod = kube.object("pods", ended["xcom"]["pod_name"])
    assert pod["status"]["phase"] == "Failed"
    assert pod["metadata"]["labels"]["already_checked"] == "True"


def test_an_exit_code_may_skip_the_task(airflow: Airflow) -> None:
    assert airflow.run("nothing-to-do", "exit 42", skip_on_exit_code=42)["error"] == "AirflowSkipException"


def test_an_image_that_cannot_be_pulled_fails_the_task_early(airflow: Airflow, kube: Memkube) -> None:
    kube.behaviors.put("missing", {"image": "missing:*", "pullError": "manifest unknown"})
    ended = airflow.run("unpullable", image="missing:1", startup_timeout_seconds=60)
    assert ended["error"] == "AirflowException"
    assert "Image cannot be pulled, unable to start: ErrImagePull" in ended["message"]
    assert "manifest unknown" in ended["message"]


@pytest.mark.parametrize("answers", [False, True])
def test_a_task_waits_in_the_triggerer_while_its_pod_runs(airflow: Airflow, kube: Memkube, answers: bool) -> None:
    ended = airflow.run("deferred", f"sleep 1; {_ANSWER}", deferrable=True, do_xcom_push=answers)
    assert (ended["error"], ended["result"]) == (None, {"rows": 3} if answers else None), ended
    assert ended["log"] == ["counting"]
    kube.wait_for("pods", ended["xcom"]["pod_name"], "delete")


@pytest.mark.parametrize("deferrable", [False, True])
def test_a_server_that_is_busy_and_connections_that_break_are_tried_again(
    airflow: Airflow, kube: Memkube, deferrable: bool
) -> None:
    busy = kube.faults.add(faults.error(429, retry_after=1), verb="create", resource="pods", first=1)
    broken = kube.faults.add(faults.drop(), verb="get", resource="pods", first=1)
    failing = kube.faults.add(faults.error(500), verb="get", resource="pods/log", first=1)
    with busy, broken, failing:
        ended = airflow.run("stubborn", _ANSWER, do_xcom_push=True, deferrable=deferrable)
    assert (ended["error"], ended["result"]) == (None, {"rows": 3}), ended
    assert (busy.hits, broken.hits, failing.hits) == (1, 1, 1)
    assert ended["log"] == ["counting"]


@pytest.mark.parametrize(("deferrable", "error"), [(False, "AirflowException"), (True, "PodNotFoundException")])
def test_a_pod_that_is_deleted_by_somebody_else_fails_the_task(
    airflow: Airflow, kube: Memkube, deferrable: bool, error: str
) -> None:
    airflow.start("deleted", "echo begun; exec server", deferrable=deferrable)
    pod = _running(kube, "task_id=deleted")
    httpx.delete(f"{kube.url}/api/v1/namespaces/default/pods/{pod}").raise_for_status()
    assert airflow.finish()["error"] == error


def _running(kube: Memkube, selector: str) -> str:
    """Wait until a pod runs, and return its name."""
    with httpx.stream("GET", f"{kube.url}/api/v1/pods", params={"watch": "1", "labelSelector": selector}) as events:
        for event in map(json.loads, events.iter_lines()):
            if event["object"]["status"]["phase"] == "Running":
                name: str = event["object"]["metadata"]["name"]
                return name
    raise AssertionError("the watch ended")
