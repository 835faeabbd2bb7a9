import asyncio
from typing import Any

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apis.core.v1.pods.stream_options import PodLogOptions
from tests.controllers.kubelet.connections.client import connections, logged
from tests.controllers.kubelet.sandbox import container, sandbox

pytestmark = pytest.mark.anyio

COUNTER = "i=0; while true; do echo line $i; i=$((i+1)); sleep 10; done"


async def test_the_greeting_of_the_documentation_is_in_the_log() -> None:
    async with sandbox() as box:
        await box.run('echo "Hello, Kubernetes!" && sleep 3600')
        assert await logged(box) == "Hello, Kubernetes!\n"


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ({}, "012345"),
        ({"tailLines": 2}, "45"),
        ({"tailLines": 0}, ""),
        ({"sinceSeconds": 20}, "345"),
        ({"sinceSeconds": 20, "tailLines": 1}, "5"),
        ({"limitBytes": 14}, "01"),
        ({"stream": "Stderr"}, ""),
    ],
)
async def test_options_select_lines(options: dict[str, Any], lines: str) -> None:
    async with sandbox() as box:
        await box.run(COUNTER)
        await box.advance(50)
        assert await logged(box, **options) == "".join(f"line {number}\n" for number in lines)


async def test_lines_may_begin_with_their_time() -> None:
    async with sandbox() as box:
        await box.run("sleep 5; echo late; sleep 60")
        await box.advance(5)
        stamp, _, text = (await logged(box, timestamps=True)).partition(" ")
        assert (box.seconds(stamp), text) == (5, "late\n")


async def test_lines_since_a_time_are_shown() -> None:
    async with sandbox() as box:
        await box.run(COUNTER)
        await box.advance(25)
        stamp = (await logged(box, timestamps=True)).splitlines()[1].split()[0]
        assert await logged(box, sinceTime=stamp[:19] + "Z") == "line 1\nline 2\n"


async def test_the_previous_run_has_a_log_of_its_own() -> None:
    async with sandbox() as box:
        await box.rule(exitCode=1, exitTimes=1, exitAfterSeconds=5, log={"lines": ["run"], "everySeconds": 2})
        await box.run("ignored")
        await box.advance(5)
        assert (await logged(box, previous=True), await logged(box)) == ("run\n" * 3, "run\n")


async def test_the_last_run_is_shown_while_the_container_backs_off() -> None:
    async with sandbox() as box:
        await box.run("echo once; exit 1")
        assert (await box.container())["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        assert await logged(box) == "once\n"


async def test_a_followed_log_ends_with_its_container() -> None:
    async with sandbox() as box:
        await box.run("echo a; sleep 5; echo b", restartPolicy="Never")
        nodes, pod = await connections(box)
        pieces = await nodes.log(pod, "c0", PodLogOptions(follow=True))
        reading = asyncio.create_task(_joined(pieces))
        await box.advance(5)
        assert await reading == b"a\nb\n"


@pytest.mark.parametrize(
    ("rule", "options", "message"),
    [
        ({"pullSeconds": 60}, {}, 'container "c0" in pod "web" is waiting to start: ContainerCreating'),
        ({"pullError": "no"}, {}, 'container "c0" in pod "web" is waiting to start: image can\'t be pulled'),
        ({}, {"previous": True}, 'previous terminated container "c0" in pod "web" not found'),
    ],
)
async def test_a_log_that_is_not_there_is_refused(rule: dict[str, Any], options: dict[str, Any], message: str) -> None:
    async with sandbox() as box:
        await box.rule(**rule)
        await box.run("sleep 60")
        with pytest.raises(ApiError) as refused:
            await logged(box, **options)
        assert (refused.value.code, refused.value.message) == (400, message)


async def test_a_container_behind_init_containers_waits_for_them() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", initContainers=[container("i0", "echo init; sleep 60")])
        assert await logged(box, "i0") == "init\n"
        with pytest.raises(ApiError, match="is waiting to start: PodInitializing"):
            await logged(box)


async def test_a_failed_node_does_not_answer() -> None:
    async with sandbox() as box:
        await box.run("sleep 60")
        box.nodes.fail("node-1")
        with pytest.raises(ApiError, match="connection refused"):
            await logged(box)


async def _joined(pieces: Any) -> bytes:
    return b"".join([piece async for piece in pieces])


async def test_a_container_keeps_the_end_of_a_long_log() -> None:
    async with sandbox(container_log_bytes=1000, log_line_bytes=100) as box:
        await box.run("seq 1000; printf %0500d 7; echo; sleep 60")
        await box.advance(10)
        lines = (await logged(box)).splitlines()
        assert (len(lines[-1]), lines[-2], len(lines) < 20) == (500, "1000", True)


async def test_a_container_that_writes_without_end_takes_little_time_and_memory() -> None:
    async with sandbox(container_log_bytes=10_000) as box:
        await box.run("yes")
        await box.advance(60)
        assert len(await logged(box)) < 10_000
