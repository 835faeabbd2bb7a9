"""How long a request may take that is no watch and no stream."""

import asyncio
from collections.abc import Generator
from time import monotonic
from typing import Any, Final

from starlette.types import ASGIApp

from memkube.apimachinery.errors import timeout
from memkube.endpoints.handlers.scope import Scope
from memkube.endpoints.routers.resource_routes import Handler

_CLOCK_STEP: Final = 0.002
"""How exact the event loop's clock is, at the least."""


async def in_time(handler: Handler, scope: Scope, deadline: float) -> ASGIApp:
    """Raises ApiError 504 where the handler has no answer by then; what it has written stays written."""
    try:
        if deadline <= monotonic():
            raise TimeoutError
        steps = handler(scope).__await__()
        try:
            awaited = next(steps)
        except StopIteration as done:
            # Most have their answer without waiting for anything, so that nobody has to watch the clock.
            answer: ASGIApp = done.value
            return answer
        async with asyncio.timeout(deadline - monotonic()):
            return await _Rest(steps, awaited)
    except TimeoutError:
        if monotonic() < deadline - _CLOCK_STEP:
            raise
        if scope.request.is_read:
            why = "request did not complete within requested timeout - context deadline exceeded"
        else:
            why = "request did not complete within the allotted timeout"
        raise timeout(why, 0) from None


class _Rest:
    """What is left of an awaitable whose first step has been taken."""

    __slots__ = ("_awaited", "_steps")

    def __init__(self, steps: Generator[Any, Any, ASGIApp], awaited: object) -> None:
        """`awaited` is what the first step has come to wait for."""
        self._steps = steps
        self._awaited = awaited

    def __await__(self) -> Generator[Any, Any, ASGIApp]:
        steps, awaited = self._steps, self._awaited
        while True:
            failure = None
            try:
                yield awaited
            except BaseException as error:  # a cancellation, too, is for the one who waits
                failure = error
            try:
                awaited = next(steps) if failure is None else steps.throw(failure)
            except StopIteration as done:
                answer: ASGIApp = done.value
                return answer
