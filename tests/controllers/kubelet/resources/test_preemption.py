"""Pods that make room for a critical pod on their node."""

from typing import Any

import pytest

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.controllers.kubelet.resources.preemption import CannotPreempt, Preemptable, pods_to_preempt
from memkube.controllers.scheduler.pod_requests import Resources
from memkube.registry.declarations.request_options import WriteContext
from tests.apis.core.v1.pods.examples import container as example
from tests.apis.core.v1.pods.examples import created_pod
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox


@pytest.mark.anyio
async def test_a_critical_pod_runs_once_the_pod_that_it_preempts_has_ended() -> None:
    async with sandbox() as box:
        await _run(box, "small", "2")
        await _run(box, "large", "5")
        await _run(box, "critical", "4", priorityClassName="system-node-critical")
        assert (await box.status("critical"))["phase"] == "Pending"
        await box.advance(31)
        assert [(await box.status(name))["phase"] for name in ("small", "critical")] == ["Running", "Running"]
        status = await box.status("large")
        found = [status[name] for name in ("phase", "reason", "message")]
        assert found == ["Failed", "Preempting", "Preempted in order to admit critical pod"]
        about = "Pod was preempted by Kubelet to accommodate a critical pod."
        assert await box.condition("DisruptionTarget", "large") == ("True", "TerminationByKubelet", about)
        assert await box.events("Preempting") == ["Preempted in order to admit critical pod"]


@pytest.mark.anyio
async def test_pods_are_preempted_one_after_another() -> None:
    async with sandbox() as box:
        await _run(box, "a", "3")
        await _run(box, "b", "4")
        await _run(box, "critical", "8", priorityClassName="system-node-critical")
        await box.advance(31)
        assert (await box.status("critical"))["phase"] == "Pending"
        await box.advance(31)
        assert (await box.status("critical"))["phase"] == "Running"


@pytest.mark.anyio
async def test_a_node_rejects_a_critical_pod_for_which_no_pods_can_make_room() -> None:
    async with sandbox() as box:
        await _run(box, "other", "5", priorityClassName="system-node-critical")
        await _run(box, "critical", "4", priorityClassName="system-node-critical")
        status = await box.status("critical")
        assert (status["phase"], status["reason"]) == ("Failed", "UnexpectedAdmissionError")
        why = "preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources"
        failure = "Unexpected error while attempting to recover from admission failure"
        assert status["message"] == f"Pod was rejected: {failure}: {why}: [(res: cpu, q: 1000), ]"
        assert (await box.status("other"))["phase"] == "Running"


@pytest.mark.anyio
async def test_a_node_preempts_nothing_for_a_critical_pod_that_it_refuses_anyway() -> None:
    async with sandbox() as box:
        await _run(box, "other", "5")
        selector = {"disk": "ssd"}
        await _run(box, "critical", "4", priorityClassName="system-node-critical", nodeSelector=selector)
        assert (await box.status("critical"))["reason"] == "NodeAffinity"
        assert (await box.status("other"))["phase"] == "Running"


@pytest.mark.anyio
async def test_a_critical_pod_that_is_deleted_while_it_waits_frees_its_resources() -> None:
    async with sandbox() as box:
        await _run(box, "other", "5")
        await _run(box, "critical", "4", priorityClassName="system-node-critical")
        context = WriteContext(namespace="default", manager="user")
        await box.cluster.store("pods").delete("critical", DeleteOptions(gracePeriodSeconds=0), context)
        await box.advance(31)
        await _run(box, "next", "7")
        assert (await box.status("next"))["phase"] == "Running"


@pytest.mark.parametrize(
    ("lacking", "names"),
    [
        ({"cpu": 1000}, ["b1"]),
        ({"cpu": 2500}, ["b2", "b1"]),
        ({"pods": 1}, ["e"]),
        ({"cpu": 4000}, ["b1", "g"]),
    ],
)
def test_few_pods_of_a_low_class_are_preempted(lacking: dict[str, int], names: list[str]) -> None:
    candidates = [_preemptable("e"), _preemptable("b1", 1), _preemptable("b2", 2), _preemptable("g", 3, 3)]
    assert [victim.pod.metadata.name for victim in pods_to_preempt(candidates, lacking)] == names


def test_too_few_resources_are_an_error() -> None:
    with pytest.raises(CannotPreempt, match=r"\[\(res: memory, q: 1\), \]"):
        pods_to_preempt([_preemptable("b", 1)], {"memory": 1})


async def _run(box: Sandbox, name: str, cpu: str, **spec: Any) -> None:
    """Run a container that ignores the signal TERM."""
    script = "trap '' TERM; sleep 1d"
    await box.create(name, containers=[container("c0", script, resources={"requests": {"cpu": cpu}})], **spec)


def _preemptable(name: str, cpu: int = 0, limit: int = 0) -> Preemptable:
    requests = {"cpu": str(cpu)} if cpu else {}
    limits = {"cpu": str(limit), "memory": "1Gi"} if limit else {}
    pod = created_pod(containers=[example(resources={"requests": requests, "limits": limits})])
    pod.metadata.name = name
    return Preemptable(pod, Resources(cpu * 1000))
