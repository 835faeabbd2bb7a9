from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import ObjectReference


class EndpointAddress(ApiModel):
    """IP address of a service's backend, with its host name, node and pod."""

    struct_type: ClassVar[str] = "atomic"

    ip: Annotated[str, Required()] = Field(default="", description="IP address; not a loopback or link-local address.")
    hostname: str = Field(default="", description="Host name of the backend, which becomes part of its DNS name.")
    nodeName: str | None = Field(default=None, description="Name of the node that hosts the endpoint.")
    targetRef: ObjectReference | None = Field(default=None, description="Object that has the address, usually a pod.")


class EndpointPort(ApiModel):
    """Name, number and protocol of a port that the backends of a service share."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(
        default="", description="Name of the port, as in the service; required if there are several ports."
    )
    port: Annotated[Int32, Required()] = Field(
        default=0, description="Number of the port on which the backends listen."
    )
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP"))] = Field(
        default="", description="Protocol of the port: TCP, UDP or SCTP."
    )
    appProtocol: str | None = Field(
        default=None, description="Application protocol of the port, such as kubernetes.io/h2c."
    )


class EndpointSubset(ApiModel):
    """Addresses of backends that have the same ports."""

    addresses: list[EndpointAddress] = Field(
        default_factory=list, description="Addresses of the backends that are ready for traffic."
    )
    notReadyAddresses: list[EndpointAddress] = Field(
        default_factory=list, description="Addresses of the backends that are not ready for traffic."
    )
    ports: list[EndpointPort] = Field(
        default_factory=list, description="Ports on which all backends of the subset listen."
    )


class Endpoints(ApiObject):
    """Addresses of the backends of the service with the same name; deprecated in favour of EndpointSlices."""

    subsets: list[EndpointSubset] = Field(
        default_factory=list, description="Addresses of the backends, in groups that have the same ports."
    )
