"""Waiting until external clients have received all events of their watches and send no more requests.

The server knows exactly that no client has a request in flight, that all events of their watches were written to their
sockets, and that its controllers are idle. It cannot know if a client still computes. So a client must also send and
receive nothing for a quiet period of real time. That is a heuristic: a client that computes longer before its next
request, or waits for a timer of its own, counts as settled too early.
"""

import asyncio
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Final

from memkube.apimachinery.errors import ApiError, Details
from memkube.control.server_parts import ServerParts
from memkube.telemetry.request_log import RequestRecord
from memkube.telemetry.request_query import RequestQuery
from memkube.time.activity import Activity

QUIET_SECONDS: Final = 0.1
_LOOK_SECONDS: Final = 0.005
_TIMED_OUT: Final = 504
_STREAMS: Final = frozenset({"attach", "exec", "log", "portforward", "proxy"})
_Trace = tuple[int, tuple[tuple[float, int], ...]]


class Settling:
    """Waits until external clients have settled: they got all watch events, and send no more requests.

    If no client is named, waits for all clients. One instance can wait several times, after each step of the clock.
    """

    def __init__(self, parts: ServerParts, clients: Sequence[str] = (), quiet: float = QUIET_SECONDS) -> None:
        self._log = log = parts.request_log
        self._activity: Activity = parts.registry.clock.activity
        self._clients = [RequestQuery(client=client) for client in clients]
        self._quiet = quiet
        self._number = log.ended
        self._answered = 0
        self._settled: _Trace | None = None

    async def settle(self, seconds: float) -> None:
        """Wait until the clients have settled. Raises ApiError 504, which names the busy clients, after `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._settle()
        except TimeoutError:
            raise self._late(seconds) from None

    async def react(self, seconds: float) -> None:
        """Wait until the clients have settled, like `settle`, but return earlier if nothing has happened.

        If the clients have sent and received nothing since they last settled, this method does not wait for another
        quiet period. Raises ApiError 504 after `seconds` of real time.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._activity.at_rest()
                if self._settled is None or self.busy() or self._trace() != self._settled:
                    await self._settle()
        except TimeoutError:
            raise self._late(seconds) from None

    def busy(self) -> list[str]:
        """Return descriptions of the clients' requests and watches that are not finished."""
        return [what for record in self._in_flight() if (what := _unfinished(record))]

    async def _settle(self) -> None:
        before, since = None, 0.0
        while True:
            await self._activity.at_rest()
            trace, now = self._trace(), monotonic()
            if self.busy() or trace != before:
                before, since = trace, now
            elif now - since >= self._quiet:
                self._settled = trace
                return
            # Poll, because clients need time to react to events, and the server cannot observe when they have reacted.
            await asyncio.sleep(min(_LOOK_SECONDS, self._quiet))

    def _trace(self) -> _Trace:
        """Return a value that differs once the clients have sent or received anything since the last call."""
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
        busy = self.busy()
        if self._activity.count:
            busy.append("the server's own controllers are busy")
        why = "; ".join(busy) or "the clients keep sending requests or receiving events"
        return ApiError(_TIMED_OUT, "Timeout", f"not settled within {seconds:g} s: {why}", Details())


def _unfinished(record: RequestRecord) -> str:
    """Return why a client's request is not finished; empty for streams and for watches that have sent all events."""
    target = record.target
    what = "/".join(filter(None, (target.resource, record.name, target.subresource))) or record.path
    namespace_option = f" -n {target.namespace}" if target.namespace else ""
    whose = f"{record.verb} {what}{namespace_option} of {record.client}"
    if target.subresource in _STREAMS:
        return ""
    if record.watching is None:
        fault = f", hit by the fault {record.fault}" if record.fault else ""
        return f"{whose} has been in progress for {record.seconds:.1f} s{fault}"
    if unsent := record.unsent():
        return f"{whose} has {unsent} bytes that the client has not read"
    return "" if record.watching.is_waiting else f"{whose} is being sent events"
