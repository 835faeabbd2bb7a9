import gc
from types import CellType
from typing import Any

import pytest

from memkube.apis.core.v1.podspec.types.containers import Container
from tests.controllers.kubelet.sandbox import container, sandbox, sidecar

pytestmark = pytest.mark.anyio

RUNNING = ("True", "", "")


async def test_a_pod_becomes_ready_on_its_node() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600")
        status = await box.status()
        assert (status["phase"], status["podIP"], status["hostIP"]) == ("Running", "10.244.1.2", "172.16.0.1")
        for condition in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"):
            assert await box.condition(condition) == RUNNING


async def test_a_running_container_has_identifiers_and_resources() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", resources={"requests": {"cpu": "100m"}})])
        status = await box.container()
        assert (status["ready"], status["started"], status["restartCount"]) == (True, True, 0)
        assert status["containerID"].startswith("memkube://")
        assert status["imageID"].startswith("docker.io/library/busybox@sha256:")
        assert status["resources"] == {"requests": {"cpu": "100m"}}


async def test_an_operator_reads_the_usual_events() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600")
        assert await box.events() == [
            'Pulling image "busybox:1.36"',
            'Successfully pulled image "busybox:1.36" in 0s (0s including waiting). Image size: 0 bytes.',
            "Container created",
            "Container started",
        ]


@pytest.mark.parametrize(
    ("policy", "scripts", "phase", "states"),
    [
        ("Never", ["true"], "Succeeded", ["Completed"]),
        ("Never", ["exit 3"], "Failed", ["Error"]),
        ("Never", ["true", "exit 1"], "Failed", ["Completed", "Error"]),
        ("Never", ["true", "sleep 60"], "Running", ["Completed", "running"]),
        ("OnFailure", ["true"], "Succeeded", ["Completed"]),
        ("OnFailure", ["exit 3"], "Running", ["CrashLoopBackOff"]),
        ("OnFailure", ["true", "exit 1"], "Running", ["Completed", "CrashLoopBackOff"]),
        ("Always", ["true"], "Running", ["CrashLoopBackOff"]),
        ("Always", ["exit 3"], "Running", ["CrashLoopBackOff"]),
        ("Always", ["sleep 60", "exit 1"], "Running", ["running", "CrashLoopBackOff"]),
    ],
)
async def test_the_phase_follows_from_the_containers_and_the_restart_policy(
    policy: str, scripts: list[str], phase: str, states: list[str]
) -> None:
    async with sandbox() as box:
        await box.run(*scripts, restartPolicy=policy)
        status = await box.status()
        assert status["phase"] == phase
        assert [_state(c["state"]) for c in status["containerStatuses"]] == states


@pytest.mark.parametrize(
    ("script", "condition"),
    [
        ("true", ("False", "PodCompleted", "")),
        ("exit 1", ("False", "PodFailed", "")),
        ("sleep 60", ("True", "", "")),
    ],
)
async def test_the_ready_condition_tells_how_a_pod_ended(script: str, condition: tuple[str, str, str]) -> None:
    async with sandbox() as box:
        await box.run(script, restartPolicy="Never")
        assert await box.condition("Ready") == condition


async def test_init_containers_run_one_after_another() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", initContainers=[container("i0", "sleep 5"), container("i1", "sleep 5")])
        assert (await box.status())["phase"] == "Pending"
        assert await _states(box, "i0", "i1", "c0") == ["running", "PodInitializing", "PodInitializing"]
        assert await box.condition("Initialized") == (
            "False",
            "ContainersNotInitialized",
            "containers with incomplete status: [i0 i1]",
        )
        await box.advance(5)
        assert await _states(box, "i0", "i1", "c0") == ["Completed", "running", "PodInitializing"]
        await box.advance(5)
        assert await _states(box, "i0", "i1", "c0") == ["Completed", "Completed", "running"]


@pytest.mark.parametrize(
    ("policy", "phase", "state"), [("Never", "Failed", "Error"), ("Always", "Pending", "CrashLoopBackOff")]
)
async def test_a_failing_init_container_fails_the_pod_or_is_tried_again(policy: str, phase: str, state: str) -> None:
    async with sandbox() as box:
        await box.run("sleep 60", initContainers=[container("i0", "exit 1")], restartPolicy=policy)
        assert (await box.status())["phase"] == phase
        assert await _states(box, "i0", "c0") == [state, "PodInitializing"]


