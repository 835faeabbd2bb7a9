from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class ParentReference(ApiModel):
    """Reference to the object that owns an IP address."""

    group: str = Field(default="", description="API group of the owner's resource; empty for the core group.")
    resource: Annotated[str, Required(omits_zero=True)] = Field(
        default="", description="Plural name of the owner's resource, such as services."
    )
    namespace: str = Field(default="", description="Namespace of the owner; empty for cluster-scoped owners.")
    name: Annotated[str, Required(omits_zero=True)] = Field(
        default="", description="Name of the object that uses the IP address, usually a Service."
    )


class IPAddressSpec(ApiModel):
    """Reference to the object that owns an allocated IP address, usually a Service."""

    parentRef: Annotated[ParentReference | None, Required(omits_zero=True)] = Field(
        default=None, description="Object to which the address is allocated, usually a Service; immutable."
    )


class IPAddress(ApiObject):
    """An allocated IP address; its name is the address."""

    spec: Annotated[IPAddressSpec, Required()] = Field(
        default_factory=IPAddressSpec, description="Object to which the address is allocated."
    )
