"""Waiting for clients outside: until they have been given everything, and have nothing more to ask.

What the server knows is exact: when a wait is over, none of the clients has a request in flight, their watches have
been written to their sockets, and nothing in the server works. What a client does with that is not to be seen from
here. So it has to ask for nothing, and be sent nothing, for a quiet period on the wall: a bound, which a client breaks
that thinks longer before its next request, or that waits for a time of its own.
"""

import asyncio
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Final

from memkube.apimachinery.errors import ApiError, Details
from memkube.control.server_parts import ServerParts
from memkube.telemetry.request_query import RequestQuery
from memkube.telemetry.request_record import RequestRecord
from memkube.time.activity import Activity

QUIET_SECONDS: Final = 0.1
_LOOK_SECONDS: Final = 0.005
_TIMED_OUT: Final = 504
_STREAMS: Final = frozenset({"attach", "exec", "log", "portforward", "proxy"})
_Trace = tuple[int, tuple[tuple[float, int], ...]]


class Settling:
    """Waits for clients, again and again. Without names, for all clients that there are."""

    def __init__(self, parts: ServerParts, clients: Sequence[str] = (), quiet: float = QUIET_SECONDS) -> None:
        self._log = log = parts.request_log
        self._activity: Activity = parts.registry.clock.activity
        self._clients = [RequestQuery(client=client) for client in clients]
        self._quiet = quiet
        self._number = log.ended
        self._answered = 0
        self._settled: _Trace | None = None
        self._busy: list[str] = []

    async def settle(self, seconds: float) -> None:
        """Returns when they have settled. Raises ApiError 504, which says who is busy with what, after that time."""
        try:
            async with asyncio.timeout(seconds):
                await self._settle()
        except TimeoutError:
            raise self._late(seconds) from None

    async def react(self, seconds: float) -> None:
        """The same; at once where nothing has come from them or gone to them since they settled last."""
        try:
            async with asyncio.timeout(seconds):
                self._busy = ["the server's own controllers are at work"]
                await self._activity.at_rest()
                if self._settled is None or self.busy() or self._trace() != self._settled:
                    await self._settle()
        except TimeoutError:
            raise self._late(seconds) from None

    def busy(self) -> list[str]:
        """What there is still to be done for whom."""
        return [what for record in self._in_flight() if (what := _unfinished(record))]

    async def _settle(self) -> None:
        before, since = None, 0.0
        while True:
            self._busy = ["the server's own controllers are at work"]
            await self._activity.at_rest()
            trace, self._busy, now = self._trace(), self.busy(), monotonic()
            if self._busy or trace != before:
                before, since = trace, now
            elif now - since >= self._quiet:
                self._settled = trace
                return
            # Whoever is outside has to have his turn, and there is nothing that would tell of it.
            await asyncio.sleep(min(_LOOK_SECONDS, self._quiet))

    def _trace(self) -> _Trace:
        """Differs from an earlier one where the clients have asked for anything meanwhile, or been sent anything."""
        self._answered += sum(map(self._is_meant, self._log.newer(self._number)))
        self._number = self._log.ended
        return self._answered, tuple((record.arrived, record.events) for record in self._in_flight())

    def _in_flight(self) -> Iterator[RequestRecord]:
        return filter(self._is_meant, self._log.in_flight())

    def _is_meant(self, record: RequestRecord) -> bool:
        if record.is_internal:
            return False
        return not self._clients or any(query.fits(record) for query in self._clients)

    def _late(self, seconds: float) -> ApiError:
        why = "; ".join(self._busy) or "there is always something new from the clients or for them"
        return ApiError(_TIMED_OUT, "Timeout", f"not settled within {seconds:g} s: {why}", Details())


def _unfinished(record: RequestRecord) -> str:
    """What is still to be done about a request; nothing about watches that are up to date, and streams."""
    target = record.target
    what = "/".join(filter(None, (target.resource, record.name, target.subresource))) or record.path
    place = f" -n {target.namespace}" if target.namespace else ""
    whose = f"{record.verb} {what}{place} of {record.client}"
    if target.subresource in _STREAMS:
        return ""
    if record.watching is None:
        fault = f", hit by the fault {record.fault}" if record.fault else ""
        return f"{whose} is under way for {record.seconds:.1f} s{fault}"
    if unsent := record.unsent():
        return f"{whose} has {unsent} bytes that the client does not read"
    return "" if record.watching.is_waiting else f"{whose} is being sent events"
