"""EndpointSlices: some of the addresses behind a service."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import ObjectReference


class EndpointConditions(ApiModel):
    """TODO."""

    ready: bool | None = Field(default=None, description="TODO")
    serving: bool | None = Field(default=None, description="TODO")
    terminating: bool | None = Field(default=None, description="TODO")


class ForZone(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")


class ForNode(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")


class EndpointHints(ApiModel):
    """TODO."""

    forZones: list[ForZone] = Field(default_factory=list, description="TODO")
    forNodes: list[ForNode] = Field(default_factory=list, description="TODO")


class Endpoint(ApiModel):
    """TODO."""

    addresses: Annotated[list[str], SetList(), Required()] = Field(default_factory=list, description="TODO")
    conditions: EndpointConditions = Field(default_factory=EndpointConditions, description="TODO")
    hostname: str | None = Field(default=None, description="TODO")
    targetRef: ObjectReference | None = Field(default=None, description="TODO")
    deprecatedTopology: dict[str, str] = Field(default_factory=dict, description="TODO")
    nodeName: str | None = Field(default=None, description="TODO")
    zone: str | None = Field(default=None, description="TODO")
    hints: EndpointHints | None = Field(default=None, description="TODO")


class EndpointPort(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    name: str | None = Field(default=None, description="TODO")
    protocol: Annotated[str | None, Named("v1.Protocol", ("SCTP", "TCP", "UDP"))] = Field(
        default=None, description="TODO"
    )
    port: Int32 | None = Field(default=None, description="TODO")
    appProtocol: str | None = Field(default=None, description="TODO")


class EndpointSlice(ApiObject):
    """TODO."""

    addressType: Annotated[str, Named("v1.AddressType", ("FQDN", "IPv4", "IPv6")), Required()] = Field(
        default="", description="TODO"
    )
    endpoints: Annotated[list[Endpoint], Always()] = Field(default_factory=list, description="TODO")
    ports: Annotated[list[EndpointPort], Always()] = Field(default_factory=list, description="TODO")
