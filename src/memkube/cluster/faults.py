"""What goes wrong on request, for programs: see :mod:`memkube.faults` for the effects."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

if TYPE_CHECKING:
    from memkube.cluster.running import Running
    from memkube.faults.active import ActiveFault
    from memkube.faults.effects import CloseWatch, Effect
    from memkube.faults.rules import FaultRule, Match, Verb


class Which(TypedDict, total=False):
    """Which requests a fault is about: those that fit all that is said. ``*``, ``?`` and ``[...]`` stand for others."""

    verb: "Verb | Sequence[Verb]"
    """As RBAC names them: ``get``, ``list``, ``watch``, ``create``, ``update``, ``patch``, ``delete``..."""
    group: str | Sequence[str]
    resource: str | Sequence[str]
    """Plurals, such as ``pods`` and ``pods/status``."""
    namespace: str | Sequence[str]
    name: str | Sequence[str]
    user: str | Sequence[str]
    user_agent: str | Sequence[str]
    path: str | Sequence[str]
    """Addresses without a resource, such as ``/version``."""
    controllers: bool
    """Whether the requests of the server's own controllers count, too."""


class WhichAndWhen(Which, total=False):
    """Which requests a fault is about, and which of those it hits."""

    after: int
    """So many are let through at first."""
    every: int
    """Of the others each so manieth, the first one on."""
    first: int
    """So many at most are hit."""
    probability: float
    seed: int
    """Of the fault's own chance."""
    until: datetime
    """An instant of the server's clock."""


class _Added:
    """What a fault that was added has done, which can be asked as long as one likes."""

    def __init__(self, running: "Running", active: "ActiveFault") -> None:
        self._running = running
        self._active = active

    @property
    def name(self) -> str:
        """What it is called."""
        return self._active.name

    @property
    def matched(self) -> int:
        """How many requests (watches, events, webhook calls) it was about so far."""
        return self._active.matched

    @property
    def hits(self) -> int:
        """How many of those it has hit."""
        return self._active.hits


class Fault(_Added):
    """A fault that was added; as a context manager it is removed with the block.

    What it has done can be asked as long as one likes.
    """

    def remove(self) -> None:
        """Hits nothing any more, and lets go of what it holds up; harmless where it is gone already."""
        if not self._active.is_removed:
            self._running.answer(removed(self._running, self.name))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.remove()


class Faults:
    """What goes wrong on request."""

    def __init__(self, running: "Running") -> None:
        self._running = running

    def add(self, effect: "Effect", *, called: str = "", **which: Unpack[WhichAndWhen]) -> Fault:
        """From now on, does `effect` to the requests that fit; it gets a name where none is given.

        ::

            with kube.faults.add(faults.drop(after_write=True), verb="create", resource="jobs", first=1) as fault:
                ...
            assert fault.hits == 1

        Raises ValueError for what makes no sense; refused, with 409, where the name is taken, with 422 for a resource
        by another name than its plural.
        """
        rule = rule_of(effect, called, which)
        return Fault(self._running, self._running.answer(added(self._running, rule)))

    def __iter__(self) -> Iterator[Fault]:
        """Those that there are, in the order in which they are asked."""
        return iter([Fault(self._running, active) for active in self._running.answer(known(self._running))])

    def clear(self) -> None:
        """Removes all."""
        self._running.answer(cleared(self._running))

    def compact_history(self) -> int:
        """Forgets all history now: a watch from before the revision that is returned gets a 410."""
        return self._running.answer(compacted(self._running))

    def close_watches(self, *, expired: bool = False, dropped: bool = False, **which: Unpack[Which]) -> int:
        """Closes the open watches that fit now, as `memkube.faults.close_watch` would; returns how many."""
        return self._running.answer(closed(self._running, expired, dropped, which))


def rule_of(effect: "Effect", called: str, which: WhichAndWhen) -> "FaultRule":
    """Raises ValueError."""
    from memkube.faults.rules import FaultRule, Occasions  # noqa: PLC0415  with the first fault

    when = {key: value for key, value in which.items() if key in Occasions.model_fields}
    match = match_of({key: value for key, value in which.items() if key not in when})
    return FaultRule(name=called or None, match=match, when=Occasions.model_validate(when), effect=effect)


def match_of(which: dict[str, Any]) -> "Match":
    """Raises ValueError."""
    from memkube.faults.rules import Match  # noqa: PLC0415  with the first fault

    plurals = {key if key == "controllers" else f"{key}s": _several(value) for key, value in which.items()}
    return Match.model_validate(plurals)


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


async def added(running: "Running", rule: "FaultRule") -> "ActiveFault":
    """Raises ApiError 409."""
    from memkube.control.faults import add_fault  # noqa: PLC0415  with FastAPI

    return add_fault(running.server.registry, rule)


async def removed(running: "Running", name: str) -> None:
    """Raises ApiError 404."""
    from memkube.control.faults import remove_fault  # noqa: PLC0415  with FastAPI

    remove_fault(running.server.registry, name)


async def known(running: "Running") -> "list[ActiveFault]":
    """All faults."""
    return list(running.server.registry.faults)


async def cleared(running: "Running") -> None:
    """Removes all faults."""
    registry = running.server.registry
    registry.faults.clear(registry.clock.now())


async def compacted(running: "Running") -> int:
    """The revision that history begins behind."""
    return await running.server.registry.forget_history()


async def closed(running: "Running", expired: bool, dropped: bool, which: Which) -> int:
    """How many watches were closed."""
    from memkube.control.faults import close_watches  # noqa: PLC0415  with FastAPI
    from memkube.faults.shorthand import close_watch  # noqa: PLC0415  with the first fault

    effect: CloseWatch = close_watch(expired=expired, dropped=dropped)
    return close_watches(running.server.registry, effect, match_of(dict(which)))


class AsyncFault(_Added):
    """See Fault; as an asynchronous context manager it is removed with the block."""

    async def remove(self) -> None:
        """See Fault."""
        if not self._active.is_removed:
            await self._running.awaited(removed(self._running, self.name))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.remove()


class AsyncFaults:
    """See Faults."""

    def __init__(self, running: "Running") -> None:
        self._running = running

    async def add(self, effect: "Effect", *, called: str = "", **which: Unpack[WhichAndWhen]) -> AsyncFault:
        """See Faults; ``async with await kube.faults.add(...) as fault`` removes it with the block."""
        rule = rule_of(effect, called, which)
        return AsyncFault(self._running, await self._running.awaited(added(self._running, rule)))

    async def all(self) -> list[AsyncFault]:
        """Those that there are, in the order in which they are asked."""
        return [AsyncFault(self._running, active) for active in await self._running.awaited(known(self._running))]

    async def clear(self) -> None:
        """Removes all."""
        await self._running.awaited(cleared(self._running))

    async def compact_history(self) -> int:
        """See Faults."""
        return await self._running.awaited(compacted(self._running))

    async def close_watches(self, *, expired: bool = False, dropped: bool = False, **which: Unpack[Which]) -> int:
        """See Faults."""
        return await self._running.awaited(closed(self._running, expired, dropped, which))
