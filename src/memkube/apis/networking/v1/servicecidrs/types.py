"""ServiceCIDRs: where the addresses of services come from."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel


class ServiceCIDRSpec(ApiModel):
    """TODO."""

    cidrs: list[str] = Field(default_factory=list, description="TODO")


class ServiceCIDRStatus(ApiModel):
    """TODO."""

    conditions: Annotated[list[Condition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="TODO"
    )


class ServiceCIDR(ApiObject):
    """TODO."""

    spec: ServiceCIDRSpec = Field(default_factory=ServiceCIDRSpec, description="TODO")
    status: ServiceCIDRStatus = Field(default_factory=ServiceCIDRStatus, description="TODO")
