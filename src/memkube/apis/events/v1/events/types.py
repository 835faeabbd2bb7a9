"""Reports on what happened to objects, in the newer form."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, MicroTime, Time
from memkube.apis.core.v1.events.types import EventSource
from memkube.apis.core.v1.references import ObjectReference


class EventSeries(ApiModel):
    """An event that occurs again and again."""

    count: Annotated[Int32, Required()] = Field(default=0, description="How often the event occurred so far.")
    lastObservedTime: Annotated[MicroTime | None, Required()] = Field(
        default=None, description="When the event occurred last."
    )


class Event(ApiObject):
    """A report on something that happened to an object."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Name and namespace of the event itself.")
    eventTime: Annotated[MicroTime | None, Required()] = Field(
        default=None, description="When the event was seen first."
    )
    series: EventSeries | None = Field(default=None, description="The series that the event belongs to, if it recurs.")
    reportingController: str = Field(default="", description="Name of the controller that reported the event.")
    reportingInstance: str = Field(default="", description="Instance of the controller that reported the event.")
    action: str = Field(default="", description="What was done or failed.")
    reason: str = Field(default="", description="Why it was done, in one CamelCase word.")
    regarding: ObjectReference = Field(default_factory=ObjectReference, description="Object that the event is about.")
    related: ObjectReference | None = Field(default=None, description="Second object that the event is about.")
    note: str = Field(default="", description="What happened, for people.")
    type: str = Field(default="", description="Normal or Warning.")
    deprecatedSource: EventSource = Field(
        default_factory=EventSource, description="Component that reported the event, in the older form."
    )
    deprecatedFirstTimestamp: Annotated[Time | None, Always()] = Field(
        default=None, description="When the event was seen first, in the older form."
    )
    deprecatedLastTimestamp: Annotated[Time | None, Always()] = Field(
        default=None, description="When the event was seen last, in the older form."
    )
    deprecatedCount: Int32 = Field(default=0, description="How often the event was seen, in the older form.")
