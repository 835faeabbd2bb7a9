"""For whom a task works, for those who are far from the request: whose turn it is, and where time goes."""

from contextvars import ContextVar
from time import monotonic
from typing import Final, Protocol


class Client(Protocol):
    """Somebody who has asked for something."""

    @property
    def flow(self) -> object:
        """Who it is, as far as clients are told apart."""


class Asking:
    """A request that is worked on.

    Timers and tasks that it has left behind go on knowing this, and nothing of the request once it has ended.
    """

    __slots__ = ("client", "mutating", "steps", "validating", "waited")

    def __init__(self, client: Client) -> None:
        self.client: Client | None = client
        self.steps: list[tuple[str, float]] = []
        """What was done for it, and when, by ``time.monotonic``."""
        self.waited = 0.0
        """How many seconds it had no seat."""
        self.mutating = 0.0
        """How many seconds mutating webhooks took, one after the other."""
        self.validating = 0.0
        """How many the slowest validating webhook took: they are asked together."""

    @property
    def flow(self) -> object:
        """Whose request it is; nobody's, once it has ended."""
        return None if self.client is None else self.client.flow

    @property
    def spared(self) -> float:
        """The seconds that are not the server's own: others took them, or it was to wait (LatencyTrackers)."""
        return self.waited + self.mutating + self.validating

    def end(self) -> None:
        """The request has been answered."""
        self.client = None
        self.steps = []

    def step(self, done: str) -> None:
        """Notes that something is done."""
        if self.client is not None:
            self.steps.append((done, monotonic()))


def answered_by_webhook(seconds: float, *, mutating: bool) -> None:
    """Notes how long a webhook took for the request."""
    asking = ASKING.get()
    if asking is None:
        return
    if mutating:
        asking.mutating += seconds
    else:
        asking.validating = max(asking.validating, seconds)


ASKING: Final[ContextVar[Asking | None]] = ContextVar("ASKING", default=None)
"""The request that this task answers, if it answers one for resources."""


def step(done: str) -> None:
    """Notes that something is done for the request; it is told of requests that take long."""
    asking = ASKING.get()
    if asking is not None and asking.client is not None:
        asking.steps.append((done, monotonic()))
