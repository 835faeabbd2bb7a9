"""postStart hooks. While one runs, the kubelet neither starts other containers of the pod nor writes its status."""

import json
from typing import Any

import pytest

import memkube
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox, sidecar

pytestmark = pytest.mark.anyio

_SLOW = {"postStart": {"sleep": {"seconds": 5}}}
_MISSING = "cat: can't open '/x': No such file or directory\n"
_CREATING = {"waiting": {"reason": "ContainerCreating"}}


async def test_a_hook_holds_back_the_next_container() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", lifecycle=_SLOW), container("c1")])
        await box.advance(4.9)
        assert [await _state(box, name) for name in ("c0", "c1")] == [_CREATING, _CREATING]
        await box.advance(0.1)
        began = [box.seconds((await _state(box, name))["running"]["startedAt"]) for name in ("c0", "c1")]
        assert began[1] - began[0] == 5
        assert (await box.condition("Ready"))[0] == "True"


async def test_the_hook_of_a_sidecar_holds_back_the_containers() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", initContainers=[sidecar("s0", lifecycle=_SLOW)])
        await box.advance(4.9)
        assert len(await box.events("Started")) == 1
        await box.advance(0.1)
        assert len(await box.events("Started")) == 2


async def test_probes_begin_after_the_hook() -> None:
    async with sandbox() as box:
        await box.rule(probes={"liveness": {"failsAfterSeconds": 0}})
        probe = {"httpGet": {"port": 80}, "failureThreshold": 2, "periodSeconds": 1}
        await box.create(containers=[container("c0", livenessProbe=probe, lifecycle=_SLOW)])
        await box.advance(5.5)
        assert await box.events("Killing") == []
        await box.advance(0.5)
        assert len(await box.events("Killing")) == 1


@pytest.mark.parametrize(
    ("handler", "problem"),
    [
        (
            {"exec": {"command": ["cat", "/x"]}},
            "Exec lifecycle hook ([cat /x]) for {} failed - error: command 'cat /x' exited with 1: "
            + _MISSING
            + f", message: {json.dumps(_MISSING)}",
        ),
        (
            {"httpGet": {"path": "/up", "port": "none"}},
            'HTTP lifecycle hook (/up) for {} failed - error: strconv.Atoi: parsing "none": invalid syntax',
        ),
    ],
)
async def test_a_container_waits_with_the_reason_why_its_hook_failed(handler: dict[str, Any], problem: str) -> None:
    async with sandbox() as box:
        await box.rule(stopSeconds=2)
        await box.create(containers=[container("c0", lifecycle={"postStart": handler})])
        await box.advance(3)
        pod = await box.pod()
        assert pod is not None
        names = f'Container "c0" in Pod "web_default({pod["metadata"]["uid"]})"'
        waiting = (await _state(box, "c0"))["waiting"]
        assert waiting == {"reason": "PostStartHookError", "message": problem.format(names)}


async def test_a_container_whose_hook_fails_backs_off() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", lifecycle={"postStart": {"exec": {"command": ["false"]}}})])
        await box.advance(1)
        status = await box.container()
        assert (status["state"]["waiting"]["reason"], status["restartCount"]) == ("CrashLoopBackOff", 1)
        assert (await box.condition("Ready"))[0] == "False"


@pytest.mark.parametrize("field", ["deletion", "deadline"])
async def test_a_pod_ends_after_the_hook(field: str) -> None:
    async with sandbox() as box:
        deadline: dict[str, Any] = {"activeDeadlineSeconds": 2} if field == "deadline" else {}
        await box.create(containers=[container("c0", lifecycle=_SLOW)], **deadline)
        await box.advance(3)
        if field == "deletion":
            await box.cluster.delete("pods", "web")
        assert await box.events("Killing") == []
        await box.advance(2)
        assert await box.events("Killing") == ["Stopping container c0"]


def test_a_restored_pod_still_waits_for_the_hook() -> None:
    with memkube.Memkube(nodes=1, clock="stepped") as kube:
        spec = {"containers": [container("c0", lifecycle={"postStart": {"sleep": {"seconds": 25}}})]}
        kube.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec})
        kube.clock.advance(10)
        kube.restore(kube.snapshot())
        kube.clock.advance(10)
        assert kube.get("pods", "web")["status"]["phase"] == "Pending"
        kube.clock.advance(10)
        assert kube.get("pods", "web")["status"]["phase"] == "Running"


async def _state(box: Sandbox, name: str) -> dict[str, Any]:
    state: dict[str, Any] = (await box.container(name))["state"]
    return state
