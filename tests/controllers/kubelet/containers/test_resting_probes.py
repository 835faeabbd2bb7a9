"""Probes whose result cannot change are not performed until the pod, its containers or the rules change."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

import memkube
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.kubelet.containers.behavior import ANNOTATION, ContainerRule, HttpBehavior
from memkube.controllers.kubelet.containers.rules import ContainerRules
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio

PORT = {"port": 80}


@pytest.mark.parametrize(
    ("image", "probe", "rests"),
    [
        ("web", {"httpGet": PORT}, True),
        ("web", {"tcpSocket": PORT}, True),
        ("web", {"grpc": PORT}, True),
        ("web", {"httpGet": {**PORT, "host": "10.0.0.1"}}, False),
        ("web", {"httpGet": {"port": "unnamed"}}, False),
        ("web", {"exec": {"command": ["true"]}}, False),
        ("agnhost", {"httpGet": {"port": 8080}}, False),
    ],
)
async def test_only_a_probe_whose_success_cannot_change_rests(image: str, probe: dict[str, Any], rests: bool) -> None:
    async with sandbox() as box:
        args = ["netexec"] if image == "agnhost" else []
        await box.create(containers=[{"name": "c0", "image": image, "args": args, "readinessProbe": probe}])
        await box.advance(20)
        assert (await _next_check(box) is None) is rests


async def test_a_probe_does_not_rest_before_its_success_was_repeated_often_enough() -> None:
    async with sandbox() as box:
        await _create(box, periodSeconds=10, successThreshold=3)
        await box.advance(19)
        assert await _next_check(box) is not None
        await box.advance(1)
        assert await _next_check(box) is None


async def test_a_probe_that_warns_does_not_rest() -> None:
    async with sandbox() as box:
        await box.rule(http=[{"status": 302, "headers": {"Location": "http://example.com/"}}])
        await _create(box, periodSeconds=10)
        await box.advance(5)
        assert await _next_check(box) is not None


async def test_a_resting_probe_continues_in_its_schedule_after_a_change_of_the_pod() -> None:
    async with sandbox() as box:
        await _create(box, periodSeconds=10, failureThreshold=1)
        await box.advance(24)
        failing = '{"probes": {"readiness": {"failsAfterSeconds": 0}}}'
        await box.cluster.change("pods", "web", metadata={"annotations": {ANNOTATION: failing}})
        await box.advance(5)
        assert await _is_ready(box)
        await box.advance(1)
        assert not await _is_ready(box)


@pytest.mark.parametrize(
    "change",
    [
        lambda rules: rules.take("rule", None),
        lambda rules: rules.put("rule", ContainerRule(image="other")),
        lambda rules: rules.put("rule", ContainerRule(image="web", http=(HttpBehavior(status=500),))),
    ],
    ids=["deleted", "for another image", "with another answer"],
)
async def test_a_resting_probe_continues_after_the_rule_of_its_container_has_changed(
    change: Callable[[ContainerRules], None],
) -> None:
    async with sandbox() as box:
        await box.rule(image="web", http=[{"status": 200}])
        box.kubelet.rules.put("second", ContainerRule(image="web", http=(HttpBehavior(status=500),)))
        await _create(box, periodSeconds=10, failureThreshold=1)
        assert await _is_ready(box)
        change(box.kubelet.rules)
        await box.advance(10)
        assert not await _is_ready(box)


async def test_a_resting_probe_continues_after_another_container_has_started() -> None:
    async with sandbox() as box:
        await box.rule(container="c1", http=[{"port": 81, "status": 500}])
        probe = {"httpGet": {"port": 81}, "periodSeconds": 10, "failureThreshold": 1}
        await box.create(containers=[container("c0", readinessProbe=probe), container("c1", "sleep 7; false")])
        await box.advance(20)
        assert (await box.container("c1"))["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        assert (await box.container())["ready"]
        await box.advance(10)
        assert not (await box.container())["ready"]


async def test_a_container_with_a_resting_liveness_probe_can_be_stopped() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", "sleep 600", livenessProbe={"httpGet": PORT})])
        await box.advance(15)
        await box.cluster.delete("pods", "web")
        await box.advance(30)
        assert await box.pod() is None


def test_the_probe_of_a_restored_pod_rests_until_a_rule_changes() -> None:
    with memkube.Memkube(nodes=1, clock="stepped") as kube:
        probe = {"httpGet": PORT, "periodSeconds": 10, "failureThreshold": 1}
        spec = {"containers": [{"name": "c0", "image": "web", "readinessProbe": probe}]}
        kube.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec})
        kube.clock.advance(15)
        kube.restore(kube.snapshot())
        kube.clock.advance(15)
        kube.behaviors.put("sick", {"image": "web", "http": [{"status": 500}]})
        kube.clock.advance(10)
        assert not kube.get("pods", "web")["status"]["containerStatuses"][0]["ready"]


async def _create(box: Sandbox, **probe: Any) -> None:
    await box.create(containers=[{"name": "c0", "image": "web", "readinessProbe": {"httpGet": PORT, **probe}}])


async def _is_ready(box: Sandbox) -> bool:
    return (await box.condition("Ready"))[0] == "True"


async def _next_check(box: Sandbox) -> datetime | None:
    """Return the time of the next check of the pod; None if its probes rest, because nothing else is planned."""
    simulated = box.kubelet.simulated(Pod.from_document(await box.pod() or {}))
    assert simulated is not None
    return simulated.due
