"""The requests that a server has received, for inspection and assertions in tests."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Self, overload

from memkube.cluster.bridge import Blocking, Calls, blocking
from memkube.telemetry.request_log import RequestLog
from memkube.telemetry.request_query import LoggedRequest, RequestQuery, Requests

_ANY: Final = "*"


class RequestFilter:
    """Selects requests: each method returns a narrower selection and leaves the one it is called on unchanged."""

    def __init__(self, calls: Calls, query: RequestQuery | None = None) -> None:
        self._calls = calls
        self._query = query or RequestQuery()

    def of(self, verb: str | Sequence[str] = _ANY, resource: str = _ANY) -> Self:
        """Select requests by verb, as in RBAC rules, and by resource. If `verb` is a sequence, any of its verbs fits.

        The resource is a plural such as ``pods``, ``pods/status`` or ``deployments.apps``; ``pods*`` includes the
        subresources.
        """
        verbs = (verb,) if isinstance(verb, str) else tuple(verb)
        return self._with(verbs=() if verbs == (_ANY,) else verbs, resource="" if resource == _ANY else resource)

    def by(self, client: str) -> Self:
        """Select requests by client: by its whole user agent, its user agent up to the slash, or its user name."""
        return self._with(client=client)

    def in_namespace(self, namespace: str) -> Self:
        """Select requests for the objects of a namespace."""
        return self._with(namespace=namespace)

    def named(self, name: str) -> Self:
        """Select requests for an object of this name, including lists and watches whose field selector names it."""
        return self._with(name=name)

    def with_status(self, *codes: int) -> Self:
        """Select requests that were answered with one of the HTTP status codes `codes`, such as 409."""
        return self._with(codes=codes)

    def hit_by(self, fault: str = _ANY) -> Self:
        """Select requests that a fault of this name was applied to."""
        return self._with(fault=fault)

    def since(self, when: int | datetime) -> Self:
        """Select requests that arrived at or after a time of the server's clock, or after a revision was written.

        `when` is the time, or the revision as a number.
        """
        return self._with(since=when) if isinstance(when, datetime) else self._with(since_revision=when)

    def after(self, number: int) -> Self:
        """Select requests in progress, and requests that were answered after the request with this number."""
        return self._with(after=number)

    def under_way(self) -> Self:
        """Select requests whose response is not complete, such as open watches."""
        return self._with(in_flight=True)

    def denied(self) -> Self:
        """Select requests that were refused because the user lacks a right (RBAC)."""
        return self._with(denied=True)

    def with_controllers(self) -> Self:
        """Include requests of the server's own controllers, if they are recorded: see `record_controllers`."""
        return self._with(controllers=True)

    def answered(self) -> int:
        """Return the number of requests answered so far.

        `after` with this number selects the requests that are answered later.
        """
        return self._log.ended

    def _with(self, **changed: Any) -> Self:
        return type(self)(self._calls, replace(self._query, **changed))

    @property
    def _log(self) -> RequestLog:
        return self._calls.running.server.parts.request_log

    @property
    def _requests(self) -> Requests:
        return Requests(self._log, self._calls.running.server.registry.catalog)


class AsyncRequestsSeen(RequestFilter):
    """The requests that a server has received: answered ones in the order of their responses, then those in progress.

    ``await kube.requests.of("patch", "pods")`` returns a list. The log is bounded: see
    `memkube.telemetry.request_log.RequestLogOptions`.
    """

    def __await__(self) -> Generator[Any, None, list[LoggedRequest]]:
        return self.all().__await__()

    async def all(self) -> list[LoggedRequest]:
        """Return the requests that meet all conditions of the selection, answered ones before those in progress."""

        async def found() -> list[LoggedRequest]:
            return self._requests.found(self._query)

        return await self._calls.answer(found())

    async def counts(self) -> dict[str, dict[str, int]]:
        """Return the numbers of selected requests: a dictionary by client, whose values are dictionaries by verb."""

        async def counted() -> dict[str, dict[str, int]]:
            return self._requests.counted(self._query)

        return await self._calls.answer(counted())

    async def must_be(self, times: int) -> None:
        """Raise AssertionError unless exactly `times` requests are selected.

        The message lists the selected requests. If there are none, it lists the requests in the log that come closest:
        those that meet the largest number of the selection's conditions.
        """
        self._insist(await self._calls.answer(self._complaint(times)))

    async def must_be_any(self) -> None:
        """Raise AssertionError if no request is selected.

        The message lists the requests in the log that meet most conditions of the selection.
        """
        self._insist(await self._calls.answer(self._complaint(None)))

    async def clear(self) -> int:
        """Delete the selected requests from the log, except those in progress; return their number."""

        async def cleared() -> int:
            return self._requests.cleared(self._query)

        return await self._calls.answer(cleared())

    async def record_controllers(self, wanted: bool = True) -> None:
        """Record requests of the server's own controllers from now on, or stop recording them if `wanted` is False.

        The method `with_controllers` includes the recorded requests in a selection.
        """

        async def recorded() -> None:
            self._log.record_controllers(wanted)

        await self._calls.answer(recorded())

    async def _complaint(self, times: int | None) -> str:
        """Return an error message if the number of selected requests is not `times`; otherwise "".

        If `times` is None, any number except 0 is accepted.
        """
        found = self._requests.found(self._query)
        if len(found) == times or (times is None and found):
            return ""
        expected = "requests" if times is None else f"{times} request{'' if times == 1 else 's'}"
        head = f"expected {expected} with {self._query}; there were {len(found) or 'none'}"
        lines = [str(request) for request in found] or self._requests.nearest(self._query)
        what = "those" if found else "the nearest"
        return "\n".join([f"{head}. {what}:" if lines else f"{head}, nor any others", *(f"  {line}" for line in lines)])

    @staticmethod
    def _insist(complaint: str) -> None:
        if complaint:
            raise AssertionError(complaint)


class RequestsSeen(RequestFilter, Blocking[AsyncRequestsSeen]):
    """The requests that a server has received: answered ones in the order of their responses, then those in progress.

    ::

        assert len(kube.requests.of("patch", "pods/status").by("my-operator")) == 1
        kube.requests.of("list").by("my-operator").must_be(1)

    Each access reads the log again. The log is bounded: see `memkube.telemetry.request_log.RequestLogOptions`.
    """

    all = blocking(AsyncRequestsSeen.all)
    counts = blocking(AsyncRequestsSeen.counts)
    must_be = blocking(AsyncRequestsSeen.must_be)
    must_be_any = blocking(AsyncRequestsSeen.must_be_any)
    clear = blocking(AsyncRequestsSeen.clear)
    record_controllers = blocking(AsyncRequestsSeen.record_controllers)

    def __init__(self, calls: Calls, query: RequestQuery | None = None) -> None:
        RequestFilter.__init__(self, calls, query)
        Blocking.__init__(self, AsyncRequestsSeen(calls, query))

    def __iter__(self) -> Iterator[LoggedRequest]:
        return iter(self.all())

    def __len__(self) -> int:
        return len(self.all())

    @overload
    def __getitem__(self, index: int) -> LoggedRequest: ...
    @overload
    def __getitem__(self, index: slice) -> list[LoggedRequest]: ...
    def __getitem__(self, index: int | slice) -> LoggedRequest | list[LoggedRequest]:
        """Return the request at an index, or those of a slice. Raises IndexError if there is no such request."""
        return self.all()[index]

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "no requests"
