from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memkube.controllers.pod_autoscaler.metrics_client import MetricsError, PodMetric
from memkube.controllers.pod_autoscaler.replica_calculator import (
    Proposal,
    Tolerances,
    counted_values,
    group_pods,
    per_pod_replicas,
    requests_of,
    usage_replicas,
    utilization_replicas,
    value_replicas,
)
from memkube.registry.objects.stored import StoredObject

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SMALLEST = -(2**63)


def ago(**length: float) -> str:
    return (NOW - timedelta(**length)).isoformat().replace("+00:00", "Z")


def pod(name: str, phase: str = "Running", ready: str = "True", request: str = "1", **status: Any) -> StoredObject:
    """Return a pod that became ready an hour ago."""
    condition = {"type": "Ready", "status": ready, "lastTransitionTime": ago(hours=1)}
    containers = [{"name": "app", "resources": {"requests": {"cpu": request}}}]
    status = {"phase": phase, "startTime": ago(hours=2), "conditions": [condition], **status}
    return StoredObject({"metadata": {"name": name}, "spec": {"containers": containers}, "status": status})


def pods(*phases: str) -> list[StoredObject]:
    return [pod(f"p{number}", phase) for number, phase in enumerate(phases or ("Running",) * 3)]


def metrics(*values: int) -> dict[str, PodMetric]:
    """Return metrics of the pods p0, p1 …, measured just now."""
    return {f"p{number}": PodMetric(NOW, timedelta(seconds=60), value) for number, value in enumerate(values)}


def by_utilization(
    target: int, found: Sequence[StoredObject], values: dict[str, PodMetric], current: int = 3
) -> Proposal:
    groups = group_pods(found, values, "cpu", NOW)
    counted = counted_values(values, groups)
    return utilization_replicas(current, target, counted, requests_of(found, "", "cpu"), groups, Tolerances())


def by_usage(target: int, found: Sequence[StoredObject], values: dict[str, PodMetric], current: int = 3) -> Proposal:
    groups = group_pods(found, values, "", NOW)
    return usage_replicas(current, target, counted_values(values, groups), groups, Tolerances())


@pytest.mark.parametrize(
    ("target", "values", "proposal"),
    [
        (30, (300, 500, 700), Proposal(5, 500, 50)),
        (100, (900, 1000, 1100), Proposal(3, 1000, 100)),
        (50, (100, 300, 500), Proposal(2, 300, 30)),
        (50, (540, 550, 560), Proposal(3, 550, 55)),
        (50, (545, 560, 580), Proposal(4, 561, 56)),
    ],
)
def test_replicas_follow_the_utilization(target: int, values: Sequence[int], proposal: Proposal) -> None:
    assert by_utilization(target, pods(), metrics(*values)) == proposal


@pytest.mark.parametrize(
    ("phases", "values", "replicas"),
    [
        (("Running", "Running", "Pending"), (900, 900), 4),
        (("Running", "Running", "Failed"), (900, 900), 4),
        (("Running", "Running", "Running"), (900, 900), 4),
        (("Running", "Running", "Running"), (100, 100), 3),
        (("Running", "Running", "Running"), (600, 600), 3),
        (("Running", "Pending", "Pending"), (1000,), 3),
    ],
)
def test_unready_and_missing_pods_damp_the_change(phases: Sequence[str], values: Sequence[int], replicas: int) -> None:
    assert by_utilization(50, pods(*phases), metrics(*values)).replicas == replicas


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ({}, True),
        ({"ready": "False", "startTime": ago(hours=1, seconds=10)}, False),
        ({"ready": "False"}, True),
        ({"ready": "False", "startTime": ago(minutes=4)}, False),
        ({"startTime": ago(minutes=4)}, True),
        ({"startTime": None}, False),
        ({"conditions": []}, False),
        (
            {
                "startTime": ago(minutes=2),
                "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": ago(seconds=30)}],
            },
            False,
        ),
    ],
)
def test_the_processor_usage_counts_once_a_pod_is_initialized(changed: dict[str, Any], counts: bool) -> None:
    groups = group_pods([pod("p0", **changed)], metrics(500), "cpu", NOW)
    assert (groups.ready, len(groups.unready)) == ((1, 0) if counts else (0, 1))


