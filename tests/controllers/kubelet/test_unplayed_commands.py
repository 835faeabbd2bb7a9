"""Containers whose command is not simulated."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import running
from tests.controllers.job.jobs import conditions, job
from tests.controllers.kubelet.sandbox import Sandbox, sandbox

pytestmark = pytest.mark.anyio
PERL = {"name": "c0", "image": "perl:5", "command": ["perl", "-e", "1"]}


async def phase(box: Sandbox) -> str:
    found: str = (await box.status())["phase"]
    return found


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"command": ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]}, "perl is not simulated"),
        ({"command": ["sh", "-c", "until host db; do echo wait; sleep 2; done"]}, "host is not simulated"),
        ({"command": ["sh", "-c"], "args": ["trap : TERM; sleep infinity & wait"]}, "'&' is not simulated"),
        ({"args": ["sh", "-c", "sleep 5; telnet db"]}, "telnet is not simulated"),
        ({"args": ["ping", "db"]}, "ping is not simulated"),
    ],
)
async def test_a_container_that_is_not_played_says_so_once(fields: Document, why: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", "image": "busybox", **fields}])
        await box.advance(60)
        assert await box.events("CommandNotSimulated") == [f"{why}; container c0 keeps running as a server"]
        assert (await box.condition("Ready"))[0] == "True"


@pytest.mark.parametrize("fields", [{}, {"args": ["--port", "6380"]}, {"command": ["sleep", "60"]}])
async def test_of_images_nobody_expects_to_be_played_nothing_is_said(fields: Document) -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", "image": "redis", **fields}])
        await box.advance(1)
        assert await box.events("CommandNotSimulated") == []


@pytest.mark.parametrize("policy", ["Never", "OnFailure"])
async def test_a_container_that_is_expected_to_end_does_so_after_a_moment(policy: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[PERL], restartPolicy=policy)
        assert await phase(box) == "Running"
        await box.advance(2)
        ended = (await box.container())["state"]["terminated"]
        assert (await phase(box), ended["exitCode"], ended["reason"]) == ("Succeeded", 0, "Completed")
        message = "perl is not simulated; container c0 ends with exit code 0"
        assert await box.events("CommandNotSimulated") == [message]


@pytest.mark.parametrize(
    ("image", "policy", "reached"),
    [
        ("busybox", "Never", "Succeeded"),
        ("docker.io/library/alpine:3", "OnFailure", "Succeeded"),
        ("busybox", "Always", "Running"),
        ("nginx", "Never", "Running"),
    ],
)
async def test_a_shell_without_a_script_ends_at_once_unless_it_is_restarted(
    image: str, policy: str, reached: str
) -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", "image": image}], restartPolicy=policy)
        assert await phase(box) == reached
        assert await box.events("CommandNotSimulated") == []


async def test_the_simulated_part_of_a_script_runs_first() -> None:
    async with sandbox() as box:
        script = {"name": "c0", "image": "busybox", "command": ["sh", "-c", "sleep 5; perl -e 1"]}
        await box.create(containers=[script], restartPolicy="Never")
        await box.advance(5)
        assert await phase(box) == "Running"
        await box.advance(2)
        assert await phase(box) == "Succeeded"


@pytest.mark.parametrize("fields", [{}, {"command": ["migrate"]}])
async def test_init_containers_end_so_that_the_pod_starts(fields: Document) -> None:
    async with sandbox() as box:
        init = [{"name": "i0", "image": "migrate:1", **fields}]
        await box.create(initContainers=init, containers=[{"name": "c0", "image": "nginx"}])
        await box.advance(5)
        assert (await box.condition("Ready"))[0] == "True"
        assert (await box.events("CommandNotSimulated"))[0].endswith("; container i0 ends with exit code 0")


async def test_an_ephemeral_container_ends_because_it_is_never_restarted() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600")
        pod = await box.pod()
        assert pod is not None
        debugger = {"name": "debugger", "image": "netshoot", "command": ["tcpdump"], "imagePullPolicy": "IfNotPresent"}
        spec = {**pod["spec"], "ephemeralContainers": [debugger]}
        await box.cluster.change("pods", "web", subresource="ephemeralcontainers", spec=spec)
        await box.advance(2)
        assert (await box.container("debugger"))["state"]["terminated"]["exitCode"] == 0
        assert (await box.events("CommandNotSimulated"))[0].endswith("; container debugger ends with exit code 0")


async def test_a_sidecar_keeps_running() -> None:
    async with sandbox() as box:
        sidecar = {"name": "s0", "image": "proxy", "command": ["envoy"], "restartPolicy": "Always"}
        await box.create(initContainers=[sidecar], containers=[{"name": "c0", "image": "nginx"}], restartPolicy="Never")
        await box.advance(60)
        assert "running" in (await box.container("s0"))["state"]


async def test_a_container_without_a_command_keeps_running_whatever_the_restart_policy() -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", "image": "nginx"}], restartPolicy="Never")
        await box.advance(60)
        assert await phase(box) == "Running"


@pytest.mark.parametrize(("rule", "ends_as"), [({"exitCode": 1}, "Failed"), ({"log": {"lines": []}}, "Running")])
async def test_a_rule_decides_otherwise(rule: dict[str, Any], ends_as: str) -> None:
    async with sandbox() as box:
        await box.rule(**rule)
        await box.create(containers=[PERL], restartPolicy="Never")
        await box.advance(60)
        assert await phase(box) == ends_as
        assert await box.events("CommandNotSimulated") == []


async def test_a_job_completes() -> None:
    async with running("job-controller", "scheduler", "kubelet", "node-lifecycle-controller") as cluster:
        document = job()
        document["spec"]["template"]["spec"]["containers"] = [PERL]
        await cluster.create(document)
        await cluster.clock.advance(10)
        assert ("Complete", "CompletionsReached") in await conditions(cluster)
