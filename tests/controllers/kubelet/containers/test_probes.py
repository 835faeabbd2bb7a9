from typing import Any

import pytest

from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox, sidecar

pytestmark = pytest.mark.anyio

HTTP = {"httpGet": {"path": "/", "port": 80}}


@pytest.mark.parametrize(
    ("fields", "ready_after"),
    [
        ({}, 0),
        ({"initialDelaySeconds": 5}, 5),
        ({"initialDelaySeconds": 5, "periodSeconds": 3, "successThreshold": 3}, 11),
        ({"periodSeconds": 4, "successThreshold": 2}, 4),
    ],
)
async def test_a_container_is_ready_once_its_probe_has_succeeded_often_enough(
    fields: dict[str, int], ready_after: int
) -> None:
    async with sandbox() as box:
        await _create(box, readinessProbe={**HTTP, **fields})
        assert await _first(box, "ready", within=20) == ready_after


@pytest.mark.parametrize(
    ("fields", "unready_after"),
    [({"periodSeconds": 2}, 14), ({"periodSeconds": 2, "failureThreshold": 1}, 10), ({"periodSeconds": 7}, 28)],
)
async def test_a_container_is_unready_once_its_probe_has_failed_often_enough(
    fields: dict[str, int], unready_after: int
) -> None:
    async with sandbox() as box:
        await box.rule(probes={"readiness": {"failsAfterSeconds": 10}})
        await _create(box, readinessProbe={**HTTP, **fields})
        assert await _first(box, "ready", within=40, value=False) == unready_after
        assert (await box.container())["restartCount"] == 0


@pytest.mark.parametrize(
    ("fields", "killed_after"),
    [
        ({"periodSeconds": 10}, 20),
        ({"periodSeconds": 5, "failureThreshold": 1}, 0),
        ({"initialDelaySeconds": 7, "periodSeconds": 2, "failureThreshold": 2}, 9),
    ],
)
async def test_a_container_is_restarted_once_its_liveness_probe_has_failed(
    fields: dict[str, int], killed_after: int
) -> None:
    async with sandbox() as box:
        await box.rule(probes={"liveness": {"failsAfterSeconds": 0}}, stopSeconds=0)
        await _create(box, livenessProbe={**HTTP, **fields})
        await box.advance(killed_after)
        assert (await box.events("Killing"))[:1] == ["Container c0 failed liveness probe, will be restarted"]
        assert (await box.container())["lastState"]["terminated"]["finishedAt"] is not None


async def test_a_startup_probe_holds_back_the_other_probes() -> None:
    async with sandbox() as box:
        await box.rule(probes={"startup": {"succeedsAfterSeconds": 25}, "liveness": {"failsAfterSeconds": 0}})
        startup = {**HTTP, "periodSeconds": 10, "failureThreshold": 30}
        liveness = {**HTTP, "failureThreshold": 1}
        await box.create(containers=[container("c0", "sleep 600", startupProbe=startup, livenessProbe=liveness)])
        assert await _first(box, "started", within=40) == 30
        assert len(await box.events("Killing")) == 1


async def test_a_container_that_has_not_started_is_not_ready_while_it_stops() -> None:
    async with sandbox() as box:
        await box.rule(probes={"startup": {"succeedsAfterSeconds": 100}})
        await box.create("slow", containers=[container("c0", "sleep 600", startupProbe=HTTP, readinessProbe=HTTP)])
        await box.cluster.delete("pods", "slow")
        await box.advance(5)
        status = await box.container(pod="slow")
        assert (status["started"], status["ready"]) == (False, False)


@pytest.mark.parametrize(
    ("policy", "own", "message"),
    [
        ("Never", {}, "Container c0 failed liveness probe"),
        ("Never", {"restartPolicy": "OnFailure"}, "Container c0 failed liveness probe, will be restarted"),
        ("Always", {"restartPolicy": "Never"}, "Container c0 failed liveness probe"),
    ],
)
async def test_the_event_tells_whether_a_failed_container_is_restarted(
    policy: str, own: dict[str, str], message: str
) -> None:
    async with sandbox() as box:
        await box.rule(probes={"liveness": {"failsAfterSeconds": 0}})
        probe = {**HTTP, "failureThreshold": 1}
        await box.create(containers=[container("c0", "sleep 600", livenessProbe=probe, **own)], restartPolicy=policy)
        assert (await box.events("Killing"))[:1] == [message]


