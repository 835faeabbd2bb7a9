"""EndpointSlices: some of the addresses behind a service."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import ObjectReference


class EndpointConditions(ApiModel):
    """How an endpoint does."""

    ready: bool | None = Field(default=None, description="Whether the endpoint takes traffic; unknown counts as true.")
    serving: bool | None = Field(default=None, description="Whether it answers, even while it terminates.")
    terminating: bool | None = Field(default=None, description="Whether it is on its way out.")


class ForZone(ApiModel):
    """A zone that should use an endpoint."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the zone.")


class ForNode(ApiModel):
    """A node that should use an endpoint."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the node.")


class EndpointHints(ApiModel):
    """Who should use an endpoint."""

    forZones: list[ForZone] = Field(
        default_factory=list, description="Zones that should use the endpoint, at most eight."
    )
    forNodes: list[ForNode] = Field(
        default_factory=list, description="Nodes that should use the endpoint, at most eight."
    )


class Endpoint(ApiModel):
    """One backend of a service."""

    addresses: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list,
        description="Addresses of the endpoint, which are interchangeable; of the type that the slice tells.",
    )
    conditions: EndpointConditions = Field(default_factory=EndpointConditions, description="How the endpoint does.")
    hostname: str | None = Field(default=None, description="Host name of the endpoint.")
    targetRef: ObjectReference | None = Field(default=None, description="Object behind the endpoint, such as a pod.")
    deprecatedTopology: dict[str, str] = Field(
        default_factory=dict, description="Deprecated; cannot be written any more."
    )
    nodeName: str | None = Field(default=None, description="Node of the endpoint.")
    zone: str | None = Field(default=None, description="Zone of the endpoint.")
    hints: EndpointHints | None = Field(default=None, description="Who should use the endpoint.")


class EndpointPort(ApiModel):
    """A port of all endpoints of a slice."""

    struct_type: ClassVar[str] = "atomic"

    name: str | None = Field(default=None, description="Name of the port; each name stands once.")
    protocol: Annotated[str | None, Named("v1.Protocol", ("SCTP", "TCP", "UDP"))] = Field(
        default=None, description="Protocol of the port: TCP, UDP or SCTP."
    )
    port: Int32 | None = Field(default=None, description="Number of the port; all ports where it is not set.")
    appProtocol: str | None = Field(default=None, description="Protocol that applications speak.")


class EndpointSlice(ApiObject):
    """Some of the endpoints of a service."""

    addressType: Annotated[str, Named("v1.AddressType", ("FQDN", "IPv4", "IPv6")), Required()] = Field(
        default="", description="What the addresses are: IPv4, IPv6 or, deprecated, FQDN."
    )
    endpoints: Annotated[list[Endpoint], Always()] = Field(
        default_factory=list, description="Endpoints of the slice, at most 1000."
    )
    ports: Annotated[list[EndpointPort], Always()] = Field(
        default_factory=list, description="Ports of every endpoint of the slice."
    )
