"""Nodes whose clocks differ from the server's clock."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

import memkube
from memkube import faults

_POD = """
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {nodeName: node-1, restartPolicy: Never, activeDeadlineSeconds: 40, containers: [{name: main, image: nginx}]}
"""


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(nodes=2, clock="stepped") as running:
        yield running


def ahead(kube: memkube.Memkube, text: str) -> float:
    """Return the seconds by which a time is ahead of the server's clock."""
    return (datetime.fromisoformat(text) - kube.clock.now()).total_seconds()


def lease(kube: memkube.Memkube, node: str) -> str:
    renewed: str = kube.object("leases", node, "kube-node-lease")["spec"]["renewTime"]
    return renewed


def heartbeat(kube: memkube.Memkube, node: str) -> datetime:
    conditions = kube.object("nodes", node)["status"]["conditions"]
    (told,) = {condition["lastHeartbeatTime"] for condition in conditions}
    return datetime.fromisoformat(told)


def started(kube: memkube.Memkube) -> dict[str, Any]:
    status = kube.object("pods", "web")["status"]
    running = status["containerStatuses"][0]["state"]
    return {"pod": status["startTime"], "container": running["running"]["startedAt"]}


def test_leases_and_conditions_tell_a_wrong_time(kube: memkube.Memkube) -> None:
    kube.faults.add(faults.clock_drift(120, node="node-1"))
    kube.clock.advance(300)
    assert (ahead(kube, lease(kube, "node-1")), ahead(kube, lease(kube, "node-2"))) == (120, 0)
    wrong, right = (heartbeat(kube, node) for node in ("node-1", "node-2"))
    assert wrong - right == timedelta(seconds=120)


def test_a_clock_may_go_wrong_more_and_more(kube: memkube.Memkube) -> None:
    kube.faults.add(faults.clock_drift(5, rate=0.1, node="node-1"))
    kube.clock.advance(100)
    assert ahead(kube, lease(kube, "node-1")) == 15


def test_a_node_that_is_set_back_seems_to_be_gone_for_a_while(kube: memkube.Memkube) -> None:
    kube.faults.add(faults.clock_drift(-120, node="node-1"))
    kube.clock.advance(60)
    told = {event["reason"] for event in kube.objects("events") if event["involvedObject"]["name"] == "node-1"}
    assert "NodeNotReady" in told
    kube.clock.advance(120)
    assert kube.wait_for("nodes", "node-1", "condition=Ready")


def test_what_a_node_has_written_of_a_pod_stays(kube: memkube.Memkube) -> None:
    with kube.faults.add(faults.clock_drift(3600, node="node-1")):
        kube.apply(_POD)
        before = started(kube)
        assert {ahead(kube, instant) for instant in before.values()} == {3600}
        kube.clock.advance(10)
        assert started(kube) == before
    kube.clock.advance(10)
    assert started(kube) == before


def test_the_timers_of_a_node_are_right(kube: memkube.Memkube) -> None:
    with kube.faults.add(faults.clock_drift(3600, node="node-1")):
        kube.apply(_POD)
        kube.clock.advance(39)
        assert kube.object("pods", "web")["status"]["phase"] == "Running"
        kube.clock.advance(3)
    status = kube.object("pods", "web")["status"]
    assert (status["phase"], status["reason"]) == ("Failed", "DeadlineExceeded")


def test_the_events_of_a_node_tell_a_wrong_time(kube: memkube.Memkube) -> None:
    kube.faults.add(faults.clock_drift(-3600, node="node-1"))
    kube.apply(_POD)
    told = [event for event in kube.objects("events", "default") if event["source"]["component"] == "kubelet"]
    assert {event["lastTimestamp"] for event in told} == {
        (kube.clock.now() - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    }
