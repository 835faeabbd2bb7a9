"""What a server was asked, for tests to look at and to insist on."""

from collections.abc import Coroutine, Generator, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, overload

from memkube.telemetry.request_log import RequestLog
from memkube.telemetry.request_query import LoggedRequest, RequestQuery, Requests

if TYPE_CHECKING:
    from memkube.cluster.running import Running

T = TypeVar("T")
_ANY: Final = "*"


class _Asking:
    """Says which requests are meant: each method returns a narrower query, and leaves its own as it is."""

    def __init__(self, running: "Running", query: RequestQuery | None = None) -> None:
        self._running = running
        self._query = query or RequestQuery()

    def of(self, verb: str | Sequence[str] = _ANY, resource: str = _ANY) -> Self:
        """Those with a verb, as RBAC names it (or any of several), about a resource.

        That is a plural such as ``pods``, ``pods/status``, ``deployments.apps`` or ``pods*``, which is both.
        """
        verbs = (verb,) if isinstance(verb, str) else tuple(verb)
        return self._with(verbs=() if verbs == (_ANY,) else verbs, resource="" if resource == _ANY else resource)

    def by(self, client: str) -> Self:
        """Those of a client, which is its user agent up to the slash or as a whole, or of a user."""
        return self._with(client=client)

    def in_namespace(self, namespace: str) -> Self:
        """Those about a namespace's objects."""
        return self._with(namespace=namespace)

    def named(self, name: str) -> Self:
        """Those about an object of this name, also where a field selector names it."""
        return self._with(name=name)

    def with_status(self, *codes: int) -> Self:
        """Those that were answered with one of these HTTP statuses."""
        return self._with(codes=codes)

    def hit_by(self, fault: str = _ANY) -> Self:
        """Those that a fault of this name has hit."""
        return self._with(fault=fault)

    def since(self, when: int | datetime) -> Self:
        """Those that came after a revision was written, or at an instant of the server's clock or later."""
        return self._with(since=when) if isinstance(when, datetime) else self._with(since_revision=when)

    def after(self, number: int) -> Self:
        """Those that were answered after the one of this number, and those under way."""
        return self._with(after=number)

    def under_way(self) -> Self:
        """Those that have no answer yet, or whose answer goes on, such as open watches."""
        return self._with(in_flight=True)

    def with_controllers(self) -> Self:
        """Those of the server's own controllers as well, where they are recorded."""
        return self._with(controllers=True)

    def _with(self, **changed: Any) -> Self:
        return type(self)(self._running, replace(self._query, **changed))

    async def _found(self) -> list[LoggedRequest]:
        return self._requests.found(self._query)

    async def _counted(self) -> dict[str, dict[str, int]]:
        return self._requests.counted(self._query)

    async def _cleared(self) -> int:
        return self._requests.cleared(self._query)

    async def _recorded(self, controllers: bool) -> None:
        self._log.record_controllers(controllers)

    async def _complaint(self, times: int | None) -> str:
        """Empty where there are as many as there are to be: `times`, or any at all."""
        found = self._requests.found(self._query)
        if len(found) == times or (times is None and found):
            return ""
        expected = "requests" if times is None else f"{times} request{'' if times == 1 else 's'}"
        head = f"expected {expected} with {self._query}; there were {len(found) or 'none'}"
        lines = [str(request) for request in found] or self._requests.nearest(self._query)
        what = "those" if found else "the nearest"
        return "\n".join([f"{head}. {what}:" if lines else f"{head}, nor any others", *(f"  {line}" for line in lines)])

    @property
    def _log(self) -> RequestLog:
        log = self._running.server.registry.provided(RequestLog)
        assert log is not None
        return log

    @property
    def _requests(self) -> Requests:
        return Requests(self._log, self._running.server.registry.catalog)


class RequestsSeen(_Asking):
    """The requests that a server has answered or is answering, the last answers last, those under way behind them.

    ::

        assert len(kube.requests.of("patch", "pods/status").by("my-operator")) == 1
        kube.requests.of("list").by("my-operator").must_be(1)

    Every look at it is a new one. The log is bounded: `memkube.telemetry.request_log.RequestLogOptions`.
    """

    def __iter__(self) -> Iterator[LoggedRequest]:
        return iter(self._answer(self._found()))

    def __len__(self) -> int:
        return len(self._answer(self._found()))

    @overload
    def __getitem__(self, index: int) -> LoggedRequest: ...
    @overload
    def __getitem__(self, index: slice) -> list[LoggedRequest]: ...
    def __getitem__(self, index: int | slice) -> LoggedRequest | list[LoggedRequest]:
        """Raises IndexError."""
        return self._answer(self._found())[index]

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "no requests"

    def counts(self) -> dict[str, dict[str, int]]:
        """How many there were, by client and verb."""
        return self._answer(self._counted())

    def answered(self) -> int:
        """How many requests the server has answered so far: the number of the last one."""
        return self._log.ended

    def must_be(self, times: int) -> None:
        """Raises AssertionError, with the requests that come nearest, unless there were so many."""
        _insist(self._answer(self._complaint(times)))

    def must_be_any(self) -> None:
        """Raises AssertionError, with the requests that come nearest, where there was none."""
        _insist(self._answer(self._complaint(None)))

    def clear(self) -> int:
        """Forgets them, but for those under way; returns how many."""
        return self._answer(self._cleared())

    def record_controllers(self, wanted: bool = True) -> None:
        """Has requests of the server's own controllers recorded, too, from now on: see `with_controllers`."""
        self._answer(self._recorded(wanted))

    def _answer(self, work: Coroutine[Any, Any, T]) -> T:
        return self._running.answer(work)


def _insist(complaint: str) -> None:
    if complaint:
        raise AssertionError(complaint)


class AsyncRequestsSeen(_Asking):
    """See RequestsSeen; ``await kube.requests.of("patch", "pods")`` gives a list."""

    def __await__(self) -> Generator[Any, None, list[LoggedRequest]]:
        return self._running.awaited(self._found()).__await__()

    async def counts(self) -> dict[str, dict[str, int]]:
        """See RequestsSeen."""
        return await self._running.awaited(self._counted())

    def answered(self) -> int:
        """See RequestsSeen."""
        return self._log.ended

    async def must_be(self, times: int) -> None:
        """See RequestsSeen."""
        _insist(await self._running.awaited(self._complaint(times)))

    async def must_be_any(self) -> None:
        """See RequestsSeen."""
        _insist(await self._running.awaited(self._complaint(None)))

    async def clear(self) -> int:
        """See RequestsSeen."""
        return await self._running.awaited(self._cleared())

    async def record_controllers(self, wanted: bool = True) -> None:
        """See RequestsSeen."""
        await self._running.awaited(self._recorded(wanted))
