"""Injection of faults into a running server by a program. The effects are described in :mod:`memkube.faults`."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack

from pydantic import ValidationError

from memkube.cluster.bridge import Blocking, Calls, blocking, blocking_as, completed
from memkube.control.faults import add_fault, close_watches, remove_fault
from memkube.errors import UsageError, unknown_name
from memkube.faults.active import ActiveFault
from memkube.faults.effects import Effect
from memkube.faults.rules import FaultRule, Match, Occasions, Verb
from memkube.faults.shorthand import close_watch
from memkube.faults.usage import usage_error


class Which(TypedDict, total=False):
    """The requests that a fault matches: those that fit every field. ``*``, ``?`` and ``[...]`` are wildcards."""

    verb: Verb | Sequence[Verb]
    """Verbs as RBAC names them: ``get``, ``list``, ``watch``, ``create``, ``update``, ``patch``, ``delete``..."""
    group: str | Sequence[str]
    resource: str | Sequence[str]
    """Plurals, such as ``pods`` and ``pods/status``."""
    namespace: str | Sequence[str]
    name: str | Sequence[str]
    user: str | Sequence[str]
    user_agent: str | Sequence[str]
    path: str | Sequence[str]
    """Paths of requests without a resource, such as ``/version``."""
    controllers: bool
    """True if requests of the server's own controllers match, too."""


class WhichAndWhen(Which, total=False):
    """The requests to which a fault is applied: they match all given fields of `Which`.

    The fields of this class limit which of the matching requests the fault hits, and until when it is applied.
    """

    after: int
    """Number of matching requests that pass before the fault takes effect."""
    every: int
    """Apply the fault to every Nth matching request after those let through by `after`, beginning with the first."""
    first: int
    """Maximum number of requests to which the fault is applied."""
    probability: float
    """Probability, from 0 to 1, with which the fault is applied to a matching request."""
    seed: int
    """Seed of the random numbers for `probability`."""
    until: datetime
    """Time on the server's clock after which the fault is no longer applied."""


class AsyncFault:
    """An added fault; as an asynchronous context manager, it is removed at the end of the block.

    The counts can be read after the removal, too.
    """

    def __init__(self, calls: Calls, active: ActiveFault) -> None:
        self._calls = calls
        self._active = active

    @property
    def name(self) -> str:
        """Name of the fault, which is unique among the server's present faults."""
        return self._active.name

    @property
    def matched(self) -> int:
        """Number of requests, watches, events or webhook calls that have matched so far."""
        return self._active.matched

    @property
    def hits(self) -> int:
        """Number of matched requests, watches, events or webhook calls to which the fault was applied."""
        return self._active.hits

    async def remove(self) -> None:
        """Remove the fault and release the requests that it delays. Does nothing if the fault was already removed."""

        async def removed() -> None:
            remove_fault(self._calls.running.server.registry, self.name)

        if not self._active.is_removed:
            await self._calls.answer(removed())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.remove()


class Fault(Blocking[AsyncFault]):
    """An added fault; as a context manager, it is removed at the end of the block.

    The counts can be read after the removal, too.
    """

    remove = blocking(AsyncFault.remove)

    @property
    def name(self) -> str:
        """Name of the fault, which is unique among the server's present faults."""
        return self._implementation.name

    @property
    def matched(self) -> int:
        """Number of requests, watches, events or webhook calls that have matched so far."""
        return self._implementation.matched

    @property
    def hits(self) -> int:
        """Number of matched requests, watches, events or webhook calls to which the fault was applied."""
        return self._implementation.hits

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.remove()


class AsyncFaults:
    """Injects faults into the requests of a server, and lists and removes them."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def add(self, effect: Effect, *, called: str = "", **which: Unpack[WhichAndWhen]) -> AsyncFault:
        """Add a fault: from now on, apply `effect` to the requests that the keyword arguments `which` select.

        These arguments are the fields of `WhichAndWhen`. `called` is the name of the fault; by default, a name is
        generated. In a ``with Memkube() as kube`` block:

        ::

            with kube.faults.add(faults.drop(after_write=True), verb="create", resource="jobs", first=1) as fault:
                ...
            assert fault.hits == 1

        Raises UsageError for an unknown field or an invalid value. Raises Refused, with 409, if a fault with this name
        exists, and with 422, if a resource is not given as a plural.
        """
        rule = _rule(effect, called, which)

        async def added() -> ActiveFault:
            return add_fault(self._calls.running.server.registry, rule)

        return AsyncFault(self._calls, await self._calls.answer(added()))

    async def all(self) -> list[AsyncFault]:
        """Return the faults in the order in which they are evaluated."""

        async def known() -> list[ActiveFault]:
            return list(self._calls.running.server.registry.faults)

        return [AsyncFault(self._calls, active) for active in await self._calls.answer(known())]

    async def clear(self) -> None:
        """Remove all faults, and release the requests that they delay."""

        async def cleared() -> None:
            registry = self._calls.running.server.registry
            registry.faults.clear(registry.clock.now())

        await self._calls.answer(cleared())

    async def compact_history(self) -> int:
        """Compact all history and return the current revision. Watches from earlier revisions get 410 (Expired)."""

        async def compacted() -> int:
            return await self._calls.running.server.registry.forget_history()

        return await self._calls.answer(compacted())

    async def close_watches(self, *, expired: bool = False, dropped: bool = False, **which: Unpack[Which]) -> int:
        """Close the open watches that match the fields of `Which`, given as keyword arguments; return their number.

        With `expired`, they end with error 410; with `dropped`, the connection is cut; otherwise they end cleanly.
        """
        effect = close_watch(expired=expired, dropped=dropped)
        _check_names(which, (*Which.__annotations__, "expired", "dropped"))
        match = _match(which)

        async def closed() -> int:
            return close_watches(self._calls.running.server.registry, effect, match)

        return await self._calls.answer(closed())


class Faults(Blocking[AsyncFaults]):
    """Injects faults into the requests of a server, and lists and removes them."""

    add = blocking_as(Fault, AsyncFaults.add)
    clear = blocking(AsyncFaults.clear)
    compact_history = blocking(AsyncFaults.compact_history)
    close_watches = blocking(AsyncFaults.close_watches)

    def __iter__(self) -> Iterator[Fault]:
        """Iterate over the faults in the order in which they are evaluated."""
        return iter([Fault(fault) for fault in completed(self._implementation.all())])


def _check_names(which: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in which:
        if name not in known:
            raise UsageError(unknown_name("field", name, known))


def _rule(effect: Effect, called: str, which: Mapping[str, Any]) -> FaultRule:
    _check_names(which, (*Which.__annotations__, *WhichAndWhen.__annotations__, "called"))
    when = {key: value for key, value in which.items() if key in Occasions.model_fields}
    match = _match({key: value for key, value in which.items() if key not in when})
    try:
        occasions = Occasions.model_validate(when)
        return FaultRule(name=called or None, match=match, when=occasions, effect=effect)
    except ValidationError as error:
        raise usage_error(error, {"name": "called"}) from None


def _match(which: Mapping[str, Any]) -> Match:
    plurals = {key: key if key == "controllers" else f"{key}s" for key in which}
    try:
        return Match.model_validate({plurals[key]: _several(value) for key, value in which.items()})
    except ValidationError as error:
        raise usage_error(error, {plural: key for key, plural in plurals.items()}) from None


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value
