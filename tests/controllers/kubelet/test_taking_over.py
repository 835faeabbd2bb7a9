"""Pods that a server takes over from an earlier one, which ran them on the same storage."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import memkube
from memkube import Memkube

START = datetime(2026, 1, 5, 8, tzinfo=UTC)


@contextmanager
def server(folder: Path, start: datetime = START + timedelta(hours=1)) -> Iterator[Memkube]:
    """Run a server on the storage in a folder."""
    with Memkube(storage=f"sqlite:{folder / 'objects.db'}", nodes=1, clock="stepped", start=start) as kube:
        yield kube


def pod(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    named = [{"name": f"c{number}", "image": "busybox", **one} for number, one in enumerate(containers)]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": named, **spec}}


def command(*words: str) -> dict[str, Any]:
    return {"command": list(words)}


def taken_over(folder: Path, created: dict[str, Any], seconds: float = 60) -> tuple[Any, Any]:
    """Return the status of a pod before a restart of the server, and its status a minute after the restart."""
    with server(folder, START) as kube:
        kube.create(created)
        kube.clock.advance(seconds)
        before = kube.object("pods", "p")["status"]
    with server(folder) as kube:
        kube.clock.advance(60)
        return before, kube.object("pods", "p")["status"]


def test_a_finished_pod_is_not_run_again(tmp_path: Path) -> None:
    before, after = taken_over(tmp_path, pod(command("sleep", "5"), restartPolicy="Never"))
    assert (before, before["phase"]) == (after, "Succeeded")


def test_a_finished_pod_can_be_deleted(tmp_path: Path) -> None:
    taken_over(tmp_path, pod(command("sleep", "5"), restartPolicy="Never"))
    with server(tmp_path) as kube:
        kube.delete("pods", "p")
        kube.clock.advance(60)
        assert kube.objects("pods") == []


def test_the_log_of_a_finished_pod_is_lost(tmp_path: Path) -> None:
    taken_over(tmp_path, pod(command("echo", "done"), restartPolicy="Never"))
    with server(tmp_path) as kube, pytest.raises(memkube.Refused, match='the log of container "c0" in pod "p" is lost'):
        kube.logs("p")


def test_running_containers_run_on(tmp_path: Path) -> None:
    before, after = taken_over(tmp_path, pod({}, {"readinessProbe": {"tcpSocket": {"port": 80}}}))
    assert (before, before["phase"]) == (after, "Running")


def test_a_container_that_has_ended_for_good_is_not_run_again(tmp_path: Path) -> None:
    before, after = taken_over(tmp_path, pod(command("sleep", "5"), {"image": "nginx"}, restartPolicy="OnFailure"))
    assert before == after
    assert [list(one["state"]) for one in after["containerStatuses"]] == [["terminated"], ["running"]]


def test_init_containers_are_not_run_again(tmp_path: Path) -> None:
    init = {"name": "init", "image": "busybox", **command("sleep", "1")}
    before, after = taken_over(tmp_path, pod({}, initContainers=[init]))
    assert before == after


def test_the_number_of_restarts_goes_on(tmp_path: Path) -> None:
    before, after = taken_over(tmp_path, pod(command("sh", "-c", "sleep 1; exit 3")), seconds=25)
    (first,), (second,) = before["containerStatuses"], after["containerStatuses"]
    assert second["restartCount"] > first["restartCount"] > 0
    assert second["lastState"]["terminated"]["exitCode"] == 3


def test_a_pod_that_waits_for_a_missing_object_starts_when_it_exists(tmp_path: Path) -> None:
    _, after = taken_over(tmp_path, pod({"envFrom": [{"configMapRef": {"name": "missing"}}]}))
    assert after["phase"] == "Pending"
    with server(tmp_path) as kube:
        kube.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "missing"}})
        kube.clock.advance(60)
        assert kube.object("pods", "p")["status"]["phase"] == "Running"
