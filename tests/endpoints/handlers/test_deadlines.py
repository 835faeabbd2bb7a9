"""Handlers that exceed the deadline of their request."""

import asyncio
from time import monotonic
from typing import Any, cast

import pytest
from starlette.responses import Response
from starlette.types import ASGIApp

from memkube.apimachinery.errors import ApiError
from memkube.endpoints.handlers.deadlines import in_time
from memkube.endpoints.handlers.resource_request import ResourceRequest

pytestmark = pytest.mark.anyio
_NONE = cast("Any", None)
_ASKED = ResourceRequest({"type": "http", "path": "/", "headers": []}, _NONE, _NONE, _NONE)
_ANSWER = Response()


async def at_once(request: ResourceRequest) -> ASGIApp:
    return _ANSWER


async def in_three_steps(request: ResourceRequest) -> ASGIApp:
    await asyncio.sleep(0)
    await asyncio.gather(asyncio.sleep(0.001), asyncio.sleep(0))
    return _ANSWER


async def never(request: ResourceRequest) -> ASGIApp:
    await asyncio.get_running_loop().create_future()
    return _ANSWER


@pytest.mark.parametrize("handler", [at_once, in_three_steps])
async def test_an_answer_in_time_is_returned(handler: Any) -> None:
    assert await in_time(handler, _ASKED, monotonic() + 60) is _ANSWER


@pytest.mark.parametrize(("handler", "seconds"), [(never, 0.01), (at_once, -1.0)])
async def test_an_answer_that_is_late_is_none(handler: Any, seconds: float) -> None:
    with pytest.raises(ApiError) as failed:
        await in_time(handler, _ASKED, monotonic() + seconds)
    assert failed.value.code == 504


async def test_a_handler_that_waits_can_be_cancelled_and_cleans_up() -> None:
    cleaned: list[str] = []

    async def tidy(request: ResourceRequest) -> ASGIApp:
        try:
            return await never(request)
        finally:
            await asyncio.sleep(0)
            cleaned.append("up")

    task = asyncio.create_task(cast("Any", in_time(tidy, _ASKED, monotonic() + 60)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned == ["up"]
