"""An invented kind whose schema the tests describe."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Default, MapList, Merge, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, IntOrString, Quantity
from memkube.apimachinery.schema import struct_of
from memkube.endpoints.openapi.descriptions import ResourceDescription, SubresourceDescription

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


class Part(ApiModel):
    name: Annotated[str, Required()] = Field(default="", description="Name of the part.")
    colour: Annotated[str, Default("red")] = Field(default="", description="Colour of the part.")


class WidgetOptions(ApiModel):
    """Options of a widget's connect subresource."""

    command: list[str] = Field(default_factory=list, description="Command to run.")
    tty: bool = Field(default=False, description="Whether there is a terminal.")


class Widget(ApiObject):
    """An invented kind."""

    size: Quantity | None = Field(default=None, description="Size of the widget.")
    count: Annotated[Int32, Required()] = Field(default=0, description="How many.")
    share: IntOrString | None = Field(default=None, description="Share.")
    parts: Annotated[list[Part], MapList(("name",)), Merge("name")] = Field(default_factory=list, description="Parts.")


SCHEMA = struct_of(Widget)
WIDGETS = ResourceDescription(
    group="shop.k8s.io",
    version="v1",
    kind="Widget",
    plural="widgets",
    namespaced=True,
    schema=SCHEMA,
    verbs=ALL_VERBS,
    subresources=(
        SubresourceDescription("status", "shop.k8s.io", "v1", "Widget", SCHEMA, ("get", "patch", "update")),
        SubresourceDescription("log", "shop.k8s.io", "v1", "Widget", None, ("get",), struct_of(WidgetOptions)),
        SubresourceDescription(
            "exec",
            "shop.k8s.io",
            "v1",
            "WidgetOptions",
            None,
            (),
            struct_of(WidgetOptions),
            ("get", "post"),
            has_path=True,
        ),
    ),
)
