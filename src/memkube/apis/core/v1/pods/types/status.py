"""What has become of a pod."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required, RetainKeys, SetList
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Quantity, Time
from memkube.apis.core.v1.pods.types.container_status import ContainerStatus
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements


class HostIP(ApiModel):
    """An address of a node."""

    ip: Annotated[str, Required()] = Field(default="", description="IP address.")


class NodeAllocatableResourceClaimStatus(ApiModel):
    """What a claim takes from the node's own resources."""

    resourceClaimName: Annotated[str, Required()] = Field(default="", description="Name of the claim.")
    containers: Annotated[list[str], SetList()] = Field(
        default_factory=list, description="Containers that use the claim."
    )
    resources: Annotated[dict[str, Quantity], Required()] = Field(
        default_factory=dict, description="Amounts that are taken."
    )


class PodCondition(ApiModel):
    """One aspect of a pod's state."""

    type: Annotated[str, Named("v1.PodConditionType"), Required()] = Field(
        default="", description="Name of the aspect, such as Ready."
    )
    observedGeneration: Int64 = Field(
        default=0, description="Generation of the pod that the condition was computed from."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    lastProbeTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the condition was checked last."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why, in one CamelCase word.")
    message: str = Field(default="", description="Why, for people.")


class ContainerExtendedResourceRequest(ApiModel):
    """How a container's resource is met by a claim."""

    containerName: Annotated[str, Required()] = Field(default="", description="Name of the container.")
    resourceName: Annotated[str, Required()] = Field(
        default="", description="Extended resource that the container asks for."
    )
    requestName: Annotated[str, Required()] = Field(default="", description="Request of the claim that meets it.")


class PodExtendedResourceClaimStatus(ApiModel):
    """The claim that stands for a pod's extended resources."""

    requestMappings: Annotated[list[ContainerExtendedResourceRequest], Required()] = Field(
        default_factory=list, description="Which request of the claim meets which container's resource."
    )
    resourceClaimName: Annotated[str, Required()] = Field(default="", description="Name of the claim.")


class PodIP(ApiModel):
    """An address of a pod."""

    ip: Annotated[str, Required()] = Field(default="", description="IP address.")


class PodResourceClaimStatus(ApiModel):
    """The claim behind one of a pod's names for claims."""

    name: Annotated[str, Required()] = Field(default="", description="Name in the pod's spec.")
    resourceClaimName: str | None = Field(default=None, description="Name of the claim; none if none was needed.")


class PodStatus(ApiModel):
    """What has become of a pod."""

    observedGeneration: Int64 = Field(default=0, description="Generation of the pod that the status was computed from.")
    phase: Annotated[str, Named("v1.PodPhase", ("Failed", "Pending", "Running", "Succeeded", "Unknown"))] = Field(
        default="", description="Where the pod is in its life: Pending, Running, Succeeded, Failed or Unknown."
    )
    conditions: Annotated[list[PodCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Aspects of the pod's state."
    )
    message: str = Field(default="", description="Why the pod is as it is, for people.")
    reason: str = Field(default="", description="Why the pod is as it is, in one word.")
    nominatedNodeName: str = Field(
        default="", description="Node on which others are evicted to make room for this pod."
    )
    hostIP: str = Field(default="", description="Address of the node.")
    hostIPs: Annotated[list[HostIP], Merge("ip")] = Field(default_factory=list, description="Addresses of the node.")
    podIP: str = Field(default="", description="Address of the pod.")
    podIPs: Annotated[list[PodIP], MapList(("ip",)), Merge("ip")] = Field(
        default_factory=list, description="Addresses of the pod, at most one of each family."
    )
    startTime: Time | None = Field(default=None, description="When the node took on the pod.")
    initContainerStatuses: list[ContainerStatus] = Field(
        default_factory=list, description="State of the init containers."
    )
    containerStatuses: list[ContainerStatus] = Field(default_factory=list, description="State of the containers.")
    qosClass: Annotated[str, Named("v1.PodQOSClass", ("BestEffort", "Burstable", "Guaranteed"))] = Field(
        default="", description="Quality of service: Guaranteed, Burstable or BestEffort."
    )
    ephemeralContainerStatuses: list[ContainerStatus] = Field(
        default_factory=list, description="State of the ephemeral containers."
    )
    resize: Annotated[str, Named("v1.PodResizeStatus")] = Field(
        default="", description="Deprecated for conditions; how far a resize has come."
    )
    resourceClaimStatuses: Annotated[list[PodResourceClaimStatus], MapList(("name",)), Merge("name"), RetainKeys()] = (
        Field(default_factory=list, description="Claims behind the pod's names for them.")
    )
    extendedResourceClaimStatus: PodExtendedResourceClaimStatus | None = Field(
        default=None, description="Claim that stands for the pod's extended resources."
    )
    allocatedResources: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Resources that the node has set aside for the pod."
    )
    resources: ResourceRequirements | None = Field(
        default=None, description="Requests and limits of the pod that are in effect."
    )
    nodeAllocatableResourceClaimStatuses: list[NodeAllocatableResourceClaimStatus] = Field(
        default_factory=list, description="What claims take from the node's own resources."
    )