async def test_a_sidecar_runs_before_and_beside_the_containers() -> None:
    async with sandbox() as box:
        helpers = [sidecar("s0", "sleep 600"), container("i0", "sleep 2")]
        await box.run("sleep 5", initContainers=helpers, restartPolicy="Never")
        assert await _states(box, "s0", "i0", "c0") == ["running", "running", "PodInitializing"]
        await box.advance(2)
        assert await _states(box, "s0", "i0", "c0") == ["running", "Completed", "running"]
        await box.advance(5)
        assert await _states(box, "s0", "c0") == ["running", "Completed"]
        await box.advance(30)
        assert await _states(box, "s0", "c0") == ["Error", "Completed"]
        assert (await box.status())["phase"] == "Succeeded"


async def test_a_sidecar_that_has_not_started_holds_back_the_containers() -> None:
    async with sandbox() as box:
        probe = {"exec": {"command": ["test", "-f", "/up"]}, "periodSeconds": 1, "failureThreshold": 60}
        await box.run("sleep 60", initContainers=[sidecar("s0", "sleep 3; touch /up; sleep 600", startupProbe=probe)])
        assert await _states(box, "s0", "c0") == ["running", "PodInitializing"]
        await box.advance(3)
        assert await _states(box, "s0", "c0") == ["running", "running"]


async def test_a_crashed_sidecar_holds_back_nothing_after_the_next_init_container() -> None:
    async with sandbox() as box:
        inits = [sidecar("s0", "sleep 2; exit 1"), container("i1", "sleep 5")]
        await box.run("sleep 600", initContainers=inits)
        await box.advance(5)
        assert await _states(box, "s0", "c0") == ["CrashLoopBackOff", "running"]


async def test_a_crashed_sidecar_holds_back_restarts_if_no_container_runs() -> None:
    async with sandbox() as box:
        await box.run("sleep 8; exit 1", initContainers=[sidecar("s0", "sleep 3; exit 1")])
        await box.advance(9)
        assert await _states(box, "s0", "c0") == ["CrashLoopBackOff", "Error"]
        await box.advance(8)
        assert await _states(box, "s0", "c0") == ["running", "running"]


async def test_what_a_program_did_while_nobody_looked_is_caught_up_with() -> None:
    async with sandbox() as box:
        await box.run("for i in $(seq 5000); do echo $i; sleep 1; done; exit 3", restartPolicy="Never")
        box.nodes.fail("node-1")
        await box.advance(6000)
        box.nodes.recover("node-1")
        await box.advance(0)
        ended = (await box.container())["state"]["terminated"]
        assert (ended["exitCode"], box.seconds(ended["finishedAt"])) == (3, 5000)


async def test_a_crash_looping_container_backs_off_twice_as_long_each_time() -> None:
    async with sandbox() as box:
        await box.run("exit 1")
        restarts: list[int] = []
        for second in range(1, 1301):
            await box.advance(1)
            if len(restarts) < (count := (await box.container())["restartCount"] - 1):
                restarts.append(second)
                assert len(restarts) == count
        assert restarts == [10, 30, 70, 150, 310, 610, 910, 1210]


async def test_backing_off_is_told_in_status_and_events() -> None:
    async with sandbox() as box:
        await box.run("exit 7")
        await box.advance(10)
        pod = await box.pod()
        assert pod is not None
        where = f"web_default({pod['metadata']['uid']})"
        state = (await box.container())["state"]["waiting"]
        assert state["message"] == f"back-off 20s restarting failed container=c0 pod={where}"
        assert (await box.container())["lastState"]["terminated"]["exitCode"] == 7
        assert await box.events("BackOff") == [f"Back-off restarting failed container c0 in pod {where}"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"exitCode": 0}, "Completed"),
        ({"exitCode": 3}, "Error"),
        ({"outOfMemory": True}, "OOMKilled"),
    ],
)
async def test_a_rule_decides_how_a_container_ends(fields: dict[str, Any], reason: str) -> None:
    async with sandbox() as box:
        await box.rule(container="c0", exitAfterSeconds=2, **fields)
        await box.run("sleep 3600", restartPolicy="Never")
        assert await _states(box, "c0") == ["running"]
        await box.advance(2)
        assert await _states(box, "c0") == [reason]


