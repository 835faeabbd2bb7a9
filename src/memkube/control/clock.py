"""``/clock`` and ``/settle``: the time that a server lives by, and those outside who react to it."""

from datetime import datetime
from typing import Annotated, Final, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memkube.apimachinery.errors import ApiError, Details
from memkube.control.object_conditions import KNOWN, parse_condition
from memkube.control.refusals import not_possible
from memkube.control.server_parts import ServerParts
from memkube.control.settling import QUIET_SECONDS, Settling
from memkube.control.stepping import Goal, ObjectState, Patience, Quiet, step
from memkube.registry.named_stores import named_store
from memkube.registry.registry import Registry
from memkube.time.clock import Clock, ScaledClock, SteppedClock

LONGEST_STEP_SECONDS: Final = 366 * 24 * 3600


class ClockState(BaseModel):
    """What a clock shows, and how it goes."""

    mode: Literal["real", "stepped", "scaled"] = Field(description="Whether it runs by itself, and how fast.")
    speed: float = Field(description="Seconds of the server in a second on the wall; 0 for a stepped clock.")
    now: datetime = Field(description="The present instant, in UTC.")


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class UntilObject(_Asked):
    """A condition on an object, which need not exist."""

    resource: str = Field(description="By any name that kubectl knows.")
    name: str
    namespace: str = "default"
    condition: str = Field(description=f"As for kubectl: {KNOWN}.")

    def goal(self, registry: Registry) -> Goal:
        """Raises ApiError 404, and 422 for a condition that there is not."""
        try:
            holds = parse_condition(self.condition)
        except ValueError as error:
            raise ApiError(422, "Invalid", str(error), Details()) from None
        return ObjectState(named_store(registry, self.resource), self.namespace, self.name, holds)


class UntilQuiet(_Asked):
    """Nothing is written any more, but for leases, events and the status of nodes."""

    quiet_seconds: float = Field(gt=0, le=LONGEST_STEP_SECONDS, description="For so long, by the server's clock.")

    def goal(self, registry: Registry) -> Goal:
        """What the clock is moved on for."""
        return Quiet(registry, self.quiet_seconds)


class Settle(_Asked):
    """Which clients are waited for."""

    clients: list[str] = Field(default=[], description="What their user agents say up to the slash; all if empty.")
    silent_seconds: float = Field(
        default=QUIET_SECONDS, ge=0, le=60, description="How long they have to ask for nothing, on the wall."
    )
    timeout_seconds: float = Field(default=10, gt=0, le=300, description="How long they may take, on the wall.")

    def patience(self) -> Patience:
        """The same for whoever waits."""
        return Patience(tuple(self.clients), self.silent_seconds, self.timeout_seconds)


class Advance(Settle):
    """How far to move a stepped clock, and for what. Where clients are named, they settle at each instant."""

    seconds: Annotated[float, Field(ge=0, le=LONGEST_STEP_SECONDS, allow_inf_nan=False)]
    until: UntilObject | UntilQuiet | None = Field(default=None, description="It stops where that holds first.")


class Advanced(BaseModel):
    """Where a stepped clock has come to."""

    now: datetime = Field(description="The present instant, in UTC.")
    met: bool = Field(description="Whether what it was moved for holds; true where that is nothing.")


class Settled(BaseModel):
    """When clients had settled."""

    now: datetime = Field(description="The present instant, in UTC.")


def clock_router(parts: ServerParts) -> APIRouter:
    """Shows a clock, and moves it if it is a stepped one."""
    router = APIRouter(tags=["clock"])
    clock = parts.registry.clock

    @router.get("/clock")
    async def show() -> ClockState:
        """Tells the time."""
        if isinstance(clock, SteppedClock):
            return ClockState(mode="stepped", speed=0, now=clock.now())
        if isinstance(clock, ScaledClock):
            return ClockState(mode="scaled", speed=clock.factor, now=clock.now())
        return ClockState(mode="real", speed=1, now=clock.now())

    @router.post("/clock/advance")
    async def advance(asked: Advance) -> Advanced:
        """Moves the clock on, and answers when all that fell due has happened, in its order."""
        goal = asked.until.goal(parts.registry) if asked.until is not None else None
        stepped = await step(parts, stepped_clock(clock), asked.seconds, goal, asked.patience())
        return Advanced(now=stepped.now, met=stepped.met)

    @router.post("/settle")
    async def settle(asked: Settle) -> Settled:
        """Answers when the clients have no request in flight and their watches have been sent everything.

        And when nothing in the server works, and they have asked for nothing for a while. 504 says who is busy.
        """
        await Settling(parts, asked.clients, asked.silent_seconds).settle(asked.timeout_seconds)
        return Settled(now=clock.now())

    return router


def stepped_clock(clock: Clock) -> SteppedClock:
    """Raises ApiError 409 for a clock that runs by itself."""
    if not isinstance(clock, SteppedClock):
        raise not_possible("the clock runs by itself: memkube serve --clock stepped has one that can be moved")
    return clock
