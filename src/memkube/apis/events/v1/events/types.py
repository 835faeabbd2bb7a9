from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, MicroTime, Time
from memkube.apis.core.v1.events.types import EventSource
from memkube.apis.core.v1.references import ObjectReference


class EventSeries(ApiModel):
    """Number of repetitions of an event, and the time of the last one."""

    count: Annotated[Int32, Required()] = Field(default=0, description="Number of occurrences of the event so far.")
    lastObservedTime: Annotated[MicroTime | None, Required()] = Field(
        default=None, description="Time when the event last occurred."
    )


class Event(ApiObject):
    """A report of something that happened to an object. It is stored as a core/v1 Event."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Name and namespace of the event itself.")
    eventTime: Annotated[MicroTime | None, Required()] = Field(
        default=None, description="Time when the event first occurred."
    )
    series: EventSeries | None = Field(
        default=None,
        description="Number of occurrences and time of the last one, if the event has occurred repeatedly.",
    )
    reportingController: str = Field(default="", description="Name of the controller that reported the event.")
    reportingInstance: str = Field(
        default="", description="Name of the controller's instance that reported the event, such as its pod."
    )
    action: str = Field(
        default="", description="What the reporting controller did, or failed to do, about the object; such as Binding."
    )
    reason: str = Field(default="", description="Reason for the action, as one CamelCase word.")
    regarding: ObjectReference = Field(default_factory=ObjectReference, description="Object that the event is about.")
    related: ObjectReference | None = Field(
        default=None, description="Second object, if the action involves another object besides the one in `regarding`."
    )
    note: str = Field(default="", description="Human-readable description of what happened.")
    type: str = Field(default="", description="Severity of the event: Normal or Warning.")
    deprecatedSource: EventSource = Field(
        default_factory=EventSource,
        description="Deprecated; component and node that reported the event: the field source in core/v1.",
    )
    deprecatedFirstTimestamp: Annotated[Time | None, Always()] = Field(
        default=None, description="Deprecated; firstTimestamp of the event in core/v1."
    )
    deprecatedLastTimestamp: Annotated[Time | None, Always()] = Field(
        default=None, description="Deprecated; lastTimestamp of the event in core/v1."
    )
    deprecatedCount: Int32 = Field(default=0, description="Deprecated; count of the event in core/v1.")
