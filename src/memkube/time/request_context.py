"""The context of the current request, for code that cannot access the request: its client, and the time per step."""

from contextvars import ContextVar
from time import monotonic
from typing import Final, Protocol


class Client(Protocol):
    """The sender of a request. Clients take turns in long computations on the event loop (time slices)."""

    @property
    def flow(self) -> object:
        """A key that identifies the client: it is equal for all requests of one client."""


class RequestContext:
    """The client of the current request, and the time spent in each step.

    Tasks and timers that a request has started may run after its end, and still refer to this object. After
    :meth:`end`, it therefore has no client, and records no more steps.
    """

    __slots__ = ("client", "mutating", "steps", "validating", "waited")

    def __init__(self, client: Client) -> None:
        self.client: Client | None = client
        self.steps: list[tuple[str, float]] = []
        """Completed steps, each with its end time by ``time.monotonic``."""
        self.waited = 0.0
        """Seconds that the request waited in the flow control queue."""
        self.mutating = 0.0
        """Total seconds spent in calls of mutating webhooks, which are called one after another."""
        self.validating = 0.0
        """Seconds of the slowest validating webhook. Validating webhooks are called concurrently."""

    @property
    def flow(self) -> object:
        """Key that identifies the client; None after the end of the request."""
        return None if self.client is None else self.client.flow

    @property
    def external_seconds(self) -> float:
        """Seconds spent in webhooks and in the queue, outside of the server's own work (LatencyTrackers)."""
        return self.waited + self.mutating + self.validating

    def end(self) -> None:
        """Mark the request as answered."""
        self.client = None
        self.steps = []

    def step(self, done: str) -> None:
        """Record that the step `done` of this request is complete."""
        if self.client is not None:
            self.steps.append((done, monotonic()))


def answered_by_webhook(seconds: float, *, mutating: bool) -> None:
    """Record the duration of a webhook call in the current request.

    Calls of mutating webhooks add up. Of validating webhooks, which are called in parallel, the longest call counts.
    """
    context = REQUEST_CONTEXT.get()
    if context is None:
        return
    if mutating:
        context.mutating += seconds
    else:
        context.validating = max(context.validating, seconds)


REQUEST_CONTEXT: Final[ContextVar[RequestContext | None]] = ContextVar("REQUEST_CONTEXT", default=None)
"""The API request that the current task handles, with its steps; None if the task handles no request."""


def step(done: str) -> None:
    """Record that the current request has completed a step, named `done`. Outside of a request, do nothing.

    Slow requests are logged with their steps.
    """
    context = REQUEST_CONTEXT.get()
    if context is not None and context.client is not None:
        context.steps.append((done, monotonic()))
