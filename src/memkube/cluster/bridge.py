"""Blocking classes made from the asynchronous ones, so that each method is written once.

The asynchronous classes of this package have the implementation: whenever one of their methods has to wait, it awaits a
method of `Calls`. A blocking class has a blocking method for each asynchronous method::

    class Nodes(Blocking[AsyncNodes]):
        fail = blocking(AsyncNodes.fail)

Each blocking object calls an asynchronous object whose `Calls` are `BlockingCalls`: their methods block the thread
instead of suspending the coroutine. So each coroutine runs from start to end without an event loop.
"""

from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from anyio import to_thread

from memkube.cluster.running import CALL_SECONDS, Running

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)
P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")


class Calls:
    """Runs calls to a server from an asyncio or trio event loop without blocking the loop."""

    def __init__(self, running: Running) -> None:
        self.running = running

    async def wait(self, function: Callable[[], T], *, abandon: bool = False) -> T:
        """Call a blocking function in another thread, and return its result.

        If the caller is cancelled, it still waits until the function returns, unless `abandon` is True.
        """
        return await to_thread.run_sync(function, abandon_on_cancel=abandon)

    async def answer(self, work: Coroutine[Any, Any, T], timeout: float = CALL_SECONDS) -> T:
        """Run the coroutine `work` in the server's event loop, and return its result.

        Raises Refused if the coroutine raises an ApiError, NotRunning if the server is not running, and CallTimeout if
        the coroutine has not returned after `timeout` seconds.
        """
        future = self.running.submit(work)
        try:
            return await self.wait(partial(self.running.result, future, timeout), abandon=True)
        finally:
            # If the caller is cancelled, anyio raises here, and the future's cancellation stops the work in the server.
            future.cancel()


class BlockingCalls(Calls):
    """Runs calls to a server by blocking the calling thread, so that coroutines that await them never suspend."""

    async def wait(self, function: Callable[[], T], *, abandon: bool = False) -> T:
        """Call a function that blocks, in the calling thread, and return its result. `abandon` has no effect."""
        return function()


class Blocking(Generic[A_co]):
    """Base of the blocking classes. `implementation` is an asynchronous object that uses `BlockingCalls`."""

    def __init__(self, implementation: A_co) -> None:
        self._implementation = implementation


def blocking(method: Callable[Concatenate[A, P], Coroutine[Any, Any, R]]) -> Callable[Concatenate[Blocking[A], P], R]:
    """Return a blocking method for an asynchronous method, with the same parameters and docstring."""

    @wraps(method)
    def call(self: Blocking[A], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return completed(method(self._implementation, *args, **kwargs))

    return call


def blocking_as(
    make: Callable[[R], S], method: Callable[Concatenate[A, P], Coroutine[Any, Any, R]]
) -> Callable[Concatenate[Blocking[A], P], S]:
    """Return a blocking method for an asynchronous method whose result is an object with asynchronous methods.

    The blocking method passes this object to `make`, which returns an object with blocking methods.
    """

    @wraps(method)
    def call(self: Blocking[A], /, *args: P.args, **kwargs: P.kwargs) -> S:
        return make(completed(method(self._implementation, *args, **kwargs)))

    return call


def completed(work: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that never suspends, and return its result."""
    try:
        work.send(None)
    except StopIteration as done:
        result: R = done.value
        return result
    work.close()
    raise RuntimeError("bug in memkube: a coroutine of the blocking API waited for an event loop, but none runs")
