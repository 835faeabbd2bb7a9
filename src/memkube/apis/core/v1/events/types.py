from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, MicroTime, Time
from memkube.apis.core.v1.references import ObjectReference


class EventSeries(ApiModel):
    """Number of repetitions of an event, and the time of the last one."""

    count: Int32 = Field(default=0, description="Number of occurrences of the event so far.")
    lastObservedTime: Annotated[MicroTime | None, Always()] = Field(
        default=None, description="Time when the event last occurred."
    )


class EventSource(ApiModel):
    """The component that reported an event."""

    component: str = Field(default="", description="Name of the component that reported the event, such as kubelet.")
    host: str = Field(default="", description="Name of the node that the component runs on.")


class Event(ApiObject):
    """A report of something that happened to an object. The server deletes Events after a time."""

    metadata: Annotated[ObjectMeta, Required()] = Field(
        default_factory=ObjectMeta, description="Name, namespace and other metadata of the event itself."
    )
    involvedObject: Annotated[ObjectReference, Required()] = Field(
        default_factory=ObjectReference, description="Object that the event is about."
    )
    reason: str = Field(default="", description="Reason for the event, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable description of what happened.")
    source: EventSource = Field(
        default_factory=EventSource, description="Component that reported the event, and its node."
    )
    firstTimestamp: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when the event first occurred."
    )
    lastTimestamp: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when the event last occurred."
    )
    count: Int32 = Field(default=0, description="Number of occurrences of the event so far.")
    type: str = Field(default="", description="Severity of the event: Normal or Warning.")
    eventTime: Annotated[MicroTime | None, Always()] = Field(
        default=None, description="Time of the first occurrence, with microseconds."
    )
    series: EventSeries | None = Field(
        default=None, description="Count and last time of a recurring event; unset for a single occurrence."
    )
    action: str = Field(
        default="", description="Action that the reporting controller took or failed to take, as one CamelCase word."
    )
    related: ObjectReference | None = Field(default=None, description="Optional second object that the event is about.")
    reportingComponent: Annotated[str, Always()] = Field(
        default="", description="Name of the controller that reported the event."
    )
    reportingInstance: Annotated[str, Always()] = Field(
        default="", description="ID of the controller instance that reported the event."
    )
