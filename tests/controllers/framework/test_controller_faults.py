"""Faults that apply to requests of the server's own controllers."""

import logging
from collections.abc import Iterator

import pytest

import memkube
from memkube import faults

_DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "nginx:1"}]}
"""


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(clock="stepped") as running:
        yield running


def ready(kube: memkube.Memkube) -> int:
    return sum(
        condition["type"] == "Ready" and condition["status"] == "True"
        for pod in kube.objects("pods", "default")
        for condition in pod["status"].get("conditions", ())
    )


def test_controllers_are_spared_unless_asked_for(kube: memkube.Memkube) -> None:
    with kube.faults.add(faults.error(500), resource="*") as fault:
        kube.apply(_DEPLOYMENT)
        assert ready(kube) == 2
    assert fault.matched == 0


def test_a_controller_whose_writes_fail_tries_again(kube: memkube.Memkube, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    with kube.faults.add(
        faults.error(500), verb="create", resource="pods/binding", controllers=True, user_agent="kube-scheduler"
    ) as fault:
        kube.apply(_DEPLOYMENT)
        assert ready(kube) == 0
        assert fault.hits == 2
    kube.clock.advance(60)
    assert ready(kube) == 2


def test_a_write_that_lost_its_answer_has_taken_effect(kube: memkube.Memkube) -> None:
    with kube.faults.add(
        faults.drop(after_write=True), verb="create", resource="pods", controllers=True, first=1
    ) as fault:
        kube.apply(_DEPLOYMENT)
        kube.clock.advance(60)
    assert fault.hits == 1
    assert ready(kube) == 2


def test_a_controller_that_waits_for_time_keeps_nobody_from_moving_it(kube: memkube.Memkube) -> None:
    kube.faults.add(faults.delay(30), verb="create", resource="pods/binding", controllers=True, first=1)
    kube.apply(_DEPLOYMENT)
    kube.clock.advance(29)
    assert ready(kube) == 0
    kube.clock.advance(2)
    assert ready(kube) == 2


@pytest.mark.parametrize(
    "effect", [faults.close_watch(), faults.close_watch(dropped=True), faults.close_watch(expired=True)]
)
def test_informers_miss_nothing_when_their_watches_end(
    kube: memkube.Memkube, effect: faults.Effect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    with kube.faults.add(effect, resource="deployments", controllers=True, user_agent="kube-*") as fault:
        kube.apply(_DEPLOYMENT.replace("web", "first"))
    kube.apply(_DEPLOYMENT)
    kube.clock.advance(5)
    assert ready(kube) == 4
    assert fault.hits > 0
    assert caplog.records == []


def test_informers_see_late_what_is_held_back(kube: memkube.Memkube) -> None:
    with kube.faults.add(faults.hold_events(), resource="deployments", controllers=True):
        kube.apply(_DEPLOYMENT)
        assert kube.objects("replicasets", "default") == []
    kube.clock.advance(1)
    assert ready(kube) == 2


def test_informers_list_again_from_a_cache_that_lags(kube: memkube.Memkube) -> None:
    kube.faults.add(faults.stale_reads(), verb="list", resource="deployments", controllers=True)
    kube.faults.add(faults.close_watch(expired=True), resource="deployments", controllers=True, first=1)
    kube.apply(_DEPLOYMENT)
    kube.clock.advance(5)
    assert ready(kube) == 2
