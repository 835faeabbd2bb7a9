import asyncio

import pytest

from memkube.registry.activity import Activity

pytestmark = pytest.mark.anyio


async def test_an_idle_server_is_at_rest() -> None:
    await Activity().at_rest()


async def test_rest_comes_when_all_work_is_done() -> None:
    activity = Activity()
    activity.begin()
    activity.begin()
    resting = asyncio.create_task(activity.at_rest())
    await asyncio.sleep(0.001)
    activity.end()
    await asyncio.sleep(0.001)
    assert not resting.done()
    activity.end()
    await resting


async def test_work_that_follows_from_work_keeps_a_server_from_rest() -> None:
    activity, done = Activity(), list[str]()
    woken = asyncio.get_running_loop().create_future()

    async def follow() -> None:
        await woken
        with activity:
            await asyncio.sleep(0.001)
            done.append("followed")

    following = asyncio.create_task(follow())
    await asyncio.sleep(0)
    with activity:
        woken.set_result(None)
    await activity.at_rest()
    assert done == ["followed"]
    await following


async def test_several_may_wait_for_rest() -> None:
    activity = Activity()
    with activity:
        waiting = [asyncio.create_task(activity.at_rest()) for _ in range(2)]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
