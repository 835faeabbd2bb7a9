from dataclasses import replace

import pytest

from memkube.controllers.endpoints.endpoint_pods import EndpointPod
from memkube.controllers.endpoints.trigger_times import TriggerTimes
from memkube.registry.objects.stored import StoredObject
from tests.controllers.services import backend

T = [f"2026-01-01T00:00:0{second}Z" for second in range(9)]


def stored_service(created: str) -> StoredObject:
    metadata = {"name": "web", "namespace": "default", "creationTimestamp": created}
    return StoredObject({"kind": "Service", "apiVersion": "v1", "metadata": metadata, "spec": {}})


def pods(**times: str) -> list[EndpointPod]:
    """Return pods by name, with the times at which they became ready."""
    facts = EndpointPod.of(StoredObject(backend("any", "10.0.0.1")))
    return [replace(facts, name=name, trigger_time=time) for name, time in times.items()]


def test_the_first_time_is_that_of_the_service() -> None:
    assert TriggerTimes().next(stored_service(T[5]), pods(a=T[1])) == T[5]


@pytest.mark.parametrize(
    ("known", "then", "expected"),
    [
        ({}, {"a": T[3], "b": T[2]}, T[2]),
        ({"a": T[1], "b": T[2]}, {"a": T[4], "b": T[3]}, T[3]),
        ({"a": T[1]}, {"a": T[1]}, ""),
        ({"a": T[1]}, {}, ""),
        ({"a": ""}, {"a": ""}, ""),
    ],
)
def test_later_times_are_the_earliest_that_changed(known: dict[str, str], then: dict[str, str], expected: str) -> None:
    times = TriggerTimes()
    times.next(stored_service(T[0]), pods(**known))
    assert times.next(stored_service(T[0]), pods(**then)) == expected


def test_a_pod_that_comes_back_counts_again() -> None:
    times = TriggerTimes()
    for known in (pods(a=T[1]), pods()):
        times.next(stored_service(T[0]), known)
    assert times.next(stored_service(T[0]), pods(a=T[1])) == T[1]


def test_a_service_that_comes_back_begins_anew() -> None:
    times = TriggerTimes()
    times.next(stored_service(T[0]), pods(a=T[1]))
    times.forget(("default", "web"))
    assert times.next(stored_service(T[3]), pods(a=T[4])) == T[3]