async def test_the_event_about_a_failed_sidecar_calls_it_an_init_container() -> None:
    async with sandbox() as box:
        await box.rule(container="s0", probes={"liveness": {"failsAfterSeconds": 5}}, stopSeconds=0)
        probe = {**HTTP, "failureThreshold": 1, "periodSeconds": 5}
        await box.run("sleep 600", initContainers=[sidecar("s0", livenessProbe=probe)])
        await box.advance(5)
        assert await box.events("Killing") == ["Init container s0 failed liveness probe"]
        assert (await box.container("s0"))["restartCount"] == 1


async def test_a_container_that_ends_well_when_it_is_stopped_is_restarted_after_a_failed_probe() -> None:
    async with sandbox() as box:
        await box.rule(probes={"liveness": {"failsAfterSeconds": 5}}, stopSeconds=0)
        probe = {**HTTP, "failureThreshold": 1, "periodSeconds": 5}
        await box.create(containers=[container("c0", "sleep 600", livenessProbe=probe)], restartPolicy="OnFailure")
        await box.advance(5)
        status = await box.container()
        assert (status["restartCount"], status["lastState"]["terminated"]["exitCode"]) == (1, 0)


async def test_back_off_after_failed_probes_counts_from_the_run_before() -> None:
    """The kubelet stops and starts a container in one sync, in which it does not know the end of that run yet."""
    async with sandbox() as box:
        await box.rule(probes={"liveness": {"failsAfterSeconds": 15}}, stopSeconds=0)
        await _create(box, livenessProbe={**HTTP, "failureThreshold": 1, "periodSeconds": 15})
        for restarts in (1, 2, 3):
            await box.advance(15)
            assert (await box.container())["restartCount"] == restarts
        await box.advance(15)
        assert (await box.container())["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        await box.advance(20)
        assert (await box.container())["restartCount"] == 4


async def test_a_container_that_does_not_start_in_time_is_restarted() -> None:
    async with sandbox() as box:
        await box.rule(probes={"startup": {"succeedsAfterSeconds": 100}})
        await _create(box, startupProbe={**HTTP, "periodSeconds": 5, "failureThreshold": 3})
        await box.advance(10)
        assert await box.events("Killing") == ["Container c0 failed startup probe, will be restarted"]


@pytest.mark.parametrize(
    ("probe", "message"),
    [
        (HTTP, "Readiness probe failed: HTTP probe failed with statuscode: 503"),
        ({"grpc": {"port": 80}}, 'Readiness probe failed: service unhealthy (responded with "NOT_SERVING")'),
        ({"tcpSocket": {"port": 80}}, "Readiness probe failed: dial tcp 10.244.1.2:80: connect: connection refused"),
        ({"tcpSocket": {"port": "db"}}, "Readiness probe failed: dial tcp 10.244.1.2:5: connect: connection refused"),
    ],
)
async def test_a_failed_probe_is_told_in_an_event(probe: dict[str, Any], message: str) -> None:
    async with sandbox() as box:
        await box.rule(probes={"readiness": {"failsAfterSeconds": 0}})
        await _create(box, readinessProbe=probe, ports=[{"name": "db", "containerPort": 5}])
        assert await box.events("Unhealthy") == [message]


async def test_a_probe_can_look_at_the_files_of_the_container() -> None:
    """The pod is an example from the Kubernetes documentation of liveness probes."""
    async with sandbox() as box:
        script = "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"
        probe = {"exec": {"command": ["cat", "/tmp/healthy"]}, "initialDelaySeconds": 5, "periodSeconds": 5}
        await box.create(containers=[container("c0", script, livenessProbe=probe)])
        await box.advance(29)
        assert await box.events("Unhealthy") == []
        await box.advance(11)
        missing = "Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory\n"
        assert await box.events("Unhealthy") == [missing]
        await box.advance(30)
        assert (await box.container())["restartCount"] == 1


@pytest.mark.parametrize(
    ("seconds", "limit", "took"), [("2", 1, "1s"), ("infinity", 1, "1s"), ("infinity", 90, "1m30s")]
)
async def test_a_probe_that_takes_too_long_fails(seconds: str, limit: int, took: str) -> None:
    async with sandbox() as box:
        await _create(box, readinessProbe={"exec": {"command": ["sleep", seconds]}, "timeoutSeconds": limit})
        assert await box.events("Unhealthy") == [
            f'Readiness probe failed: command timed out: "sleep {seconds}" timed out after {took}'
        ]


async def test_the_output_of_a_probe_ends_with_its_errors() -> None:
    async with sandbox() as box:
        probe = {"exec": {"command": ["sh", "-c", "echo no >&2; echo yes; false"]}}
        await _create(box, readinessProbe=probe)
        assert await box.events("Unhealthy") == ["Readiness probe failed: yes\nno\n"]


async def test_the_command_of_a_probe_may_refer_to_variables_with_values() -> None:
    async with sandbox() as box:
        env = [{"name": "A", "value": "a"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]
        probe = {"exec": {"command": ["sh", "-c", "echo $(A) $(B). '$(C)'; false"]}}
        await _create(box, readinessProbe=probe, env=env)
        assert await box.events("Unhealthy") == ["Readiness probe failed: a . $(C)\n"]


async def test_a_new_rule_counts_for_the_probes_of_containers_that_run() -> None:
    async with sandbox() as box:
        await _create(box, readinessProbe={**HTTP, "periodSeconds": 1, "failureThreshold": 1})
        assert (await box.condition("Ready"))[0] == "True"
        await box.rule(probes={"readiness": {"failsAfterSeconds": 0}})
        await box.advance(1)
        assert (await box.condition("Ready"))[0] == "False"


async def _create(box: Sandbox, **fields: Any) -> None:
    await box.create(containers=[container("c0", **fields)])


async def _first(box: Sandbox, field: str, *, within: int, value: bool = True) -> int | None:
    """Return the second in which a field of the container's status changes to a value; None if it does not change."""
    await box.advance(0)
    for second in range(within):
        if (second or value) and (await box.container())[field] is value:
            return second
        await box.advance(1)
    return None


async def test_a_container_that_fails_two_probes_at_once_is_restarted_after_its_grace_period() -> None:
    async with sandbox() as box:
        probe = {"exec": {"command": ["cat", "/tmp/ready"]}, "periodSeconds": 5}
        probes = {"readinessProbe": probe, "livenessProbe": probe}
        app = container("c0", "sleep 1000", **probes)
        await box.create(containers=[app], terminationGracePeriodSeconds=3)
        await box.advance(14)
        assert await box.events("Killing") == ["Container c0 failed liveness probe, will be restarted"]
        assert (await box.container())["restartCount"] == 1


async def test_a_container_whose_startup_probe_has_failed_is_not_started_while_it_stops() -> None:
    async with sandbox() as box:
        probe = {"exec": {"command": ["cat", "/tmp/ready"]}, "periodSeconds": 5, "failureThreshold": 1}
        app = container("c0", "sleep 1000", startupProbe=probe)
        await box.create(containers=[app], terminationGracePeriodSeconds=10)
        await box.advance(2)
        status = await box.container()
        assert (status["started"], status["ready"]) == (False, False)


async def test_the_command_of_a_probe_refers_to_variables_of_its_container() -> None:
    async with sandbox() as box:
        settings = [{"name": "FILE", "value": "/tmp/ready"}]
        probe = {"exec": {"command": ["cat", "$(FILE)"]}}
        await _create(box, script="touch /tmp/ready; sleep 60", env=settings, readinessProbe=probe)
        await box.advance(11)
        assert (await box.container())["ready"] is True
