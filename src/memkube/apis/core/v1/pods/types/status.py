"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required, RetainKeys, SetList
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Quantity, Time
from memkube.apis.core.v1.pods.types.container_status import ContainerStatus
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements


class HostIP(ApiModel):
    """."""

    ip: Annotated[str, Required()] = Field(default="", description="")


class NodeAllocatableResourceClaimStatus(ApiModel):
    """."""

    resourceClaimName: Annotated[str, Required()] = Field(default="", description="")
    containers: Annotated[list[str], SetList()] = Field(default_factory=list, description="")
    resources: Annotated[dict[str, Quantity], Required()] = Field(default_factory=dict, description="")


class PodCondition(ApiModel):
    """."""

    type: Annotated[str, Named("v1.PodConditionType"), Required()] = Field(default="", description="")
    observedGeneration: Int64 = Field(default=0, description="")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(default="", description="")
    lastProbeTime: Time | None = Field(default=None, description="")
    lastTransitionTime: Time | None = Field(default=None, description="")
    reason: str = Field(default="", description="")
    message: str = Field(default="", description="")


class ContainerExtendedResourceRequest(ApiModel):
    """."""

    containerName: Annotated[str, Required()] = Field(default="", description="")
    resourceName: Annotated[str, Required()] = Field(default="", description="")
    requestName: Annotated[str, Required()] = Field(default="", description="")


class PodExtendedResourceClaimStatus(ApiModel):
    """."""

    requestMappings: Annotated[list[ContainerExtendedResourceRequest], Required()] = Field(default_factory=list, description="")
    resourceClaimName: Annotated[str, Required()] = Field(default="", description="")


class PodIP(ApiModel):
    """."""

    ip: Annotated[str, Required()] = Field(default="", description="")


class PodResourceClaimStatus(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    resourceClaimName: str | None = Field(default=None, description="")


class PodStatus(ApiModel):
    """."""

    observedGeneration: Int64 = Field(default=0, description="")
    phase: Annotated[str, Named("v1.PodPhase", ("Failed", "Pending", "Running", "Succeeded", "Unknown"))] = Field(default="", description="")
    conditions: Annotated[list[PodCondition], MapList(("type",)), Merge("type")] = Field(default_factory=list, description="")
    message: str = Field(default="", description="")
    reason: str = Field(default="", description="")
    nominatedNodeName: str = Field(default="", description="")
    hostIP: str = Field(default="", description="")
    hostIPs: Annotated[list[HostIP], Merge("ip")] = Field(default_factory=list, description="")
    podIP: str = Field(default="", description="")
    podIPs: Annotated[list[PodIP], MapList(("ip",)), Merge("ip")] = Field(default_factory=list, description="")
    startTime: Time | None | None = Field(default=None, description="")
    initContainerStatuses: list[ContainerStatus] = Field(default_factory=list, description="")
    containerStatuses: list[ContainerStatus] = Field(default_factory=list, description="")
    qosClass: Annotated[str, Named("v1.PodQOSClass", ("BestEffort", "Burstable", "Guaranteed"))] = Field(default="", description="")
    ephemeralContainerStatuses: list[ContainerStatus] = Field(default_factory=list, description="")
    resize: Annotated[str, Named("v1.PodResizeStatus")] = Field(default="", description="")
    resourceClaimStatuses: Annotated[list[PodResourceClaimStatus], MapList(("name",)), Merge("name"), RetainKeys()] = Field(default_factory=list, description="")
    extendedResourceClaimStatus: PodExtendedResourceClaimStatus | None = Field(default=None, description="")
    allocatedResources: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="")
    resources: ResourceRequirements | None = Field(default=None, description="")
    nodeAllocatableResourceClaimStatuses: list[NodeAllocatableResourceClaimStatus] = Field(default_factory=list, description="")
