from typing import Any

import pytest

import memkube
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.declarations.request_options import WriteContext
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox, sidecar

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("script", ["", "nginx", "echo up; exec nginx", "echo up; until host db; do sleep 2; done"])
async def test_a_server_ends_at_once(script: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", script)])
        await _delete(box)
        assert await box.pod() is None


async def test_a_server_ends_after_its_hook() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", lifecycle={"preStop": {"sleep": {"seconds": 3}}})])
        await _delete(box)
        await box.advance(2.9)
        assert await box.pod() is not None
        await box.advance(0.1)
        assert await box.pod() is None


@pytest.mark.parametrize(
    ("script", "hook", "gone_after"),
    [
        ("trap 'exit 0' TERM; while true; do sleep 2; done", 0, 2),
        ("trap 'exit 0' TERM; while true; do sleep 2; done", 3, 4),
        ("trap : TERM; while true; do sleep 2; done", 0, 30),
        ("trap '' TERM; sleep 5", 0, 5),
        ("sh -c 'trap exit TERM; sleep 600'; true", 0, 30),
    ],
)
async def test_a_shell_does_at_term_what_it_was_told_to(script: str, hook: int, gone_after: int) -> None:
    async with sandbox() as box:
        lifecycle = {"preStop": {"sleep": {"seconds": hook}}} if hook else {}
        await box.create(containers=[container("c0", script, lifecycle=lifecycle)], restartPolicy="Never")
        await _delete(box)
        await box.advance(gone_after - 0.1)
        assert await box.pod() is not None
        await box.advance(0.1)
        assert await box.pod() is None


@pytest.mark.parametrize(
    ("rule", "lifecycle", "grace", "gone_after"),
    [
        ({}, {}, 30, 30),
        ({}, {}, 5, 5),
        ({}, {}, 1, 2),
        ({"stopSeconds": 3}, {}, 30, 3),
        ({"stopSeconds": 40}, {}, 30, 30),
        ({"stopSeconds": 1}, {"preStop": {"sleep": {"seconds": 10}}}, 30, 11),
        ({"stopSeconds": 1}, {"preStop": {"exec": {"command": ["sleep", "4"]}}}, 30, 5),
        ({}, {"preStop": {"sleep": {"seconds": 10}}}, 30, 30),
        ({}, {"preStop": {"exec": {"command": ["sleep", "60"]}}}, 10, 12),
        ({}, {"preStop": {"sleep": {"seconds": 29}}}, 30, 31),
    ],
)
async def test_a_pod_is_gone_when_its_containers_are(
    rule: dict[str, Any], lifecycle: dict[str, Any], grace: int, gone_after: int
) -> None:
    async with sandbox() as box:
        await box.rule(**rule)
        containers = [container("c0", "sleep 600", lifecycle=lifecycle)]
        await box.create(containers=containers, terminationGracePeriodSeconds=grace)
        await _delete(box)
        await box.advance(gone_after - 0.1)
        assert await box.pod() is not None
        await box.advance(0.1)
        assert await box.pod() is None


async def test_containers_are_told_to_stop() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", "sleep 60")
        await _delete(box)
        assert await box.events("Killing") == ["Stopping container c0", "Stopping container c1"]
        assert (await box.container())["state"]["running"]


async def test_a_forced_deletion_takes_no_time() -> None:
    async with sandbox() as box:
        await box.run("sleep 60")
        await _delete(box, gracePeriodSeconds=0)
        assert await box.pod() is None


async def test_a_second_deletion_may_shorten_the_grace_period() -> None:
    async with sandbox() as box:
        await box.run("sleep 600", terminationGracePeriodSeconds=300)
        await _delete(box)
        await box.advance(10)
        await _delete(box, gracePeriodSeconds=5)
        await box.advance(5)
        assert await box.pod() is None


async def test_sidecars_end_last_and_in_reverse_order() -> None:
    async with sandbox() as box:
        await box.rule(stopSeconds=2)
        await box.run("sleep 600", initContainers=[sidecar("s0"), sidecar("s1")])
        await _delete(box)
        assert await box.events("Killing") == [f"Stopping container {name}" for name in ("c0", "s1", "s0")]
        for running in (["s0", "s1"], ["s0"]):
            await box.advance(2)
            assert [name for name in ("s0", "s1") if "running" in (await box.container(name))["state"]] == running
        await box.advance(2)
        assert await box.pod() is None


async def test_sidecars_share_the_grace_period_of_the_pod() -> None:
    async with sandbox() as box:
        sidecars = [sidecar("s0", "sleep 600"), sidecar("s1", "sleep 600")]
        await box.run("sleep 5", initContainers=sidecars, restartPolicy="Never", terminationGracePeriodSeconds=10)
        await box.advance(5)
        finished = {"s1": 15, "s0": 17}
        await box.advance(12)
        for name, second in finished.items():
            ended = (await box.container(name))["state"]["terminated"]
            assert (ended["exitCode"], box.seconds(ended["finishedAt"]) // 1) == (137, second)


async def test_the_hook_of_a_sidecar_runs_while_the_containers_end() -> None:
    async with sandbox() as box:
        hook = {"preStop": {"sleep": {"seconds": 8}}}
        await box.run("trap 'exit 0' TERM; sleep 5; sleep 600", initContainers=[sidecar("s0", lifecycle=hook)])
        await _delete(box)
        await box.advance(7.9)
        assert await box.pod() is not None
        await box.advance(0.1)
        assert await box.pod() is None


async def test_a_sidecar_does_not_wait_for_init_containers() -> None:
    async with sandbox() as box:
        await box.rule(container="s0", stopSeconds=1)
        await box.run("sleep 600", initContainers=[sidecar("s0"), container("i1", "sleep 600")])
        await _delete(box)
        await box.advance(1)
        assert "terminated" in (await box.container("s0"))["state"]


def test_a_restored_sidecar_waits_for_its_turn() -> None:
    with memkube.Memkube(nodes=1, clock="stepped") as kube:
        stubborn = container("c0", "trap '' TERM; sleep 20")
        spec = {"initContainers": [sidecar("s0")], "containers": [stubborn], "restartPolicy": "Never"}
        kube.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec})
        kube.clock.advance(5)
        kube.delete("pods", "web")
        kube.restore(kube.snapshot())
        kube.clock.advance(10)
        [status] = kube.get("pods", "web")["status"]["initContainerStatuses"]
        assert "running" in status["state"]
        kube.clock.advance(6)
        assert kube.list("pods") == []


