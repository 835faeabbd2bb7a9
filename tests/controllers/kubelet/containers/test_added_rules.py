"""Rules that are added while containers run."""

import pytest

from tests.controllers.kubelet.connections.client import logged
from tests.controllers.kubelet.sandbox import container, sandbox

pytestmark = pytest.mark.anyio


async def test_a_rule_ends_a_container_that_runs_as_a_server() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0")])
        await box.advance(100)
        await box.rule(container="c0", exitCode=3, exitAfterSeconds=5, exitTimes=1)
        await box.advance(5)
        ended = (await box.container())["lastState"]["terminated"]
        assert (ended["exitCode"], box.seconds(ended["finishedAt"])) == (3, 105)


async def test_a_rule_lets_a_server_write_to_its_log() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0")])
        await box.rule(log={"lines": ["hello"]})
        await box.advance(1)
        assert await logged(box) == "hello\n"


async def test_a_rule_for_other_containers_changes_nothing() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0")])
        await box.rule(container="c1", exitCode=3)
        await box.advance(5)
        assert (await box.container())["restartCount"] == 0


async def test_a_script_applies_a_rule_when_it_restarts() -> None:
    async with sandbox() as box:
        await box.run("sleep 10; exit 1")
        await box.rule(log={"lines": ["hello"]})
        await box.advance(9)
        assert await logged(box) == ""
        await box.advance(15)
        assert await logged(box) == "hello\n"


async def test_a_rule_ends_the_back_off_of_a_pull_at_the_next_attempt() -> None:
    async with sandbox() as box:
        await box.rule(pullError="no route")
        await box.create(containers=[container("c0")])
        await box.rule()
        await box.advance(60)
        assert (await box.container())["ready"]
