"""Informers that record events, and let tests wait for them."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import aiohttp
from kubernetes import informer

from tests.clients.workloads import Document

_SECONDS = 60


class Informed:
    """The events and errors of the official client's informer, in the order in which it reported them."""

    def __init__(self, shared: Any) -> None:
        self.told: list[tuple[str, str]] = []
        self.errors: list[Any] = []
        self._changed = threading.Condition()
        for kind in (informer.ADDED, informer.MODIFIED, informer.DELETED):
            shared.add_event_handler(kind, lambda found, kind=kind: self._tell(kind, found.metadata.name))
        shared.add_event_handler(informer.ERROR, self.errors.append)

    def await_told(self, kind: str, name: str) -> None:
        """Wait until the informer has reported this event."""
        with self._changed:
            told = self._changed.wait_for(lambda: (kind, name) in self.told, _SECONDS)
        assert told, f"{kind} {name} is not in {self.told}, {self.errors}"

    def _tell(self, kind: str, name: str) -> None:
        with self._changed:
            self.told.append((kind, name))
            self._changed.notify_all()


class AsyncInformer:
    """A copy of the ConfigMaps of a namespace, written by hand as the asynchronous client has no informer."""

    def __init__(self, edition: Any, core: Any) -> None:
        self._edition = edition
        self._core = core
        self.known: dict[str, Document] = {}
        self.lists = 0
        self._version = ""

    async def keep_up_until(self, holds: Callable[[dict[str, Document]], object]) -> None:
        """Watch until the copy meets a condition."""
        async with asyncio.timeout(_SECONDS):
            while not holds(self.known):
                try:
                    await self._follow(holds)
                except aiohttp.ClientPayloadError:
                    continue
                except self._edition.client.ApiException as error:
                    if error.status != 410:
                        raise
                    self._version = ""

    async def _follow(self, holds: Callable[[dict[str, Document]], object]) -> None:
        listing = self._core.list_namespaced_config_map
        if not self._version:
            listed = await listing("default")
            self.lists += 1
            self.known = {found.metadata.name: found.data for found in listed.items}
            self._version = listed.metadata.resource_version
            if holds(self.known):
                return
        async with self._edition.watch.Watch().stream(listing, "default", resource_version=self._version) as events:
            async for event in events:
                metadata = event["object"].metadata
                self._version = metadata.resource_version
                self.known[metadata.name] = event["object"].data
                if event["type"] == "DELETED":
                    del self.known[metadata.name]
                if holds(self.known):
                    return
