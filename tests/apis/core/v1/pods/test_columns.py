from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apis.core.v1.pods.columns import PRINTER, summary_of
from memkube.registry.declarations.table import Row

RUNNING = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
COMPLETED = {"terminated": {"exitCode": 0, "reason": "Completed"}}
FAILED = {"terminated": {"exitCode": 1, "reason": "Error"}}
READY = {"type": "Ready", "status": "True"}
INITIALIZED = {"type": "Initialized", "status": "True"}


def waiting(reason: str) -> dict[str, Any]:
    return {"waiting": {"reason": reason}}


def container(state: dict[str, Any], name: str = "app", **fields: Any) -> dict[str, Any]:
    return {"name": name, "state": state, "ready": False, "restartCount": 0, **fields}


def pod(
    *containers: dict[str, Any],
    init: tuple[dict[str, Any], ...] = (),
    sidecars: tuple[str, ...] = (),
    deleted: bool = False,
    **status: Any,
) -> dict[str, Any]:
    init_containers = [
        {"name": c["name"], **({"restartPolicy": "Always"} if c["name"] in sidecars else {})} for c in init
    ]
    return {
        "metadata": {"name": "a", **({"deletionTimestamp": "2026-01-01T00:00:00Z"} if deleted else {})},
        "spec": {"containers": [{"name": c["name"]} for c in containers], "initContainers": init_containers},
        "status": {"containerStatuses": list(containers), "initContainerStatuses": list(init), **status},
    }


@pytest.mark.parametrize(
    ("document", "state"),
    [
        (pod(phase="Pending"), "Pending"),
        (pod(phase="Failed", reason="Evicted"), "Evicted"),
        (
            pod(phase="Pending", conditions=[{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]),
            "SchedulingGated",
        ),
        (pod(container(RUNNING, ready=True), phase="Running"), "Running"),
        (pod(container(waiting("CrashLoopBackOff")), phase="Running"), "CrashLoopBackOff"),
        (pod(container(waiting("ContainerCreating")), phase="Pending"), "ContainerCreating"),
        (pod(container({"waiting": {}}), phase="Pending"), "Pending"),
        (pod(container(waiting("ErrImagePull")), container(waiting("Other"), "b"), phase="Pending"), "ErrImagePull"),
        (pod(container(FAILED), phase="Failed"), "Error"),
        (pod(container({"terminated": {"exitCode": 137, "signal": 9}}), phase="Failed"), "Signal:9"),
        (pod(container({"terminated": {"exitCode": 3}}), phase="Failed"), "ExitCode:3"),
        (pod(container({"terminated": {"exitCode": 0}}), phase="Succeeded"), "ExitCode:0"),
        (pod(container(COMPLETED), phase="Succeeded"), "Completed"),
        (pod(container(COMPLETED), container(FAILED, "b"), phase="Failed"), "Error"),
        (pod(container(FAILED), container(COMPLETED, "b"), phase="Failed"), "Error"),
        (pod(container(COMPLETED), container(RUNNING, "b", ready=True), phase="Running"), "NotReady"),
        (pod(container(COMPLETED), container(RUNNING, "b"), phase="Running"), "Completed"),
        (
            pod(container(COMPLETED), container(RUNNING, "b", ready=True), phase="Running", conditions=[READY]),
            "Running",
        ),
    ],
)
def test_containers_decide_what_state_the_pod_is_in(document: dict[str, Any], state: str) -> None:
    assert summary_of(document).state == state


@pytest.mark.parametrize(
    ("init", "state"),
    [
        ((container(RUNNING, "i"), container({}, "j")), "Init:0/2"),
        ((container(COMPLETED, "i"), container(waiting("PodInitializing"), "j")), "Init:1/2"),
        ((container(waiting("CrashLoopBackOff"), "i"),), "Init:CrashLoopBackOff"),
        ((container(FAILED, "i"),), "Init:Error"),
        ((container({"terminated": {"exitCode": 137, "signal": 9}}, "i"),), "Init:Signal:9"),
        ((container({"terminated": {"exitCode": 2}}, "i"),), "Init:ExitCode:2"),
        ((container(COMPLETED, "i"), container(COMPLETED, "j")), "PodInitializing"),
    ],
)
def test_the_first_unfinished_init_container_holds_the_pod(init: tuple[dict[str, Any], ...], state: str) -> None:
    assert summary_of(pod(container(waiting("PodInitializing")), init=init, phase="Pending")).state == state


def test_an_initialized_pod_is_in_the_state_of_its_containers() -> None:
    document = pod(
        container(RUNNING, ready=True),
        init=(container(FAILED, "i"),),
        phase="Running",
        conditions=[INITIALIZED, READY],
    )
    summary = summary_of(document)
    assert (summary.state, summary.ready) == ("Init:Error", 1)


@pytest.mark.parametrize(
    ("sidecar", "state", "ready"),
    [
        (container(RUNNING, "s", started=True, ready=True), "Running", 2),
        (container(RUNNING, "s", started=True), "Running", 1),
        (container(RUNNING, "s", started=False), "Init:0/1", 0),
        (container(COMPLETED, "s"), "Running", 1),
    ],
)
def test_a_sidecar_holds_the_pod_until_it_has_started(sidecar: dict[str, Any], state: str, ready: int) -> None:
    document = pod(container(RUNNING, ready=True), init=(sidecar,), sidecars=("s",), phase="Running")
    summary = summary_of(document)
    assert (summary.state, summary.ready, summary.containers) == (state, ready, 2)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ({"phase": "Running"}, "Terminating"),
        ({"phase": "Running", "reason": "NodeLost"}, "Unknown"),
        ({"phase": "Succeeded"}, "Succeeded"),
        ({"phase": "Failed", "reason": "Evicted"}, "Evicted"),
    ],
)
def test_a_deleted_pod_is_terminating_unless_it_has_ended(status: dict[str, Any], state: str) -> None:
    assert summary_of(pod(deleted=True, **status)).state == state


