"""Ends requests with status 504 at their deadline. Watches and streams have no deadlines."""

import asyncio
from collections.abc import Generator
from time import monotonic
from typing import Any, Final

from starlette.types import ASGIApp

from memkube.endpoints.handlers.resource_request import Endpoint, ResourceRequest
from memkube.endpoints.responses.responses import AllottedTimePassed

_CLOCK_STEP: Final = 0.002
"""Number of seconds by which a timer of the event loop may fire too early."""


async def in_time(endpoint: Endpoint, request: ResourceRequest, deadline: float) -> ASGIApp:
    """Return the endpoint's response, or raise AllottedTimePassed if the deadline passes before the endpoint returns.

    `deadline` is a time of ``time.monotonic``. If the storage has begun a write before the deadline, the write is not
    undone.
    """
    try:
        if deadline <= monotonic():
            raise TimeoutError
        steps = endpoint(request).__await__()
        try:
            awaited = next(steps)
        except StopIteration as done:
            # Most endpoints return without waiting, so no timer is created for them.
            answer: ASGIApp = done.value
            return answer
        async with asyncio.timeout(deadline - monotonic()):
            return await _RemainingSteps(steps, awaited)
    except TimeoutError:
        if monotonic() < deadline - _CLOCK_STEP:
            raise
        raise AllottedTimePassed from None


class _RemainingSteps:
    """Awaitable that continues the coroutine of an endpoint after its first step, which `in_time` has already run."""

    __slots__ = ("_awaited", "_steps")

    def __init__(self, steps: Generator[Any, Any, ASGIApp], awaited: object) -> None:
        """Prepare to continue the coroutine of an endpoint, which the function `in_time` has begun.

        `in_time` runs the coroutine up to its first ``await`` that has to wait, without a timer. `steps` is the
        iterator over the coroutine, and `awaited` the object for which it waits.
        """
        self._steps = steps
        self._awaited = awaited

    def __await__(self) -> Generator[Any, Any, ASGIApp]:
        steps, awaited = self._steps, self._awaited
        while True:
            failure = None
            try:
                yield awaited
            except BaseException as error:
                # Even a cancellation of the task is caught: `throw` below raises it in the endpoint's coroutine.
                failure = error
            try:
                awaited = next(steps) if failure is None else steps.throw(failure)
            except StopIteration as done:
                answer: ASGIApp = done.value
                return answer
