"""``/faults``: what goes wrong on request."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memkube.apimachinery.errors import (
    ApiError,
    Cause,
    Details,
    GroupResource,
    already_exists,
    not_found,
    too_many_requests,
)
from memkube.faults.active import ActiveFault, FaultExists, TooManyFaults
from memkube.faults.effects import CloseWatch, Effect
from memkube.faults.rules import FaultRule, Match, Occasions
from memkube.registry.registry import Registry

_FAULTS: Final = GroupResource("", "faults")
FaultName = Annotated[str, Path(max_length=253, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]


class _Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class FaultState(_Answer):
    """A fault, and what it has done so far."""

    name: str
    match: Match
    when: Occasions
    effect: Effect
    matched: int = Field(description="How many requests, watches, events or webhook calls it was about.")
    hits: int = Field(description="How many of those it has hit.")


class FaultList(_Answer):
    """All faults, in the order in which they came and are asked."""

    items: list[FaultState]


class ClosedWatches(_Answer):
    """Which watches to close, and how."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)
    match: Match = Match()
    effect: CloseWatch = CloseWatch()


class Closed(_Answer):
    """How many watches were closed."""

    watches: int


class Compacted(_Answer):
    """How far history is forgotten."""

    revision: int = Field(description="Watches from before this revision get a 410.")


def faults_router(registry: Registry) -> APIRouter:
    """Shows, adds and removes faults, and does at once what needs no request to wait for."""
    router = APIRouter(prefix="/faults", tags=["faults"])

    @router.get("", response_model_exclude_none=True)
    async def show_all() -> FaultList:
        """Lists the faults."""
        return FaultList(items=[fault_state(fault) for fault in registry.faults])

    @router.post("", status_code=201, response_model_exclude_none=True)
    async def add(rule: FaultRule) -> FaultState:
        """Adds a fault, for requests from now on and watches that are open."""
        return fault_state(add_fault(registry, rule))

    @router.delete("", status_code=204)
    async def clear() -> Response:
        """Removes all faults."""
        registry.faults.clear(registry.clock.now())
        return Response(status_code=204)

    @router.post("/compact-history")
    async def compact() -> Compacted:
        """Compacts all history now."""
        return Compacted(revision=await registry.forget_history())

    @router.post("/close-watches")
    async def close(closed: ClosedWatches) -> Closed:
        """Closes open watches now."""
        return Closed(watches=close_watches(registry, closed.effect, closed.match))

    @router.get("/{name}", response_model_exclude_none=True)
    async def show(name: FaultName) -> FaultState:
        """Shows a fault."""
        try:
            return fault_state(registry.faults.get(name))
        except KeyError:
            raise unknown_fault(name) from None

    @router.delete("/{name}", response_model_exclude_none=True)
    async def delete(name: FaultName) -> FaultState:
        """Removes a fault, which lets go of whom it holds up; shows what it has done."""
        return fault_state(remove_fault(registry, name))

    return router


def add_fault(registry: Registry, rule: FaultRule) -> ActiveFault:
    """Raises ApiError 409 for a name that is taken, 422 for what is no plural, 429 where there are too many."""
    check_plurals(registry, rule.match)
    try:
        return registry.faults.add(rule, registry.clock.now())
    except FaultExists:
        raise already_exists(_FAULTS, rule.name or "") from None
    except TooManyFaults as error:
        raise too_many_requests(str(error), 0) from None


def remove_fault(registry: Registry, name: str) -> ActiveFault:
    """Raises ApiError 404."""
    try:
        return registry.faults.remove(name, registry.clock.now())
    except KeyError:
        raise unknown_fault(name) from None


def close_watches(registry: Registry, effect: CloseWatch, match: Match) -> int:
    """Raises ApiError 422 for watches that would be closed later, and for what is no plural."""
    check_plurals(registry, match)
    if effect.after_events:
        raise ApiError(422, "Invalid", "watches that are closed now send no more events", Details())
    return registry.close_watches(effect, match.fits)


def check_plurals(registry: Registry, match: Match) -> None:
    """Raises ApiError 422 for what is another name of a resource: nothing would ever fit it.

    Plurals that are not served may be so later.
    """
    for name in match.resources:
        word = name.partition("/")[0].partition(".")[0]
        if any(resource.plural == word for resource in registry.catalog):
            continue
        meant = next((r for r in registry.catalog if word in (r.singular, r.kind.lower(), *r.short_names)), None)
        if meant is not None:
            why = f"resources go by their plurals here: {meant.plural}, not {word}"
            cause = Cause("FieldValueInvalid", why, "match.resources")
            raise ApiError(422, "Invalid", why, Details(causes=(cause,)))


def fault_state(fault: ActiveFault) -> FaultState:
    """What is told of a fault."""
    rule = fault.rule
    return FaultState(
        name=fault.name,
        match=rule.match,
        when=rule.when,
        effect=rule.effect,
        matched=fault.matched,
        hits=fault.hits,
    )


def unknown_fault(name: str) -> ApiError:
    """404: there is no such fault."""
    return not_found(_FAULTS, name)