def restarted(name: str, count: int, hour: int) -> dict[str, Any]:
    ended = {"exitCode": 1, "finishedAt": f"2026-01-01T{hour:02}:00:00Z"}
    return container(RUNNING, name, restartCount=count, lastState={"terminated": ended}, started=True)


def test_restarts_add_up_and_the_last_one_counts() -> None:
    summary = summary_of(pod(restarted("a", 2, 5), restarted("b", 3, 4), phase="Running"))
    assert (summary.restarts, summary.last_restart) == (5, "2026-01-01T05:00:00Z")


def test_restarts_of_init_containers_count_only_while_they_run() -> None:
    finished = {**restarted("i", 2, 5), "state": COMPLETED}
    waits = summary_of(pod(container({}), init=(restarted("i", 2, 5),), phase="Pending"))
    runs = summary_of(pod(restarted("a", 1, 4), init=(finished,), phase="Running"))
    assert (waits.restarts, waits.last_restart) == (2, "2026-01-01T05:00:00Z")
    assert (runs.restarts, runs.last_restart) == (1, "2026-01-01T04:00:00Z")


def test_restarts_of_sidecars_count_always() -> None:
    document = pod(restarted("a", 1, 4), init=(restarted("s", 2, 5),), sidecars=("s",), phase="Running")
    summary = summary_of(document)
    assert (summary.restarts, summary.last_restart) == (3, "2026-01-01T05:00:00Z")


NOW = datetime(2026, 1, 1, 0, 5, tzinfo=UTC)
RESTARTS, GATES = 3, 8


def row(spec: dict[str, Any] | None = None, **status: Any) -> Row:
    metadata = {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}
    return PRINTER.row(
        {"metadata": metadata, "spec": {"containers": [{"name": "app"}], **(spec or {})}, "status": status}
    )


def test_what_a_new_pod_lacks_is_shown_as_none() -> None:
    assert row(phase="Pending").at(NOW) == ["a", "0/1", "Pending", "0", "5m", *["<none>"] * 4]


def test_the_wide_form_shows_where_the_pod_is() -> None:
    shown = row({"nodeName": "node-1"}, podIPs=[{"ip": "10.0.0.7"}, {"ip": "fd00::7"}], nominatedNodeName="node-2")
    assert shown.at(NOW)[5:8] == ["10.0.0.7", "node-1", "node-2"]


@pytest.mark.parametrize(
    ("count", "finished", "shown"),
    [
        (2, "2026-01-01T00:04:00Z", "2 (60s ago)"),
        (2, None, "2"),
        (0, "2026-01-01T00:04:00Z", "0"),
    ],
)
def test_restarts_tell_when_the_last_one_was(count: int, finished: str | None, shown: str) -> None:
    ended = {"terminated": {"exitCode": 1, "finishedAt": finished}}
    status = {"name": "app", "restartCount": count, "lastState": ended}
    assert row(phase="Running", containerStatuses=[status]).at(NOW)[RESTARTS] == shown


def test_a_readiness_gate_needs_its_condition_to_be_true() -> None:
    gates = [{"conditionType": "a"}, {"conditionType": "b"}, {"conditionType": "c"}]
    conditions = [{"type": "a", "status": "True"}, {"type": "b", "status": "False"}]
    assert row({"readinessGates": gates}, conditions=conditions).at(NOW)[GATES] == "1/3"


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_the_row_of_an_ended_pod_is_completed(phase: str) -> None:
    (condition,) = row(phase=phase).conditions
    assert (condition["type"], condition["status"], condition["reason"]) == ("Completed", "True", phase)


def test_the_row_of_a_running_pod_has_no_conditions() -> None:
    assert not row(phase="Running").conditions
