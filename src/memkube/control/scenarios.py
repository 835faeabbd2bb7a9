"""``/scenarios``: playing scenarios on the running server, and showing their progress."""

import asyncio
import threading
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from memkube.apimachinery.errors import ApiError, Details, GroupResource, not_found
from memkube.apimachinery.strict_model import StrictModel
from memkube.control.refusals import not_possible
from memkube.control.scenario_runs import PlannedStep, ScenarioPlayer, ScenarioPlaying, ScenarioRun
from memkube.control.server_parts import ServerParts
from memkube.errors import UsageError
from memkube.time.clock import Clock, SteppedClock

_SCENARIOS: Final = GroupResource("", "scenarios")
_FASTEST: Final = 1e6
_STOP_SECONDS: Final = 30.0
_Number = Annotated[int, Path(ge=1)]


class NewScenario(StrictModel):
    """A scenario to play on the server."""

    scenario: dict[str, Any] = Field(
        description="Content of a scenario file. Manifests must be objects or text, because no files are read or "
        "written: paths and the action snapshot are refused."
    )
    speed: float | None = Field(
        default=None,
        gt=0,
        le=_FASTEST,
        description="Seconds of the server's clock per second of real time; by default as fast as possible.",
    )


class ScenarioStep(BaseModel):
    """A step of a scenario, and its progress."""

    text: str = Field(description="Description of the step; by default, its action.")
    action: str = Field(description="Name of the action, such as failNode.")
    details: dict[str, Any] = Field(description="The step's action with its value, as in the scenario file.")
    first: datetime | None = Field(
        description="Time at which the action is first performed; null if the scenario ends before that."
    )
    last: datetime | None = Field(
        description="Time at which the action is performed or undone for the last time in the scenario."
    )
    next: datetime | None = Field(
        description="Time at which the action is performed or undone next; null after the last time."
    )
    undoes: bool = Field(description="True if the action is undone, not performed, at the time `next`.")
    active: bool = Field(description="True if the action is in effect: it was performed, and will be undone later.")
    happened: int = Field(description="Number of times so far that the action was performed or undone.")
    total: int = Field(description="Number of times that the action is performed or undone in the whole scenario.")


class ScenarioSummary(BaseModel):
    """A scenario that is being played or was played on the server."""

    number: int = Field(description="Number of the scenario on this server, from 1.")
    name: str
    state: Literal["playing", "passed", "failed", "stopped"]
    start: datetime = Field(description="Time of the server's clock at the start of the scenario.")
    end: datetime = Field(description="Time of the server's clock at which the scenario ends.")
    now: datetime = Field(description="Present time of the server's clock, or its time when the scenario ended.")
    happened: int = Field(description="Number of times so far that steps performed or undid their actions.")
    total: int = Field(description="Number of times that steps perform or undo their actions in the whole scenario.")
    failures: list[str] = Field(description="A line for each check that failed, and for each step that was refused.")


class ScenarioResult(BaseModel):
    """Result of a played scenario: numbers of steps, Events, pods and changes."""

    steps: int = Field(description="Number of actions that were performed; a step that is repeated counts each time.")
    events: dict[str, int] = Field(description="Number of Events by reason, the most frequent first.")
    pods: dict[str, int] = Field(description="Number of pods by phase, at the end of the scenario.")
    changes: int = Field(description="Number of creations, updates and deletions of objects during the scenario.")
    digest: str = Field(
        description="SHA-256 of the event log, in hexadecimal. Runs with the same changes have the same digest."
    )


class ScenarioState(ScenarioSummary):
    """A scenario with its steps, and with its result once it is over."""

    ignored: list[str] = Field(
        description="Fields of the scenario that have no effect, because they are options for starting a server."
    )
    steps: list[ScenarioStep]
    result: ScenarioResult | None


class ScenarioList(BaseModel):
    """The scenarios of the server, the newest one first."""

    refusal: str = Field(description="Reason why the server cannot play scenarios; empty if it can.")
    items: list[ScenarioSummary]


