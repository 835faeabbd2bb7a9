"""A kind with a field of every type that patches and apply treat differently."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Atomic, Default, MapList, Merge, Replace, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64
from memkube.apimachinery.schema import struct_of


class Port(ApiModel):
    name: str = ""
    port: Annotated[Int32, Required()] = 0
    protocol: Annotated[str, Default("TCP")] = ""


class Part(ApiModel):
    name: Annotated[str, Required()] = ""
    image: str = ""
    args: list[str] = Field(default_factory=list)
    ports: Annotated[list[Port], MapList(("port", "protocol")), Merge("port")] = Field(default_factory=list)


class Selector(ApiModel):
    matchLabels: dict[str, str] = Field(default_factory=dict)


class WidgetSpec(ApiModel):
    size: Int64 | None = None
    paused: bool = False
    parts: Annotated[list[Part], Required(), MapList(("name",)), Merge("name")] = Field(default_factory=list)
    tags: Annotated[list[str], SetList(), Merge()] = Field(default_factory=list)
    limits: dict[str, str] = Field(default_factory=dict)
    selector: Annotated[Selector | None, Atomic(), Replace()] = None


class WidgetStatus(ApiModel):
    ready: Int32 = 0


class Widget(ApiModel):
    kind: str = ""
    apiVersion: str = ""
    metadata: ObjectMeta = Field(default_factory=ObjectMeta)
    spec: WidgetSpec = Field(default_factory=WidgetSpec)
    status: WidgetStatus = Field(default_factory=WidgetStatus)


WIDGET = struct_of(Widget)
