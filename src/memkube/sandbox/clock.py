"""``/clock``: the time that a server lives by."""

from datetime import datetime
from typing import Annotated, Final, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from memkube.registry.clock import Clock, ScaledClock, SteppedClock
from memkube.sandbox.refusals import not_possible

LONGEST_STEP_SECONDS: Final = 366 * 24 * 3600


class ClockState(BaseModel):
    """What a clock shows, and how it goes."""

    mode: Literal["real", "stepped", "scaled"] = Field(description="Whether it runs by itself, and how fast.")
    speed: float = Field(description="Seconds of the server in a second on the wall; 0 for a stepped clock.")
    now: datetime = Field(description="The present instant, in UTC.")


class Advance(BaseModel):
    """How far to move a stepped clock."""

    model_config = ConfigDict(extra="forbid")

    seconds: Annotated[float, Field(ge=0, le=LONGEST_STEP_SECONDS, allow_inf_nan=False)]


class Advanced(BaseModel):
    """Where a stepped clock has come to."""

    now: datetime = Field(description="The present instant, in UTC.")


def clock_router(clock: Clock) -> APIRouter:
    """Shows a clock, and moves it if it is a stepped one."""
    router = APIRouter(prefix="/clock", tags=["clock"])

    @router.get("")
    async def show() -> ClockState:
        """Tells the time."""
        if isinstance(clock, SteppedClock):
            return ClockState(mode="stepped", speed=0, now=clock.now())
        if isinstance(clock, ScaledClock):
            return ClockState(mode="scaled", speed=clock.factor, now=clock.now())
        return ClockState(mode="real", speed=1, now=clock.now())

    @router.post("/advance")
    async def advance(step: Advance) -> Advanced:
        """Moves the clock on, and answers when all that fell due has happened, in its order."""
        if not isinstance(clock, SteppedClock):
            raise not_possible("the clock runs by itself: memkube serve --clock stepped has one that can be moved")
        await clock.advance(step.seconds)
        return Advanced(now=clock.now())

    return router
