"""Watchers that continue from the last revision they saw when a watch ends, and list again only after a 410."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

import orjson

from proofs.clients import KIND, LABEL, Unexpected, items_of, key_of
from proofs.connection import Answer, Connection, ConnectionLost
from proofs.history import Change, Stretch, Watched

_GONE: Final = 410
_OK: Final = 200
_PAUSE: Final = 0.05
"""Seconds between two attempts to reach a server."""


class _Expired(Exception):
    pass


@dataclass(slots=True)
class Watcher:
    """A client that lists and watches."""

    connection: Connection
    namespace: str = ""
    """Namespace to watch; all namespaces if empty."""
    last: str = ""
    """Key of the object whose creation is the last event to wait for."""
    away: Callable[[], float] = lambda: _PAUSE
    """Returns the seconds to wait before the next watch after one has ended."""
    reached: int = 0
    """Revision up to which the watcher has seen all events."""
    ends: int = 0
    """Number of watches that ended before the last event."""
    _stretches: list[Stretch] = field(default_factory=list)

    async def run(self, *, begun: asyncio.Event) -> Watched:
        """Watch until the last event; return what was delivered.

        Raises Unexpected if a watch ends with an unexplained error.
        """
        reached, expired = (await self._listed())[0], False
        begun.set()
        while True:
            try:
                if await self._watch(reached, expired=expired):
                    return self._watched()
                reached, expired = self._stretches[-1].until, False
            except _Expired:
                reached, over = await self._listed()
                if over:
                    self._stretches.append(Stretch(reached, [], reached, expired=True))
                    return self._watched()
                expired = True
            self.ends += 1
            await asyncio.sleep(self.away())

    def _watched(self) -> Watched:
        self.connection.close()
        return Watched(f"{self.namespace}/" if self.namespace else "", self._stretches)

    async def _listed(self) -> tuple[int, bool]:
        """Return the revision of a list, and whether the last object is in it."""
        while True:
            try:
                answer = await self.connection.ask("GET", self._path)
            except ConnectionLost:
                answer = Answer()
            if answer.status == _OK:
                found = answer.json()
                return int(found["metadata"]["resourceVersion"]), self.last in map(key_of, items_of(answer))
            await asyncio.sleep(_PAUSE)

    async def _watch(self, after: int, *, expired: bool) -> bool:
        """Return True if the last event came before the watch ended. Raises _Expired if the watch ended with 410."""
        changes: list[Change] = []
        until = after
        path = f"{self._path}&watch=true&allowWatchBookmarks=true&resourceVersion={after}"
        try:
            async with aclosing(self.connection.lines(path)) as lines:
                async for status, line in lines:
                    if status == _GONE:
                        raise _Expired
                    if status != _OK:
                        break
                    event = orjson.loads(line)
                    if event["type"] == "ERROR":
                        raise _ended_by(event["object"]["code"])
                    until = self.reached = int(event["object"]["metadata"]["resourceVersion"])
                    if event["type"] == "BOOKMARK":
                        self._stretches.append(Stretch(after, changes, until, expired))
                        after, changes, expired = until, [], False
                        continue
                    changes.append(_change(event, until))
                    if changes[-1].key == self.last:
                        return True
        except ConnectionLost:
            pass
        finally:
            self.connection.close()
            self._stretches.append(Stretch(after, changes, until, expired))
        return False

    @property
    def _path(self) -> str:
        within = f"namespaces/{self.namespace}/" if self.namespace else ""
        return f"/api/v1/{within}{KIND}?labelSelector={LABEL}"


def _ended_by(code: int) -> Exception:
    return _Expired() if code == _GONE else Unexpected(f"a watch ended with {code}")


def _change(event: dict[str, object], revision: int) -> Change:
    kept = event["object"]
    assert isinstance(kept, dict)
    type_ = event["type"]
    assert type_ in ("ADDED", "MODIFIED", "DELETED")
    return Change(revision, type_, key_of(kept), kept["metadata"]["uid"], kept["data"])