async def test_an_annotation_decides_where_no_rule_does() -> None:
    async with sandbox() as box:
        annotations = {"memkube.dev/behavior": '{"exitCode": 4}', "c1.memkube.dev/behavior": '{"exitCode": 5}'}
        await box.run("sleep 1", "sleep 1", metadata={"annotations": annotations}, restartPolicy="Never")
        codes = [(await box.container(name))["state"]["terminated"]["exitCode"] for name in ("c0", "c1")]
        assert codes == [4, 5]


async def test_an_annotation_that_makes_no_sense_keeps_the_container_from_starting() -> None:
    async with sandbox() as box:
        await box.run("sleep 1", metadata={"annotations": {"memkube.dev/behavior": '{"exit": 4}'}})
        assert (await box.container())["state"]["waiting"]["reason"] == "CreateContainerConfigError"


async def test_an_active_deadline_ends_the_pod() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600", activeDeadlineSeconds=60, terminationGracePeriodSeconds=5)
        await box.advance(60)
        assert await box.events("DeadlineExceeded") == ["Pod was active on the node longer than the specified deadline"]
        assert (await box.status())["phase"] == "Running"
        assert await box.condition("Ready") == ("False", "PodFailed", "")
        await box.advance(5)
        status = await box.status()
        assert (status["phase"], status["reason"]) == ("Failed", "DeadlineExceeded")
        assert await _states(box, "c0") == ["Error"]


@pytest.mark.parametrize("rule", [{"pullError": "no such image"}, {"exitCode": 1}])
async def test_a_container_that_waits_at_the_end_of_its_pod_has_an_unknown_end(rule: dict[str, Any]) -> None:
    async with sandbox() as box:
        await box.rule(**rule)
        await box.run("sleep 3600", activeDeadlineSeconds=5)
        await box.advance(5)
        lost = "The container could not be located when the pod was terminated"
        ended = {"exitCode": 137, "reason": "ContainerStatusUnknown", "message": lost}
        terminated = (await box.container())["state"]["terminated"]
        assert terminated == {**ended, "startedAt": None, "finishedAt": None}


async def test_containers_of_a_pod_that_was_never_initialized_still_wait_at_its_end() -> None:
    async with sandbox() as box:
        inits = [container("i0", "exit 1"), container("i1")]
        await box.run("sleep 3600", initContainers=inits, restartPolicy="Never")
        assert await _states(box, "i0", "i1", "c0") == ["Error", "PodInitializing", "PodInitializing"]


async def test_a_pod_runs_until_its_ephemeral_containers_have_ended() -> None:
    async with sandbox() as box:
        await box.run("sleep 5", restartPolicy="Never", terminationGracePeriodSeconds=3)
        pod = await box.pod()
        assert pod is not None
        spec = {**pod["spec"], "ephemeralContainers": [container("debugger", "sleep 60")]}
        await box.cluster.change("pods", "web", subresource="ephemeralcontainers", spec=spec)
        await box.advance(6)
        assert (await box.status())["phase"] == "Running"
        await box.advance(2)
        assert (await box.status())["phase"] == "Succeeded"


async def test_readiness_gates_hold_back_the_ready_condition() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", readinessGates=[{"conditionType": "example.com/open"}])
        message = 'corresponding condition of pod readiness gate "example.com/open" does not exist.'
        assert await box.condition("Ready") == ("False", "ReadinessGatesNotReady", message)
        status = await box.status()
        conditions = [*status["conditions"], {"type": "example.com/open", "status": "True"}]
        await box.cluster.change("pods", "web", subresource="status", status={**status, "conditions": conditions})
        assert await box.condition("Ready") == RUNNING


