"""ServiceCIDRs: where the addresses of services come from."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel


class ServiceCIDRSpec(ApiModel):
    """A range of addresses for services."""

    cidrs: list[str] = Field(default_factory=list, description="Blocks of addresses, at most one for each family.")


class ServiceCIDRStatus(ApiModel):
    """What is known of a range."""

    conditions: Annotated[list[Condition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="State of the range, such as Ready."
    )


class ServiceCIDR(ApiObject):
    """A range from which services get their addresses."""

    spec: ServiceCIDRSpec = Field(default_factory=ServiceCIDRSpec, description="The blocks of addresses.")
    status: ServiceCIDRStatus = Field(default_factory=ServiceCIDRStatus, description="What is known of the range.")
