"""Endpoints: the addresses behind a service."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import ObjectReference


class EndpointAddress(ApiModel):
    """An address behind a service."""

    struct_type: ClassVar[str] = "atomic"

    ip: Annotated[str, Required()] = Field(default="", description="The address; not one of a loopback or a link.")
    hostname: str = Field(default="", description="Host name of the endpoint.")
    nodeName: str | None = Field(default=None, description="Node of the endpoint.")
    targetRef: ObjectReference | None = Field(default=None, description="Object that has the address, such as a pod.")


class EndpointPort(ApiModel):
    """A port behind a service."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="Name of the port, as in the service; required where there are several.")
    port: Annotated[Int32, Required()] = Field(default=0, description="Number of the port.")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP"))] = Field(
        default="", description="Protocol of the port: TCP, UDP or SCTP."
    )
    appProtocol: str | None = Field(default=None, description="Protocol that applications speak.")


class EndpointSubset(ApiModel):
    """Addresses that have the same ports."""

    addresses: list[EndpointAddress] = Field(default_factory=list, description="Addresses that are ready.")
    notReadyAddresses: list[EndpointAddress] = Field(
        default_factory=list, description="Addresses that are not ready yet, or not any more."
    )
    ports: list[EndpointPort] = Field(default_factory=list, description="Ports of the addresses.")


class Endpoints(ApiObject):
    """The addresses behind a service of the same name; deprecated for EndpointSlices."""

    subsets: list[EndpointSubset] = Field(default_factory=list, description="Addresses by their ports.")
