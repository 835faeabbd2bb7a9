"""The request that the current task serves, for code without access to it: its client, and the time per step."""

from contextvars import ContextVar
from time import monotonic
from typing import Final, Protocol


class Client(Protocol):
    """The sender of a request."""

    @property
    def flow(self) -> object:
        """A key that is equal for all requests of one client."""


class RequestContext:
    """The client and the time spent per step of the current request.

    Tasks and timers that outlive the request keep this object; after :meth:`end` it refers to no request.
    """

    __slots__ = ("client", "mutating", "steps", "validating", "waited")

    def __init__(self, client: Client) -> None:
        self.client: Client | None = client
        self.steps: list[tuple[str, float]] = []
        """Completed steps, each with its time by ``time.monotonic``."""
        self.waited = 0.0
        """Number of seconds that the request waited for a seat."""
        self.mutating = 0.0
        """Number of seconds that mutating webhooks took, one after the other."""
        self.validating = 0.0
        """Number of seconds of the slowest validating webhook; those are called concurrently."""

    @property
    def flow(self) -> object:
        """The flow of the client; None once the request has ended."""
        return None if self.client is None else self.client.flow

    @property
    def external_seconds(self) -> float:
        """Number of seconds spent outside of the server's own work: in webhooks and in the queue (LatencyTrackers)."""
        return self.waited + self.mutating + self.validating

    def end(self) -> None:
        """Forget the request, which has been answered."""
        self.client = None
        self.steps = []

    def step(self, done: str) -> None:
        """Record that a step is complete."""
        if self.client is not None:
            self.steps.append((done, monotonic()))


def answered_by_webhook(seconds: float, *, mutating: bool) -> None:
    """Add the time that a webhook took to the current request."""
    context = REQUEST_CONTEXT.get()
    if context is None:
        return
    if mutating:
        context.mutating += seconds
    else:
        context.validating = max(context.validating, seconds)


REQUEST_CONTEXT: Final[ContextVar[RequestContext | None]] = ContextVar("REQUEST_CONTEXT", default=None)
"""The request for a resource that the current task serves; None in all other tasks."""


def step(done: str) -> None:
    """Record that a step of the current request is complete; slow requests are logged with their steps."""
    context = REQUEST_CONTEXT.get()
    if context is not None and context.client is not None:
        context.steps.append((done, monotonic()))