def scenarios_router(parts: ServerParts) -> APIRouter:
    """Return the routes that play, show and stop scenarios on the server."""
    router = APIRouter(prefix="/scenarios", tags=["scenarios"])
    runs, clock = parts.scenarios, parts.registry.clock

    @router.get("")
    async def show_all() -> ScenarioList:
        """Lists the newest scenarios, the newest one first."""
        items = [ScenarioSummary.model_validate(_summary(run, clock)) for run in runs.newest_first()]
        return ScenarioList(refusal=_refusal(parts), items=items)

    @router.post("", status_code=201)
    async def begin(new: NewScenario) -> ScenarioState:
        """Begins to play a scenario, and answers at once. The scenario advances the server's clock.

        Answers 409 if the clock is not stepped or another scenario is being played, and 501 if the server was started
        by a program instead of a command such as memkube serve. A duration in the scenario counts from the present time
        of the clock, and a time of day means the next such time.
        """
        if refusal := _refusal(parts):
            raise ApiError(501, "NotImplemented", refusal, Details()) if runs.player is None else not_possible(refusal)
        assert runs.player is not None
        run = await _begun(parts, runs.player, new)
        return _state(run, clock)

    @router.get("/{number}")
    async def show(number: _Number) -> ScenarioState:
        """Shows a scenario with its steps."""
        return _state(_run(parts, number), clock)

    @router.post("/{number}/stop")
    async def stop(number: _Number) -> ScenarioState:
        """Stops a scenario, and answers once it is over. What its steps have done is not undone."""
        run = _run(parts, number)
        if run.state == "playing":
            run.stop()
            if not await asyncio.to_thread(run.wait, _STOP_SECONDS):
                raise ApiError(504, "Timeout", f"scenario {number} has not ended within {_STOP_SECONDS:g} s", Details())
        return _state(run, clock)

    return router


async def _begun(parts: ServerParts, player: ScenarioPlayer, new: NewScenario) -> ScenarioRun:
    """Begin to play the scenario `new` with `player` in a new thread. Return its run, which shows the progress.

    Raises ApiError 422 if the scenario is not valid, and 409 while another one is played.
    """
    try:
        prepared = await asyncio.to_thread(player.prepare, new.scenario, new.speed)
        run = parts.scenarios.begin(prepared.plan)
    except UsageError as error:
        raise ApiError(422, "Invalid", str(error), Details()) from None
    except ScenarioPlaying as error:
        raise not_possible(str(error)) from None
    threading.Thread(target=prepared.play, args=(run,), name=f"scenario-{run.number}", daemon=True).start()
    return run


def _refusal(parts: ServerParts) -> str:
    """Return why the server cannot play scenarios that clients send; empty if it can."""
    if parts.scenarios.player is None:
        return "this server plays no scenarios that are sent to it: start it with memkube serve, or use memkube.play"
    if not isinstance(parts.registry.clock, SteppedClock):
        return "a scenario advances the clock, so the clock must be stepped: start the server with --clock stepped"
    return ""


def _run(parts: ServerParts, number: int) -> ScenarioRun:
    try:
        return parts.scenarios.get(number)
    except KeyError:
        raise not_found(_SCENARIOS, str(number)) from None


def _summary(run: ScenarioRun, clock: Clock) -> dict[str, Any]:
    plan = run.plan
    return {
        "number": run.number,
        "name": plan.name,
        "state": run.state,
        "start": plan.start,
        "end": plan.end,
        "now": run.ended or clock.now(),
        "happened": sum(step.happened for step in plan.steps),
        "total": sum(len(step.occasions) for step in plan.steps),
        "failures": list(run.failures),
    }


def _state(run: ScenarioRun, clock: Clock) -> ScenarioState:
    found = run.result
    result = None
    if found is not None:
        events, pods = dict(found.events), dict(found.pods)
        result = ScenarioResult(steps=found.steps, events=events, pods=pods, changes=found.changes, digest=found.digest)
    steps = [_step(step) for step in run.plan.steps]
    return ScenarioState(**_summary(run, clock), ignored=list(run.plan.ignored), steps=steps, result=result)


def _step(step: PlannedStep) -> ScenarioStep:
    upcoming = step.next
    return ScenarioStep(
        text=step.text,
        action=step.action,
        details=dict(step.details),
        first=step.occasions[0].instant if step.occasions else None,
        last=step.occasions[-1].instant if step.occasions else None,
        next=upcoming.instant if upcoming else None,
        undoes=upcoming is not None and not upcoming.is_begin,
        active=step.is_active,
        happened=step.happened,
        total=len(step.occasions),
    )