def test_terminating_and_failed_pods_are_ignored() -> None:
    leaving = StoredObject({**pod("p0").document, "metadata": {"name": "p0", "deletionTimestamp": ago(seconds=1)}})
    groups = group_pods([leaving, pod("p1", "Failed"), pod("p2")], metrics(1, 1, 1), "memory", NOW)
    assert (groups.ready, groups.ignored) == (1, ["p0", "p1"])


def test_metrics_of_unready_pods_alone_are_an_error() -> None:
    with pytest.raises(MetricsError, match=r"did not receive metrics for targeted pods \(pods might be unready\)"):
        by_utilization(50, pods("Pending"), metrics(1))


@pytest.mark.parametrize(
    ("values", "proposal"),
    [
        ((20000, 10000, 10000), Proposal(4, 13333)),
        ((10000, 10000, 10900), Proposal(3, 10300)),
        ((1000,), Proposal(3, 1000)),
    ],
)
def test_replicas_follow_an_average_value(values: Sequence[int], proposal: Proposal) -> None:
    assert by_usage(10000, pods(), metrics(*values)) == proposal


@pytest.mark.parametrize(
    ("current", "usage", "replicas"), [(3, 20_000, 6), (3, 10_500, 3), (3, 5_000, 2), (0, 25_000, 3), (0, 0, 0)]
)
def test_replicas_follow_the_value_of_an_object(current: int, usage: int, replicas: int) -> None:
    assert value_replicas(current, usage, 10_000, pods(), Tolerances()) == replicas


@pytest.mark.parametrize(
    ("observed", "usage", "proposal"),
    [
        (3, 60_000, Proposal(6, 20_000)),
        (3, 31_000, Proposal(3, 10_334)),
        (0, 15_000, Proposal(2, SMALLEST)),
        (3, 2**63 - 1, Proposal(2**31 - 1, 2**63 - 1)),
    ],
)
def test_replicas_divide_a_shared_value(observed: int, usage: int, proposal: Proposal) -> None:
    assert per_pod_replicas(observed, usage, 10_000, Tolerances(), is_external=True) == proposal


def test_an_enormous_average_proposes_the_smallest_integer_as_in_go() -> None:
    assert by_usage(1, pods(), metrics(2**31, 2**31, 2**31)).replicas == -(2**31)
    assert by_usage(1, pods("Running", "Running", "Pending"), metrics(2**31, 2**31)).replicas == 3
    shared = per_pod_replicas(3, 2**40, 1, Tolerances(), is_external=False)
    assert shared.replicas == -(2**31)


def test_an_enormous_utilization_wraps_as_in_go() -> None:
    assert by_utilization(100, [pod("p0", request="1m")], metrics(2**30), current=1).utilization == 0


def test_a_behavior_may_change_the_tolerances() -> None:
    tolerances = Tolerances(scale_down=0.5, scale_up=0)
    assert value_replicas(2, 6_000, 10_000, pods(), tolerances) == 2
    assert value_replicas(2, 10_001, 10_000, pods(), tolerances) == 4


@pytest.mark.parametrize(
    ("spec", "container", "requested"),
    [
        ({"containers": [{"name": "app", "resources": {"requests": {"cpu": "500m"}}}]}, "", 500),
        (
            {
                "containers": [{"name": "app", "resources": {"requests": {"cpu": "500m"}}}],
                "initContainers": [
                    {"name": "first", "resources": {"requests": {"cpu": "3"}}},
                    {"name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "250m"}}},
                ],
            },
            "",
            750,
        ),
        ({"containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}}}, {"name": "b"}]}, "a", 1000),
        ({"resources": {"requests": {"cpu": "2"}}, "containers": [{"name": "app"}]}, "", 2000),
    ],
)
def test_requests_are_those_of_the_pod_or_its_containers(spec: dict[str, Any], container: str, requested: int) -> None:
    found = StoredObject({"metadata": {"name": "p"}, "spec": spec, "status": {}})
    assert requests_of([found], container, "cpu") == {"p": requested}


@pytest.mark.parametrize(
    ("container", "resource", "message"),
    [
        ("", "memory", "missing request for memory in container app of Pod p0"),
        ("side", "cpu", "container side not found in Pod p0"),
    ],
)
def test_a_missing_request_is_an_error(container: str, resource: str, message: str) -> None:
    with pytest.raises(MetricsError, match=message):
        requests_of([pod("p0")], container, resource)
