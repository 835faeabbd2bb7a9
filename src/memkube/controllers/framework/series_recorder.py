"""Records Events of events.k8s.io/v1 about objects, with series for repeated events (client-go ``tools/events``)."""

import logging
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import orjson

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import MicroTime
from memkube.apis.core.v1.references import ObjectReference
from memkube.apis.events.v1.events.types import Event, EventSeries
from memkube.controllers.framework.event_correlation import Report
from memkube.controllers.framework.event_recorder import new_event_name
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.writes.patching import STRATEGIC_MERGE_PATCH, Patch

_HOST: Final = "memkube"
"""Host name of the control plane, which is a part of the name of the reporting instance."""
_PERIOD: Final = timedelta(minutes=6)
"""Time from the last occurrence of an event until it ends, and interval at which the recorder looks for ended ones."""
_REFRESH: Final = 5
"""Number of periods after which the recorder writes the counts of all series."""
_REMEMBERED: Final = 4096
_NEXT: Final = "next"
_LOGGER = logging.getLogger("memkube.controllers")


class _Revision(NamedTuple):
    """A revision of an object. Unlike an ObjectReference, it is hashable, and so can be part of a _Key."""

    kind: str
    namespace: str
    name: str
    uid: str
    api_version: str
    resource_version: str

    @classmethod
    def of(cls, stored: StoredObject) -> "_Revision":
        kind, api_version = stored.document["kind"], stored.document["apiVersion"]
        return cls(kind, stored.namespace, stored.name, stored.uid, api_version, stored.resource_version)

    def reference(self) -> ObjectReference:
        return ObjectReference(
            kind=self.kind,
            namespace=self.namespace,
            name=self.name,
            uid=self.uid,
            apiVersion=self.api_version,
            resourceVersion=self.resource_version,
        )


class _Key(NamedTuple):
    """Key of events: events with equal keys count as repetitions of one event, even if their messages differ."""

    component: str
    type: str
    reason: str
    action: str
    about: _Revision
    related: _Revision | None


class _Known:
    """An Event object that was written, and how often its event has occurred."""

    __slots__ = ("count", "first", "last", "message", "name")

    def __init__(self, name: str, message: str, first: datetime, count: int = 1, last: datetime | None = None) -> None:
        self.name = name
        self.message = message
        self.first = first
        self.count = count
        self.last = last or first
        """Time at which the event has occurred last."""


class SeriesRecorder:
    """Records events about objects in the group events.k8s.io. An Event whose write is refused is dropped.

    Events count as equal if they have the same component, type, reason and action, and are about the same revisions of
    the same objects. The first of equal events creates an Event, the second gives this Event a ``series``, and further
    ones are only counted. A series ends when six minutes have passed without another equal event. The count is written
    every half hour, and at the end of the series.
    """

    def __init__(self, runtime: Runtime, manager: str) -> None:
        self._runtime = runtime
        self._client = runtime.client_of(manager)
        self._work = runtime.queue(f"{manager} events", self._finish)
        self._start = runtime.clock.now()
        self._known: OrderedDict[_Key, _Known] = OrderedDict()
        for saved in runtime.keep(f"{manager} events", self._saved):
            self._start = instant(saved["start"])
            self._known = OrderedDict(_restored(known) for known in saved["known"])
            runtime.started.append(self._wait)

    async def record(
        self, component: str, about: StoredObject, report: Report, related: StoredObject | None = None
    ) -> None:
        """Record an event about the object `about`, reported by `component`.

        `report` has its type, reason, action and message. `related` is a second object that the event concerns.
        """
        now = self._runtime.clock.now()
        self._forget_ended(now)
        second = None if related is None else _Revision.of(related)
        key = _Key(component, report.type, report.reason, report.action, _Revision.of(about), second)
        known = self._known.get(key)
        if known is None:
            name = new_event_name(about.name, now, self._runtime.correlators.next_number())
            known = self._known[key] = _Known(name, report.message, now)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
            await self._write(key, known)
            return
        known.count, known.last = known.count + 1, now
        if known.count == 2:
            self._wait()
            await self._write(key, known)

    def _forget_ended(self, now: datetime) -> None:
        """Forget events that occurred only once, before the start of the previous period.

        `_wait` sets no timer for such events, so they are forgotten here, when another event is reported.
        """
        looked = now - (now - self._start) % _PERIOD
        while self._known:
            key, known = next(iter(self._known.items()))
            if known.count > 1 or known.first >= looked - _PERIOD:
                return
            del self._known[key]

    def _wait(self) -> None:
        """Call `_finish` at the end of the current period, if the Event of any known event has a series."""
        if any(known.count > 1 for known in self._known.values()):
            now = self._runtime.clock.now()
            self._work.add_after(_NEXT, (_PERIOD - (now - self._start) % _PERIOD).total_seconds())

    async def _finish(self, _: str) -> None:
        """Write the counts of ended series, and forget ended series and single events (``finishSeries``)."""
        now = self._runtime.clock.now()
        refreshes = (now - self._start) // _PERIOD % _REFRESH == 0
        for key, known in list(self._known.items()):
            is_ended = known.last < now - _PERIOD
            if known.count > 1 and (is_ended or refreshes):
                await self._write(key, known)
            if is_ended:
                del self._known[key]
        self._wait()

    async def _write(self, key: _Key, known: _Known) -> None:
        """Create an Event, or write its series. Writes nothing if the server does not serve Events, or refuses them."""
        resource = self._runtime.catalog.find("events.k8s.io", "v1", "events")
        if resource is None:
            return
        namespace = key.about.namespace or "default"
        try:
            if known.count == 1 or not await self._patch(resource, namespace, known):
                await self._client.create(resource, _event(key, known), namespace)
        except ApiError as error:
            _LOGGER.debug("event not recorded: %s", error)

    async def _patch(self, resource: Resource, namespace: str, known: _Known) -> bool:
        """Write the series of an Event. Returns False if the Event was deleted, otherwise True.

        Raises ApiError if the write is refused for another reason.
        """
        series = {"count": known.count, "lastObservedTime": MicroTime.at(known.last)}
        patch = Patch(STRATEGIC_MERGE_PATCH, orjson.dumps({"series": series}), "Ignore")
        try:
            await self._client.patch(resource, namespace, known.name, patch)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return False
        return True

    def _saved(self) -> Sequence[Document]:
        known = [[*key, k.name, k.message, k.first, k.count, k.last] for key, k in self._known.items()]
        return [{"start": self._start, "known": known}] if known else []


def _restored(saved: Sequence[Any]) -> tuple[_Key, _Known]:
    """Decode the saved state of an event: its key, and its Event with the count."""
    component, kind, reason, action, about, related, name, message, first, count, last = saved
    key = _Key(component, kind, reason, action, _Revision(*about), _Revision(*related) if related else None)
    return key, _Known(name, message, instant(first), count, instant(last))


def _event(key: _Key, known: _Known) -> Event:
    event = Event(
        eventTime=MicroTime.at(known.first),
        reportingController=key.component,
        reportingInstance=f"{key.component}-{_HOST}",
        action=key.action,
        reason=key.reason,
        regarding=key.about.reference(),
        related=key.related.reference() if key.related is not None else None,
        note=known.message,
        type=key.type,
    )
    if known.count > 1:
        event.series = EventSeries(count=known.count, lastObservedTime=MicroTime.at(known.last))
    event.metadata.name = known.name
    return event
