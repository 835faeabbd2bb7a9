"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, MicroTime, Time
from memkube.apis.core.v1.references import ObjectReference


class EventSeries(ApiModel):
    """."""

    count: Int32 = Field(default=0, description="")
    lastObservedTime: MicroTime | None = Field(default=None, description="")


class EventSource(ApiModel):
    """."""

    component: str = Field(default="", description="")
    host: str = Field(default="", description="")


class Event(TypeMeta):
    """."""

    metadata: Annotated[ObjectMeta, Required()] = Field(default_factory=ObjectMeta, description="")
    involvedObject: Annotated[ObjectReference, Required()] = Field(default_factory=ObjectReference, description="")
    reason: str = Field(default="", description="")
    message: str = Field(default="", description="")
    source: EventSource = Field(default_factory=EventSource, description="")
    firstTimestamp: Time | None = Field(default=None, description="")
    lastTimestamp: Time | None = Field(default=None, description="")
    count: Int32 = Field(default=0, description="")
    type: str = Field(default="", description="")
    eventTime: MicroTime | None = Field(default=None, description="")
    series: EventSeries | None = Field(default=None, description="")
    action: str = Field(default="", description="")
    related: ObjectReference | None = Field(default=None, description="")
    reportingComponent: Annotated[str, Always()] = Field(default="", description="")
    reportingInstance: Annotated[str, Always()] = Field(default="", description="")
