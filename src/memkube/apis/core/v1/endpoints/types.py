"""Endpoints: the addresses behind a service."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import ObjectReference


class EndpointAddress(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    ip: Annotated[str, Required()] = Field(default="", description="TODO")
    hostname: str = Field(default="", description="TODO")
    nodeName: str | None = Field(default=None, description="TODO")
    targetRef: ObjectReference | None = Field(default=None, description="TODO")


class EndpointPort(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="TODO")
    port: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP"))] = Field(default="", description="TODO")
    appProtocol: str | None = Field(default=None, description="TODO")


class EndpointSubset(ApiModel):
    """TODO."""

    addresses: list[EndpointAddress] = Field(default_factory=list, description="TODO")
    notReadyAddresses: list[EndpointAddress] = Field(default_factory=list, description="TODO")
    ports: list[EndpointPort] = Field(default_factory=list, description="TODO")


class Endpoints(ApiObject):
    """TODO."""

    subsets: list[EndpointSubset] = Field(default_factory=list, description="TODO")
