"""Pods that do not fit on the node to which they are bound (``pkg/kubelet/lifecycle/predicate.go``)."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.connections.client import logged
from tests.controllers.kubelet.sandbox import container, sandbox

pytestmark = pytest.mark.anyio

_PORT: dict[str, Any] = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
_RESTARTS_ALL = {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}}
_NO_ROOM = "Node didn't have enough resource: "


def _requests(**amounts: str) -> Document:
    return {"resources": {"requests": amounts}}


@pytest.mark.parametrize(
    ("spec", "reason", "message"),
    [
        (
            {"containers": [container("c0", **_requests(cpu="7"))]},
            "OutOfcpu",
            f"{_NO_ROOM}cpu, requested: 7000, used: 2000, capacity: 8000",
        ),
        (
            {"containers": [container("c0", **_requests(memory="64Gi"))]},
            "OutOfmemory",
            f"{_NO_ROOM}memory, requested: 68719476736, used: 1073741824, capacity: 34359738368",
        ),
        (
            {"containers": [container("c0", **_PORT)]},
            "NodePorts",
            "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
        ),
        (
            {"containers": [container("c0")], "nodeSelector": {"disk": "ssd"}},
            "NodeAffinity",
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        ),
        (
            {"containers": [container("c0")], "os": {"name": "windows"}},
            "PodOSNotSupported",
            "Failed to admit pod as the OS field doesn't match node OS",
        ),
        (
            {"containers": [container("c0", restartPolicy="Never", restartPolicyRules=[_RESTARTS_ALL])]},
            "PodFeatureUnsupported",
            "Pod requires node features that are not available: RestartAllContainersOnContainerExits",
        ),
    ],
)
async def test_a_node_refuses_a_pod_that_does_not_fit(spec: dict[str, Any], reason: str, message: str) -> None:
    async with sandbox() as box:
        await box.create("first", containers=[container("c0", **_requests(cpu="2", memory="1Gi"), **_PORT)])
        await box.create("second", **spec)
        status = await box.status("second")
        assert (status["phase"], status["reason"], status["message"]) == (
            "Failed",
            reason,
            f"Pod was rejected: {message}",
        )
        assert await box.events(reason) == [message]
        assert "containerStatuses" not in status


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": [container("c0", **_requests(cpu="6"))]},
        {"containers": [container("c0", resources={"limits": {"example.com/gpu": "1"}})]},
        {"containers": [container("c0", ports=[{"containerPort": 80, "hostPort": 8080, "protocol": "UDP"}])]},
        {"containers": [container("c0")], "nodeSelector": {"kubernetes.io/hostname": "node-1"}},
    ],
)
async def test_a_node_accepts_a_pod_that_fits(spec: dict[str, Any]) -> None:
    async with sandbox() as box:
        await box.create("first", containers=[container("c0", **_requests(cpu="2"), **_PORT)])
        await box.create("second", **spec)
        assert (await box.status("second"))["phase"] == "Running"


async def test_pods_that_have_ended_leave_their_room_to_others() -> None:
    async with sandbox() as box:
        await box.run("true", name="ended", restartPolicy="Never")
        await box.create("refused", containers=[container("c0", **_requests(cpu="9"))])
        await box.advance(2)
        await box.create("last", containers=[container("c0", **_requests(cpu="8"))])
        assert (await box.status("last"))["phase"] == "Running"


async def test_a_node_refuses_more_pods_than_it_has_room_for() -> None:
    async with sandbox() as box:
        for number in range(110):
            await box.create(f"pod-{number}", containers=[container("c0")])
        await box.create("last", containers=[container("c0")])
        status = await box.status("last")
        assert (status["reason"], status["message"]) == (
            "OutOfpods",
            f"Pod was rejected: {_NO_ROOM}pods, requested: 1, used: 110, capacity: 110",
        )


async def test_a_node_refuses_a_pod_that_does_not_tolerate_its_taints() -> None:
    async with sandbox() as box:
        node = await box.cluster.get("nodes", "node-1")
        assert node is not None
        taint = {"key": "broken", "effect": "NoExecute"}
        await box.cluster.change("nodes", "node-1", spec={**node["spec"], "taints": [taint]})
        await box.create("web", containers=[container("c0")])
        assert (await box.status("web"))["reason"] == "TaintToleration"


@pytest.mark.parametrize("name", ["kernel.msgmax", "kernel/msgmax"])
async def test_a_node_refuses_a_pod_with_an_unsafe_kernel_parameter(name: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0")], securityContext={"sysctls": [{"name": name, "value": "1"}]})
        status = await box.status()
        assert (status["phase"], status["reason"]) == ("Failed", "SysctlForbidden")
        assert status["message"] == 'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted'


async def test_containers_see_the_kernel_parameters_of_their_pod() -> None:
    async with sandbox() as box:
        sysctls = [{"name": "kernel.shm_rmid_forced", "value": "1"}]
        script = "cat /proc/sys/kernel/shm_rmid_forced; sysctl kernel.shm_rmid_forced; sysctl -n kernel.shm_rmid_forced"
        await box.run(script, securityContext={"sysctls": sysctls})
        assert await logged(box) == "1\nkernel.shm_rmid_forced = 1\n1\n"


async def test_other_kernel_parameters_are_not_simulated() -> None:
    async with sandbox() as box:
        await box.run("sysctl net.ipv4.tcp_rmem")
        assert len(await box.events("CommandNotSimulated")) == 1
