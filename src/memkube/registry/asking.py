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

    __slots__ = ("client", "steps")

    def __init__(self, client: Client) -> None:
        self.client: Client | None = client
        self.steps: list[tuple[str, float]] = []
        """What was done for it, and when, by ``time.monotonic``."""

    @property
    def flow(self) -> object:
        """Whose request it is; nobody's, once it has ended."""
        return None if self.client is None else self.client.flow

    def end(self) -> None:
        """The request has been answered."""
        self.client = None
        self.steps = []

    def step(self, done: str) -> None:
        """Notes that something is done."""
        if self.client is not None:
            self.steps.append((done, monotonic()))


ASKING: Final[ContextVar[Asking | None]] = ContextVar("ASKING", default=None)
"""The request that this task answers, if it answers one for resources."""


def step(done: str) -> None:
    """Notes that something is done for the request; it is told of requests that take long."""
    asking = ASKING.get()
    if asking is not None and asking.client is not None:
        asking.steps.append((done, monotonic()))
