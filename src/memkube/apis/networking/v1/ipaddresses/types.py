"""IPAddresses: which addresses of services are taken."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class ParentReference(ApiModel):
    """TODO."""

    group: str = Field(default="", description="TODO")
    resource: Annotated[str, Required(omits_zero=True)] = Field(default="", description="TODO")
    namespace: str = Field(default="", description="TODO")
    name: Annotated[str, Required(omits_zero=True)] = Field(default="", description="TODO")


class IPAddressSpec(ApiModel):
    """TODO."""

    parentRef: Annotated[ParentReference | None, Required()] = Field(default=None, description="TODO")


class IPAddress(ApiObject):
    """TODO."""

    spec: Annotated[IPAddressSpec, Required()] = Field(default_factory=IPAddressSpec, description="TODO")
