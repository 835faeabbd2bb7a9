"""IPAddresses: which addresses of services are taken."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class ParentReference(ApiModel):
    """What an address belongs to."""

    group: str = Field(default="", description="Group of the resource; empty for the core group.")
    resource: Annotated[str, Required(omits_zero=True)] = Field(default="", description="Plural of the resource.")
    namespace: str = Field(default="", description="Namespace of the object.")
    name: Annotated[str, Required(omits_zero=True)] = Field(default="", description="Name of the object.")


class IPAddressSpec(ApiModel):
    """Whose an address is."""

    parentRef: Annotated[ParentReference | None, Required(omits_zero=True)] = Field(
        default=None, description="Object that has the address."
    )


class IPAddress(ApiObject):
    """An address that is taken; its name is the address."""

    spec: Annotated[IPAddressSpec, Required()] = Field(
        default_factory=IPAddressSpec, description="Whose the address is."
    )
