"""Reports on objects as events (client-go ``tools/record``)."""

import logging
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.events.types import Event, EventSource
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.runtime import Runtime
from memkube.registry.clock import written_now
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject

_REMEMBERED: Final = 4096
_BURST: Final = 25.0
_SECONDS_PER_EVENT: Final = 300.0
_LOGGER = logging.getLogger("memkube.controllers")


class Report(NamedTuple):
    """What there is to say."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str
    field_path: str = ""
    """The part of the object that it is about, such as ``spec.containers{web}``."""


@dataclass(slots=True)
class _Allowance:
    """How many events about an object may still be written; it grows with time."""

    left: float
    counted: datetime


class EventRecorder:
    """Writes events in the name of a component, if events are served. What it cannot write is forgotten.

    A report that is repeated is counted by its first event, and reports on one object are limited to a few.
    """

    def __init__(self, runtime: Runtime, component: str, host: str = "") -> None:
        self._runtime = runtime
        self._component = component
        self._host = host
        self._events: OrderedDict[tuple[str, Report], StoredObject] = OrderedDict()
        self._allowances: OrderedDict[str, _Allowance] = OrderedDict()

    async def record(self, about: StoredObject | ObjectReference, report: Report) -> None:
        """Reports on an object."""
        if isinstance(about, StoredObject):
            about = reference_to(about)
        resource = self._runtime.catalog.find("", "v1", "events")
        if resource is None or not self._is_allowed(_identity(about)):
            return
        key = _identity(about), report
        try:
            known = self._events.get(key)
            written = None if known is None else await self._count(resource, known)
            self._events[key] = written or await self._create(resource, about, report)
            _forget_beyond(self._events)
        except ApiError as error:
            _LOGGER.debug("no event: %s", error)

    async def _count(self, resource: Resource, known: StoredObject) -> StoredObject | None:
        """The event with one more occurrence; None where it is gone."""
        now = written_now(self._runtime.clock)

        def change(event: ApiObject) -> None:
            assert isinstance(event, Event)
            event.count += 1
            event.lastTimestamp = now

        try:
            return await self._runtime.client.update(resource, known, change)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return None

    async def _create(self, resource: Resource, about: ObjectReference, report: Report) -> StoredObject:
        clock = self._runtime.clock
        now = written_now(clock)
        event = Event(
            involvedObject=about.model_copy(update={"fieldPath": report.field_path}),
            reason=report.reason,
            message=report.message,
            type=report.type,
            source=EventSource(component=self._component, host=self._host),
            reportingComponent=self._component,
            reportingInstance=self._host,
            firstTimestamp=now,
            lastTimestamp=now,
            count=1,
        )
        # Nanoseconds, which no clock here tells: a number keeps events of one instant apart.
        microseconds = int(clock.now().timestamp() * 1_000_000)
        event.metadata.name = f"{about.name}.{microseconds * 1000 + next(self._runtime.event_numbers) % 1000:x}"
        return await self._runtime.client.create(resource, event, about.namespace or "default")

    def _is_allowed(self, uid: str) -> bool:
        now = self._runtime.clock.now()
        allowance = self._allowances.setdefault(uid, _Allowance(_BURST, now))
        _forget_beyond(self._allowances)
        grown = (now - allowance.counted).total_seconds() / _SECONDS_PER_EVENT
        allowance.left, allowance.counted = min(allowance.left + grown, _BURST), now
        if allowance.left < 1:
            return False
        allowance.left -= 1
        return True


def reference_to(stored: StoredObject) -> ObjectReference:
    """Names one revision of an object."""
    return ObjectReference(
        kind=stored.document["kind"],
        apiVersion=stored.document["apiVersion"],
        namespace=stored.namespace,
        name=stored.name,
        uid=stored.uid,
        resourceVersion=stored.resource_version,
    )


def _identity(about: ObjectReference) -> str:
    return about.uid or f"{about.kind}/{about.namespace}/{about.name}"


def _forget_beyond(memory: OrderedDict[tuple[str, Report], StoredObject] | OrderedDict[str, _Allowance]) -> None:
    if len(memory) > _REMEMBERED:
        memory.popitem(last=False)
