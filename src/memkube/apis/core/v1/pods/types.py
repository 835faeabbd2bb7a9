"""Pods and their status, and the binding of one to a node."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required, RetainKeys, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity, Time
from memkube.apis.core.v1.podspec.types.containers import ResourceRequirements
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.probes import SIGNALS
from memkube.apis.core.v1.references import ObjectReference


class ContainerStateRunning(ApiModel):
    """A container that runs."""

    startedAt: Annotated[Time | None, Always()] = Field(default=None, description="When the container was started.")


class ContainerStateTerminated(ApiModel):
    """A container that has ended."""

    exitCode: Annotated[Int32, Required()] = Field(default=0, description="Exit code of its main process.")
    signal: Int32 = Field(default=0, description="Signal that ended its main process.")
    reason: str = Field(default="", description="Why it ended, in one word.")
    message: str = Field(default="", description="Why it ended, for people.")
    startedAt: Annotated[Time | None, Always()] = Field(default=None, description="When the container was started.")
    finishedAt: Annotated[Time | None, Always()] = Field(default=None, description="When the container ended.")
    containerID: str = Field(default="", description="Identifier of the container, with its runtime.")


class ContainerStateWaiting(ApiModel):
    """A container that does not run yet."""

    reason: str = Field(default="", description="Why it waits, in one word.")
    message: str = Field(default="", description="Why it waits, for people.")


class ContainerState(ApiModel):
    """The state of a container; at most one of the fields is set, and none means waiting."""

    waiting: ContainerStateWaiting | None = Field(default=None, description="Set while the container waits to run.")
    running: ContainerStateRunning | None = Field(default=None, description="Set while the container runs.")
    terminated: ContainerStateTerminated | None = Field(default=None, description="Set once the container has ended.")


class LinuxContainerUser(ApiModel):
    """The user of a process on Linux."""

    uid: Annotated[Int64, Required()] = Field(default=0, description="User id.")
    gid: Annotated[Int64, Required()] = Field(default=0, description="Group id.")
    supplementalGroups: list[Int64] = Field(default_factory=list, description="Further group ids.")


class ContainerUser(ApiModel):
    """The user that a container's first process started as."""

    linux: LinuxContainerUser | None = Field(default=None, description="User and groups on Linux.")


class ResourceHealth(ApiModel):
    """The health of a device."""

    resourceID: Annotated[str, Named("v1.ResourceID"), Required()] = Field(
        default="", description="Identifier of the device, unique on the node."
    )
    health: Annotated[str, Named("v1.ResourceHealthStatus")] = Field(
        default="", description="Healthy, Unhealthy or Unknown."
    )
    message: str | None = Field(default=None, description="More about the health, for people.")


class ResourceStatus(ApiModel):
    """The health of the devices of one resource."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(
        default="", description="Name of the resource, with its claim if it comes from one."
    )
    resources: Annotated[list[ResourceHealth], MapList(("resourceID",))] = Field(
        default_factory=list, description="Devices and their health."
    )


class ImageVolumeStatus(ApiModel):
    """The image that a volume shows."""

    imageRef: Annotated[str, Required(omits_zero=True)] = Field(default="", description="Digest of the image.")


class VolumeStatus(ApiModel):
    """The state of a mounted volume, by its kind."""

    image: ImageVolumeStatus | None = Field(default=None, description="Set for volumes that show an image.")


class VolumeMountStatus(ApiModel):
    """The state of a volume mount."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the volume.")
    mountPath: Annotated[str, Required()] = Field(default="", description="Path in the container.")
    readOnly: bool = Field(default=False, description="Whether the mount is read-only.")
    recursiveReadOnly: Annotated[str | None, Named("v1.RecursiveReadOnlyMode")] = Field(
        default=None, description="Whether mounts below are read-only as well: Disabled, IfPossible or Enabled."
    )
    volumeStatus: VolumeStatus | None = Field(default=None, description="State of the volume, by its kind.")


class ContainerStatus(ApiModel):
    """The state of a container."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the container in the pod's spec.")
    state: ContainerState = Field(default_factory=ContainerState, description="State at present.")
    lastState: ContainerState = Field(
        default_factory=ContainerState, description="How the container ended before it was restarted."
    )
    ready: Annotated[bool, Required()] = Field(
        default=False, description="Whether the container passes its readiness probe."
    )
    restartCount: Annotated[Int32, Required()] = Field(default=0, description="How often the container was restarted.")
    image: Annotated[str, Required()] = Field(default="", description="Name of the image that runs.")
    imageID: Annotated[str, Required()] = Field(default="", description="Identifier of the image that runs.")
    containerID: str = Field(default="", description="Identifier of the container, with its runtime.")
    started: bool | None = Field(default=None, description="Whether the container has passed its startup probe.")
    allocatedResources: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Resources that the node has set aside for the container."
    )
    resources: ResourceRequirements | None = Field(default=None, description="Requests and limits that are in effect.")
    volumeMounts: Annotated[list[VolumeMountStatus], MapList(("mountPath",)), Merge("mountPath")] = Field(
        default_factory=list, description="State of the volume mounts."
    )
    user: ContainerUser | None = Field(default=None, description="User that the first process started as.")
    allocatedResourcesStatus: Annotated[list[ResourceStatus], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Health of the devices that the container has."
    )
    stopSignal: Annotated[str | None, Named("v1.Signal", SIGNALS)] = Field(
        default=None, description="Signal that stops the container."
    )


class HostIP(ApiModel):
    """An address of a node."""

    ip: Annotated[str, Required()] = Field(default="", description="IP address.")


class NodeAllocatableResourceClaimStatus(ApiModel):
    """What a claim takes from the node's own resources."""

    resourceClaimName: Annotated[str, Required()] = Field(default="", description="Name of the claim.")
    containers: Annotated[list[str], SetList()] = Field(
        default_factory=list, description="Containers that use the claim."
    )
    resources: Annotated[dict[str, Quantity], Named("map[v1.ResourceName]resource.Quantity"), Required()] = Field(
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


class Pod(ApiObject):
    """Containers that share a node, an address and volumes."""

    spec: PodSpec = Field(default_factory=PodSpec, description="What is wanted of the pod.")
    status: PodStatus = Field(default_factory=PodStatus, description="What has become of the pod.")


class Binding(ApiObject):
    """Ties an object to another, such as a pod to its node."""

    target: Annotated[ObjectReference, Required()] = Field(
        default_factory=ObjectReference, description="Object to tie to, usually a node."
    )
