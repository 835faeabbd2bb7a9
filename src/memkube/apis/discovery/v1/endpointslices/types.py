from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import ObjectReference


class EndpointConditions(ApiModel):
    """Whether an endpoint is ready, serves traffic, and is terminating."""

    ready: bool | None = Field(default=None, description="True if the endpoint accepts traffic; unset means true.")
    serving: bool | None = Field(
        default=None, description="True if the endpoint serves traffic, even while terminating."
    )
    terminating: bool | None = Field(
        default=None, description="True if the endpoint's pod is being deleted; unset means false."
    )


class ForZone(ApiModel):
    """Name of a zone whose traffic an endpoint should receive."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the zone whose traffic the endpoint should receive."
    )


class ForNode(ApiModel):
    """Name of a node whose traffic an endpoint should receive."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the node whose traffic the endpoint should receive."
    )


class EndpointHints(ApiModel):
    """Zones and nodes whose traffic for the service should go to an endpoint."""

    forZones: list[ForZone] = Field(
        default_factory=list, description="Zones whose traffic should go to the endpoint; at most eight."
    )
    forNodes: list[ForNode] = Field(
        default_factory=list, description="Nodes whose traffic should go to the endpoint; at most eight."
    )


class Endpoint(ApiModel):
    """Addresses, conditions and topology of one backend of a service."""

    addresses: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list,
        description="Addresses of the endpoint, of the slice's type; clients use the first.",
    )
    conditions: EndpointConditions = Field(
        default_factory=EndpointConditions,
        description="State of the endpoint: ready, serving and terminating.",
    )
    hostname: str | None = Field(
        default=None, description="Host name of the endpoint, which becomes part of its DNS name."
    )
    targetRef: ObjectReference | None = Field(
        default=None, description="Object that the endpoint represents, usually a pod."
    )
    deprecatedTopology: dict[str, str] = Field(
        default_factory=dict, description="Deprecated and read-only; topology labels of the endpoint from v1beta1."
    )
    nodeName: str | None = Field(default=None, description="Name of the node on which the endpoint runs.")
    zone: str | None = Field(default=None, description="Name of the zone in which the endpoint runs.")
    hints: EndpointHints | None = Field(
        default=None, description="Zones and nodes whose traffic the endpoint should receive."
    )


class EndpointPort(ApiModel):
    """Name, number and protocol of a port that all endpoints of a slice share."""

    struct_type: ClassVar[str] = "atomic"

    name: str | None = Field(default=None, description="Name of the port, as in the service; unique in the slice.")
    protocol: Annotated[str | None, Named("v1.Protocol", ("SCTP", "TCP", "UDP"))] = Field(
        default=None, description="Protocol of the port: TCP, UDP or SCTP."
    )
    port: Int32 | None = Field(default=None, description="Number of the port at the endpoints; all ports if unset.")
    appProtocol: str | None = Field(
        default=None, description="Application protocol of the port, such as kubernetes.io/h2c."
    )


class EndpointSlice(ApiObject):
    """A group of the endpoints of a service, with addresses of one type."""

    addressType: Annotated[str, Named("v1.AddressType", ("FQDN", "IPv4", "IPv6")), Required()] = Field(
        default="", description="Type of the addresses: IPv4, IPv6 or (deprecated) FQDN."
    )
    endpoints: Annotated[list[Endpoint], Always()] = Field(
        default_factory=list, description="Endpoints of the slice, at most 1000."
    )
    ports: Annotated[list[EndpointPort], Always()] = Field(
        default_factory=list, description="Ports that every endpoint in the slice has."
    )
