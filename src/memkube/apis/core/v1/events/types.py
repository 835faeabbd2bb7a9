"""Reports on what happened to objects."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, MicroTime, Time
from memkube.apis.core.v1.references import ObjectReference


class EventSeries(ApiModel):
    """An event that occurs again and again."""

    count: Int32 = Field(default=0, description="How often the event occurred so far.")
    lastObservedTime: Annotated[MicroTime | None, Always()] = Field(
        default=None, description="When the event occurred last."
    )


class EventSource(ApiModel):
    """Who reported an event."""

    component: str = Field(default="", description="Component that reported the event.")
    host: str = Field(default="", description="Node that the component runs on.")


class Event(ApiObject):
    """A report on something that happened to an object."""

    metadata: Annotated[ObjectMeta, Required()] = Field(
        default_factory=ObjectMeta, description="Name and namespace of the event itself."
    )
    involvedObject: Annotated[ObjectReference, Required()] = Field(
        default_factory=ObjectReference, description="Object that the event is about."
    )
    reason: str = Field(default="", description="Why it happened, in one CamelCase word.")
    message: str = Field(default="", description="What happened, for people.")
    source: EventSource = Field(default_factory=EventSource, description="Component that reported the event.")
    firstTimestamp: Annotated[Time | None, Always()] = Field(default=None, description="When the event was seen first.")
    lastTimestamp: Annotated[Time | None, Always()] = Field(default=None, description="When the event was seen last.")
    count: Int32 = Field(default=0, description="How often the event was seen.")
    type: str = Field(default="", description="Normal or Warning.")
    eventTime: Annotated[MicroTime | None, Always()] = Field(
        default=None, description="When the event was seen first, to the microsecond."
    )
    series: EventSeries | None = Field(default=None, description="The series that the event belongs to, if it recurs.")
    action: str = Field(default="", description="What was done or failed.")
    related: ObjectReference | None = Field(default=None, description="Second object that the event is about.")
    reportingComponent: Annotated[str, Always()] = Field(
        default="", description="Name of the controller that reported the event."
    )
    reportingInstance: Annotated[str, Always()] = Field(
        default="", description="Instance of the controller that reported the event."
    )
