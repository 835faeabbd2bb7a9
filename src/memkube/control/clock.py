"""``/clock`` and ``/settle``: showing and advancing the server's clock, and waiting for external clients."""

from datetime import datetime
from typing import Annotated, Final, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memkube.apimachinery.errors import ApiError, Details
from memkube.apimachinery.strict_model import StrictModel
from memkube.control.object_conditions import KNOWN, parse_condition
from memkube.control.refusals import not_possible
from memkube.control.server_parts import ServerParts
from memkube.control.settling import QUIET_SECONDS, Settling
from memkube.control.stepping import ObjectState, Quiet, SettleOptions, StopCondition, step
from memkube.registry.named_stores import named_store
from memkube.registry.registry import Registry
from memkube.time.clock import Clock, ScaledClock, SteppedClock

LONGEST_STEP_SECONDS: Final = 366 * 24 * 3600


class ClockState(BaseModel):
    """The time and the mode of the server's clock."""

    mode: Literal["real", "stepped", "scaled"] = Field(
        description="real and scaled clocks run by themselves; a stepped one is advanced by requests."
    )
    speed: float = Field(
        description="Seconds of this clock per second of real time; 0 for a stepped clock, which moves only on request."
    )
    now: datetime = Field(description="Present time of the server's clock, in UTC.")
    next: datetime | None = Field(
        default=None, description="Time of the next timer; only for a stepped clock that has one."
    )


class _Asked(StrictModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class UntilObject(_Asked):
    """Stops the clock when an object meets a condition. The object need not exist yet."""

    resource: str = Field(description="The resource, by any name that kubectl accepts.")
    name: str
    namespace: str = "default"
    condition: str = Field(description=f"Condition, as for kubectl wait --for: {KNOWN}.")

    def stop_condition(self, registry: Registry) -> StopCondition:
        """Return the stop condition for the clock.

        Raises ApiError 404 for an unknown resource, and 422 for an unknown condition.
        """
        try:
            holds = parse_condition(self.condition)
        except ValueError as error:
            raise ApiError(422, "Invalid", str(error), Details()) from None
        return ObjectState(named_store(registry, self.resource), self.namespace, self.name, holds)


class UntilQuiet(_Asked):
    """Stops the clock after a period without writes. Writes of Leases and Events and updates of Nodes do not count."""

    quiet_seconds: float = Field(
        gt=0,
        le=LONGEST_STEP_SECONDS,
        description="Seconds without writes, by the server's clock, after which the clock stops.",
    )

    def stop_condition(self, registry: Registry) -> StopCondition:
        """Return the stop condition for the clock."""
        return Quiet(registry, self.quiet_seconds)


class Settle(_Asked):
    """The clients that must be idle before the request is answered, and the maximum time to wait for them."""

    clients: list[str] = Field(
        default=[],
        description="Names of the clients to wait for: their user agents up to the slash. If empty, /settle waits for "
        "all clients, and the advance of a clock for none.",
    )
    silent_seconds: float = Field(
        default=QUIET_SECONDS,
        ge=0,
        le=60,
        description="Seconds of real time for which a client must have sent and received nothing to count as idle.",
    )
    timeout_seconds: float = Field(
        default=10, gt=0, le=300, description="Maximum number of seconds of real time to wait for the clients."
    )

    def settle_options(self) -> SettleOptions:
        """Return the clients to wait for before each step of the clock, and the maximum time to wait."""
        return SettleOptions(tuple(self.clients), self.silent_seconds, self.timeout_seconds)


class Advance(Settle):
    """Duration by which to advance the clock, the condition at which to stop, and clients to wait for at each step."""

    seconds: Annotated[float, Field(ge=0, le=LONGEST_STEP_SECONDS, allow_inf_nan=False)]
    until: UntilObject | UntilQuiet | None = Field(
        default=None,
        description="Condition at which the clock stops before `seconds` have passed: a state of an object, or a "
        "period without writes.",
    )


class Advanced(BaseModel):
    """The time to which the clock was advanced, and whether the condition `until` was met."""

    now: datetime = Field(description="Present time of the server's clock, in UTC.")
    met: bool = Field(description="True if the request's condition `until` is met, or if the request has none.")


class Settled(BaseModel):
    """The time at which the clients had settled: all their requests answered, and all watch events sent to them."""

    now: datetime = Field(description="Present time of the server's clock, in UTC.")


def clock_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show and advance the server's clock."""
    router = APIRouter(tags=["clock"])
    clock = parts.registry.clock

    @router.get("/clock")
    async def show() -> ClockState:
        """Shows the time and the mode of the clock."""
        if isinstance(clock, SteppedClock):
            return ClockState(mode="stepped", speed=0, now=clock.now(), next=clock.next_instant())
        if isinstance(clock, ScaledClock):
            return ClockState(mode="scaled", speed=clock.factor, now=clock.now())
        return ClockState(mode="real", speed=1, now=clock.now())

    @router.post("/clock/advance")
    async def advance(asked: Advance) -> Advanced:
        """Advances the clock, and answers once all timers that are due by the new time have run, in order."""
        until = asked.until.stop_condition(parts.registry) if asked.until is not None else None
        stepped = await step(parts, stepped_clock(clock), asked.seconds, until, asked.settle_options())
        return Advanced(now=stepped.now, met=stepped.met)

    @router.post("/clock/next")
    async def advance_to_next() -> Advanced:
        """Advances the clock to its next timer, and answers once all timers that are due then have run."""
        stepped = stepped_clock(clock)
        due = stepped.next_instant()
        if due is None:
            raise not_possible("the clock has no timer, so there is no time to which it could be advanced")
        await stepped.advance(max((due - stepped.now()).total_seconds(), 0))
        return Advanced(now=stepped.now(), met=True)

    @router.post("/settle")
    async def settle(asked: Settle) -> Settled:
        """Answers when the clients have no request in flight, and all events of their watches were sent.

        The server's controllers must also be idle, and the clients must have sent and received nothing for
        `silentSeconds`. Error 504 names the busy clients.
        """
        await Settling(parts, asked.clients, asked.silent_seconds).settle(asked.timeout_seconds)
        return Settled(now=clock.now())

    return router


def stepped_clock(clock: Clock) -> SteppedClock:
    """Return the clock if it is stepped, that is, moves only when it is advanced. Raises ApiError 409 if it is not."""
    if not isinstance(clock, SteppedClock):
        raise not_possible("the clock is not stepped, so it cannot be advanced: start the server with --clock stepped")
    return clock
