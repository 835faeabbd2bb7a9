"""Records Events about objects (client-go ``tools/record``)."""

import logging
from datetime import datetime

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.names import is_dns1123_subdomain
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.events.types import Event, EventSource
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.framework.event_correlation import Correlated, ObjectIdentity, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

__all__ = ["EventRecorder", "Report", "reference_to"]

_LOGGER = logging.getLogger("memkube.controllers")


class EventRecorder:
    """Records events about objects for one component. If the write of an Event object is refused, the event is dropped.

    A repeated event increments the count of the existing Event, similar events are combined, and the number of Events
    per object is limited.
    """

    def __init__(
        self, runtime: Runtime, component: str, host: str = "", manager: str = "kube-controller-manager"
    ) -> None:
        self._runtime = runtime
        self._client = runtime.client_of(manager)
        self._component = component
        self._host = host
        self._correlators = runtime.correlators
        self._correlator = runtime.correlators.of(component, host)

    async def record(self, about: "StoredObject | ObjectReference", report: Report) -> None:
        """Record an event about the object `about`: create an Event, or increment the count of an existing Event.

        `report` has its type, reason and message. An event that exceeds the rate limit, or whose write is refused, is
        dropped.
        """
        if isinstance(about, StoredObject):
            about = reference_to(about, report.field_path)
        elif report.field_path:
            about = about.model_copy(update={"fieldPath": report.field_path})
        resource = self._runtime.catalog.find("", "v1", "events")
        if resource is None:
            return
        now = self._runtime.now_at(self._host)
        identity = ObjectIdentity(about.kind, about.namespace, about.name, about.uid, about.apiVersion)
        correlated = self._correlator.correlate(identity, report, self._new_name(about.name), now)
        if self._correlator.is_crowded:
            await self._forget_gone()
        if correlated is None:
            return
        namespace = about.namespace or "default"
        try:
            if correlated.observation.count == 1 or not await self._count(resource, namespace, correlated):
                event = self._event(about, report, correlated)
                await self._client.create(resource, event, namespace)
        except ApiError as error:
            _LOGGER.debug("event not recorded: %s", error)

    async def _forget_gone(self) -> None:
        """Forget the Events about objects that no longer exist."""
        known = self._correlator.objects_of_least_recent_events()
        self._correlator.forget({identity for identity in known if not await self._exists(identity)})

    async def _exists(self, identity: ObjectIdentity) -> bool:
        """Return False if the object `identity`, which an event is about, no longer exists.

        The result is also False if the object of this name has another uid now. But the uid in `identity` is not
        compared if it is the object's name, because kubelets use the node's name as the uid in events about nodes.
        """
        resource = self._runtime.resource(identity.api_version, identity.kind)
        if resource is None:
            return True
        try:
            stored = await self._runtime.registry.store(resource).get(identity.namespace, identity.name)
        except ApiError as error:
            return error.reason != "NotFound"
        return identity.uid in ("", identity.name, stored.uid)

    async def _count(self, resource: Resource, namespace: str, correlated: Correlated) -> bool:
        """Write the increased count and the message of `correlated` into the existing Event that it names.

        Returns False if the Event has been deleted. Raises ApiError if the write is refused.
        """
        now = Time.at(self._runtime.now_at(self._host))

        def change(event: ApiObject) -> None:
            assert isinstance(event, Event)
            event.count = correlated.observation.count
            event.message = correlated.message
            event.lastTimestamp = now

        try:
            known = await self._client.get(resource, namespace, correlated.observation.name)
            await self._client.update(resource, known, change)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return False
        return True

    def _event(self, about: "ObjectReference", report: Report, correlated: Correlated) -> "Event":
        event = Event(
            involvedObject=about,
            reason=report.reason,
            message=correlated.message,
            type=report.type,
            source=EventSource(component=self._component, host=self._host),
            reportingComponent="" if correlated.is_combined else self._component,
            reportingInstance="" if correlated.is_combined else self._host,
            firstTimestamp=correlated.observation.first,
            lastTimestamp=Time.at(self._runtime.now_at(self._host)),
            count=correlated.observation.count,
        )
        event.metadata.name = correlated.observation.name
        return event

    def _new_name(self, about: str) -> str:
        """Return a name for a new Event: `about`, the name of its object, with a unique suffix.

        If that is not a valid name, return a UUID.
        """
        name = new_event_name(about, self._runtime.clock.now(), self._correlators.next_number())
        return self._runtime.registry.new_uid() if is_dns1123_subdomain(name) else name


def new_event_name(about: str, now: datetime, number: int) -> str:
    """Return the name of a new Event: the name `about` of its object, a dot, and the nanoseconds since 1970 in hex.

    The clock counts only microseconds, so the last three decimal digits of the nanoseconds are `number` (modulo 1000).
    It distinguishes Events that are created at the same time.
    """
    return f"{about}.{int(now.timestamp() * 1_000_000) * 1000 + number % 1000:x}"


def reference_to(stored: StoredObject, field_path: str = "") -> "ObjectReference":
    """Return the ObjectReference of an Event about an object.

    If `field_path` is not empty, the Event is about this field of the object, such as ``spec.containers{app}``.
    """
    return ObjectReference(
        kind=stored.document["kind"],
        apiVersion=stored.document["apiVersion"],
        namespace=stored.namespace,
        name=stored.name,
        uid=stored.uid,
        resourceVersion=stored.resource_version,
        fieldPath=field_path,
    )
