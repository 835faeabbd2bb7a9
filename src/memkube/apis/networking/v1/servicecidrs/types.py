from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel


class ServiceCIDRSpec(ApiModel):
    """CIDRs of the ranges from which cluster IPs are allocated."""

    cidrs: list[str] = Field(default_factory=list, description="CIDRs of the ranges, at most one for each IP family.")


class ServiceCIDRStatus(ApiModel):
    """Observed state of a ServiceCIDR: its conditions, such as Ready."""

    conditions: Annotated[list[Condition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list,
        description="Conditions of the ServiceCIDR; Ready tells whether addresses can be allocated.",
    )


class ServiceCIDR(ApiObject):
    """IP ranges from which the cluster IPs of services are allocated."""

    spec: ServiceCIDRSpec = Field(
        default_factory=ServiceCIDRSpec, description="IP ranges from which the cluster IPs of services are allocated."
    )
    status: ServiceCIDRStatus = Field(
        default_factory=ServiceCIDRStatus, description="Conditions of the ServiceCIDR, such as Ready."
    )
