"""``/faults``: adding, showing and removing faults."""

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
from memkube.apimachinery.strict_model import StrictModel
from memkube.faults.active import ActiveFault, FaultExists, TooManyFaults
from memkube.faults.effects import CloseWatch, Effect
from memkube.faults.names import NAME_PATTERN
from memkube.faults.rules import FaultRule, Match, Occasions
from memkube.registry.registry import Registry

_FAULTS: Final = GroupResource("", "faults")
FaultName = Annotated[str, Path(max_length=253, pattern=NAME_PATTERN)]


class _Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class FaultState(_Answer):
    """A fault, the number of requests that it matched, and the number of requests that it was applied to."""

    name: str
    match: Match
    when: Occasions
    effect: Effect
    matched: int = Field(
        description="Number of requests, watches, events or webhook calls that met the conditions in `match`."
    )
    hits: int = Field(
        description="Number of matched requests, watches, events or webhook calls to which the effect was applied."
    )


class FaultList(_Answer):
    """All faults, in the order in which they were added; requests are compared with them in this order."""

    items: list[FaultState]


class ClosedWatches(StrictModel):
    """Body of a request to close open watches: `match` selects the watches, `effect` says how they are closed."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    match: Match = Match()
    effect: CloseWatch = CloseWatch()


class Closed(_Answer):
    """The number of watches that were closed."""

    watches: int


class Compacted(_Answer):
    """The revision at which the history of objects was compacted."""

    revision: int = Field(description="Watches and lists of revisions before this one get 410.")


def faults_router(registry: Registry) -> APIRouter:
    """Return the routes that show, add and remove faults, close watches and compact history."""
    router = APIRouter(prefix="/faults", tags=["faults"])

    @router.get("", response_model_exclude_none=True)
    async def show_all() -> FaultList:
        """Lists the faults, each with the numbers of requests that it matched and was applied to."""
        return FaultList(items=[fault_state(fault) for fault in registry.faults])

    @router.post("", status_code=201, response_model_exclude_none=True)
    async def add(rule: FaultRule) -> FaultState:
        """Adds a fault, for requests from now on and for open watches."""
        return fault_state(add_fault(registry, rule))

    @router.delete("", status_code=204)
    async def clear() -> Response:
        """Removes all faults, and lets the requests that they delay continue."""
        registry.faults.clear(registry.clock.now())
        return Response(status_code=204)

    @router.post("/compact-history")
    async def compact() -> Compacted:
        """Compacts all history now, so that watches and lists of older revisions get 410."""
        return Compacted(revision=await registry.forget_history())

    @router.post("/close-watches")
    async def close(closed: ClosedWatches) -> Closed:
        """Closes the open watches that match, and returns their number."""
        return Closed(watches=close_watches(registry, closed.effect, closed.match))

    @router.get("/{name}", response_model_exclude_none=True)
    async def show(name: FaultName) -> FaultState:
        """Shows a fault, with the numbers of requests that it matched and was applied to."""
        try:
            return fault_state(registry.faults.get(name))
        except KeyError:
            raise unknown_fault(name) from None

    @router.delete("/{name}", response_model_exclude_none=True)
    async def delete(name: FaultName) -> FaultState:
        """Removes a fault, lets the requests that it delays continue, and returns the fault with its final counts."""
        return fault_state(remove_fault(registry, name))

    return router


def add_fault(registry: Registry, rule: FaultRule) -> ActiveFault:
    """Add the fault `rule` for requests from now on, and return it with its counters.

    Raises ApiError 409 if the name is in use, 422 if a resource is not given as a plural, and 429 if the server has the
    maximum number of faults.
    """
    check_plurals(registry, rule.match)
    try:
        return registry.faults.add(rule, registry.clock.now())
    except FaultExists:
        raise already_exists(_FAULTS, rule.name or "") from None
    except TooManyFaults as error:
        raise too_many_requests(str(error), 0) from None


def remove_fault(registry: Registry, name: str) -> ActiveFault:
    """Remove a fault. Raises ApiError 404 for an unknown name."""
    try:
        return registry.faults.remove(name, registry.clock.now())
    except KeyError:
        raise unknown_fault(name) from None


def close_watches(registry: Registry, effect: CloseWatch, match: Match) -> int:
    """Close the open watches whose requests match `match`, and return their number.

    `effect` says how they end. It must close them at once: raises ApiError 422 if it sets ``afterEvents``. Raises it
    also if `match` names a resource by its singular, its kind or a short name.
    """
    check_plurals(registry, match)
    if effect.after_events:
        raise ApiError(422, "Invalid", "afterEvents must not be set, because the watches are closed at once", Details())
    return registry.close_watches(effect, match.fits)


def check_plurals(registry: Registry, match: Match) -> None:
    """Raise ApiError 422 if a fault names a resource by its singular, its kind or a short name.

    Such a fault would match no request, because requests name plurals. An unknown plural is accepted, because a custom
    resource with this plural may be defined later.
    """
    for name in match.resources:
        word = name.partition("/")[0].partition(".")[0]
        if any(resource.plural == word for resource in registry.catalog):
            continue
        meant = next((r for r in registry.catalog if word in (r.singular, r.kind.lower(), *r.short_names)), None)
        if meant is not None:
            why = f"a fault names resources by their plurals: {meant.plural}, not {word}"
            cause = Cause("FieldValueInvalid", why, "match.resources")
            raise ApiError(422, "Invalid", why, Details(causes=(cause,)))


def fault_state(fault: ActiveFault) -> FaultState:
    """Return a fault as the control API shows it."""
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
    """Return the ApiError 404 for a fault that does not exist."""
    return not_found(_FAULTS, name)