async def test_a_pod_with_a_finalizer_stays_with_the_phase_that_it_ended_in() -> None:
    async with sandbox() as box:
        await box.run("sleep 600", metadata={"finalizers": ["example.com/hold"]})
        await _delete(box)
        await box.advance(30)
        status = await box.status()
        assert (status["phase"], (await box.container())["state"]["terminated"]["exitCode"]) == ("Failed", 137)


@pytest.mark.parametrize(("code", "phase"), [(0, "Succeeded"), (1, "Failed")])
async def test_a_deleted_pod_waits_for_no_restart(code: int, phase: str) -> None:
    async with sandbox() as box:
        await box.run(f"exit {code}", metadata={"finalizers": ["example.com/hold"]})
        assert (await box.container())["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        await _delete(box)
        assert (await box.container())["state"]["terminated"]["exitCode"] == code
        assert (await box.status())["phase"] == phase


async def test_a_pod_that_is_deleted_before_it_runs_has_failed() -> None:
    async with sandbox() as box:
        await box.rule(pullError="no such image")
        await box.run("sleep 60", metadata={"finalizers": ["example.com/hold"]})
        await _delete(box)
        assert (await box.status())["phase"] == "Failed"
        assert (await box.container())["state"]["terminated"]["reason"] == "ContainerStatusUnknown"


async def test_a_finished_pod_is_gone_at_once() -> None:
    async with sandbox() as box:
        await box.run("true", restartPolicy="Never")
        await _delete(box)
        assert await box.pod() is None


async def test_addresses_are_given_to_other_pods_again() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", name="a")
        await box.run("sleep 60", name="b")
        await _delete(box, "a", gracePeriodSeconds=0)
        await box.run("sleep 60", name="c")
        assert [(await box.status(name))["podIP"] for name in ("b", "c")] == ["10.244.1.3", "10.244.1.2"]


async def test_a_failed_node_leaves_its_pods_as_they_are() -> None:
    async with sandbox() as box:
        await box.run("sleep 5", restartPolicy="Never")
        box.nodes.fail("node-1")
        await box.advance(60)
        assert (await box.status())["phase"] == "Running"
        box.nodes.recover("node-1")
        await box.advance(0)
        assert (await box.status())["phase"] == "Succeeded"


async def _delete(box: Sandbox, name: str = "web", **options: Any) -> None:
    context = WriteContext(namespace="default", manager="user")
    await box.cluster.store("pods").delete(name, DeleteOptions(**options), context)
    await box.cluster.settle()