async def test_an_ephemeral_container_starts_when_it_is_added() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600")
        pod = await box.pod()
        assert pod is not None
        debugger = {**container("debugger", "echo hi; sleep 5"), "imagePullPolicy": "IfNotPresent"}
        spec = {**pod["spec"], "ephemeralContainers": [debugger]}
        await box.cluster.change("pods", "web", subresource="ephemeralcontainers", spec=spec)
        assert await _states(box, "debugger") == ["running"]
        assert (await box.container("debugger"))["resources"] == {}
        await box.advance(5)
        assert await _states(box, "debugger", "c0") == ["Completed", "running"]


async def test_ephemeral_containers_are_listed_by_name_and_have_no_resources() -> None:
    async with sandbox() as box:
        await box.run("sleep 60")
        pod = await box.pod()
        assert pod is not None
        spec = {**pod["spec"], "ephemeralContainers": [container(name, "sleep 60") for name in ("late", "early")]}
        await box.cluster.change("pods", "web", subresource="ephemeralcontainers", spec=spec)
        statuses = (await box.status())["ephemeralContainerStatuses"]
        assert [(status["name"], status["resources"]) for status in statuses] == [("early", {}), ("late", {})]


async def test_a_new_image_restarts_the_container() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600")
        await _change_image(box, "containers")
        await box.advance(30)
        status = await box.container()
        assert (status["image"], status["restartCount"]) == ("busybox:1.37", 1)
        assert await box.events("Killing") == ["Container c0 definition changed, will be restarted"]


async def _states(box: Any, *names: str) -> list[str]:
    return [_state((await box.container(name))["state"]) for name in names]


def _state(state: dict[str, Any]) -> str:
    """Return ``running`` for a running container, otherwise the reason of its state."""
    (kind, details), *_ = state.items()
    return str(details.get("reason", kind)) if kind != "running" else kind


async def test_a_container_that_runs_keeps_no_spec() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600")
        assert (await box.container())["ready"]
        gc.collect()
        kept = [each for each in gc.get_objects() if isinstance(each, Container)]
        assert [each.name for each in kept if any(isinstance(r, CellType) for r in gc.get_referrers(each))] == []


async def test_a_new_image_is_tried_at_once() -> None:
    async with sandbox() as box:
        await box.rule(image="broken", pullError="no such image")
        await box.create(containers=[{"name": "c0", "image": "broken"}])
        await box.advance(60)
        assert await _states(box, "c0") == ["ImagePullBackOff"]
        await _change_image(box, "containers", "nginx")
        assert await _states(box, "c0") == ["running"]


async def test_a_new_image_does_not_wait_for_the_back_off() -> None:
    async with sandbox() as box:
        await box.run("exit 1")
        assert await _states(box, "c0") == ["CrashLoopBackOff"]
        await _change_image(box, "containers")
        assert (await box.container())["restartCount"] == 2


@pytest.mark.parametrize(
    ("init", "events"),
    [
        (sidecar("s0", "sleep 3600"), ["Init container s0 definition changed"]),
        (container("i0", "sleep 3600"), []),
    ],
)
async def test_a_new_image_restarts_sidecars_but_not_init_containers(init: dict[str, Any], events: list[str]) -> None:
    async with sandbox() as box:
        await box.run("sleep 3600", initContainers=[init])
        await _change_image(box, "initContainers")
        assert await box.events("Killing") == events


async def _change_image(box: Any, field: str, image: str = "busybox:1.37") -> None:
    pod = await box.pod()
    changed = [{**one, "image": image} for one in pod["spec"][field]]
    await box.cluster.change("pods", "web", spec={**pod["spec"], field: changed})


async def test_a_pod_is_not_ready_between_two_runs_of_its_container() -> None:
    async with sandbox() as box:
        await box.run("sleep 5; exit 1")
        await box.advance(6)
        status = await box.status()
        [ready] = [condition for condition in status["conditions"] if condition["type"] == "Ready"]
        began = status["containerStatuses"][0]["state"]["running"]["startedAt"]
        assert (ready["status"], ready["lastTransitionTime"]) == ("True", began)


async def test_containers_restart_on_a_node_that_is_cut_off() -> None:
    async with sandbox() as box:
        await box.run("sleep 5; exit 1")
        box.nodes.partition("node-1")
        await box.advance(12)
        box.nodes.heal("node-1")
        await box.advance(0)
        assert (await box.container())["restartCount"] == 1
        assert await _states(box, "c0") == ["CrashLoopBackOff"]
