"""API types of Pods, their status and Bindings."""

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
    """Start time of a running container."""

    startedAt: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when the current run of the container began."
    )


class ContainerStateTerminated(ApiModel):
    """Exit code, reason and times of a terminated container."""

    exitCode: Annotated[Int32, Required()] = Field(default=0, description="Exit code of the container's main process.")
    signal: Int32 = Field(default=0, description="Signal that ended the container's main process.")
    reason: str = Field(default="", description="Reason for the termination, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable reason for the termination.")
    startedAt: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when the terminated run of the container began."
    )
    finishedAt: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when the terminated run of the container ended."
    )
    containerID: str = Field(default="", description="Runtime and ID of the container, such as containerd://0123abcd.")


class ContainerStateWaiting(ApiModel):
    """Reason why a container is not running yet."""

    reason: str = Field(default="", description="Reason for waiting, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable reason why the container is not running yet.")


class ContainerState(ApiModel):
    """State of a container. At most one field is set; if no field is set, the container is waiting."""

    waiting: ContainerStateWaiting | None = Field(
        default=None, description="Reason why the container waits to start; set only while it waits."
    )
    running: ContainerStateRunning | None = Field(
        default=None, description="Start time of the container; set while it runs."
    )
    terminated: ContainerStateTerminated | None = Field(
        default=None, description="Exit code and times of the container; set once it has ended."
    )


class LinuxContainerUser(ApiModel):
    """User and groups with which the first process of a Linux container starts."""

    uid: Annotated[Int64, Required()] = Field(
        default=0, description="ID of the user that the container's first process starts as."
    )
    gid: Annotated[Int64, Required()] = Field(
        default=0, description="ID of the primary group that the container's first process starts with."
    )
    supplementalGroups: list[Int64] = Field(
        default_factory=list,
        description="IDs of the supplemental groups that the container's first process starts with.",
    )


class ContainerUser(ApiModel):
    """User and groups with which a container's first process runs."""

    linux: LinuxContainerUser | None = Field(
        default=None, description="User and group IDs of the first process in a Linux container."
    )


class ResourceHealth(ApiModel):
    """Health of one device, by its ID."""

    resourceID: Annotated[str, Named("v1.ResourceID"), Required()] = Field(
        default="", description="ID of the device, unique on the node."
    )
    health: Annotated[str, Named("v1.ResourceHealthStatus")] = Field(
        default="", description="Health of the device: Healthy, Unhealthy or Unknown."
    )
    message: str | None = Field(default=None, description="Human-readable explanation of the device's health.")


class ResourceStatus(ApiModel):
    """Health of the devices of one resource."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(
        default="", description="Name of the resource; for a claim, claim:NAME or claim:NAME/REQUEST."
    )
    resources: Annotated[list[ResourceHealth], MapList(("resourceID",))] = Field(
        default_factory=list, description="Health of each device of the resource that the container uses."
    )


class ImageVolumeStatus(ApiModel):
    """Reference of the image that is mounted as a volume."""

    imageRef: Annotated[str, Required(omits_zero=True)] = Field(
        default="", description="Reference of the mounted image, with its digest."
    )


class VolumeStatus(ApiModel):
    """State of a mounted volume. The type of the volume decides which field is set."""

    image: ImageVolumeStatus | None = Field(
        default=None, description="Image that is mounted; only for volumes of type image."
    )


class VolumeMountStatus(ApiModel):
    """Path and effective options of a volume mount."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the mounted volume in the pod's spec.")
    mountPath: Annotated[str, Required()] = Field(
        default="", description="Path in the container at which the volume is mounted."
    )
    readOnly: bool = Field(default=False, description="True if the container cannot write to the volume.")
    recursiveReadOnly: Annotated[str | None, Named("v1.RecursiveReadOnlyMode")] = Field(
        default=None, description="Recursive read-only state of the mount: Disabled, IfPossible or Enabled."
    )
    volumeStatus: VolumeStatus | None = Field(
        default=None, description="State of the mounted volume; set only for volumes of type image."
    )


class ContainerStatus(ApiModel):
    """Observed state of a container: image, readiness, restarts and resources."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the container in the pod's spec.")
    state: ContainerState = Field(
        default_factory=ContainerState, description="Current state of the container: waiting, running or terminated."
    )
    lastState: ContainerState = Field(
        default_factory=ContainerState,
        description="State in which the container's previous run ended; empty before the first restart.",
    )
    ready: Annotated[bool, Required()] = Field(
        default=False, description="True if the container passes its readiness probe."
    )
    restartCount: Annotated[Int32, Required()] = Field(
        default=0, description="Number of restarts of the container so far."
    )
    image: Annotated[str, Required()] = Field(default="", description="Name of the image that the container runs.")
    imageID: Annotated[str, Required()] = Field(
        default="", description="Reference of the image that the container runs, with its digest or ID."
    )
    containerID: str = Field(default="", description="Runtime and ID of the container, such as containerd://0123abcd.")
    started: bool | None = Field(
        default=None, description="True if the container has started and passed its startup probe."
    )
    allocatedResources: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Resources that the node has allocated to the container."
    )
    resources: ResourceRequirements | None = Field(
        default=None, description="Requests and limits that are in effect for the container."
    )
    volumeMounts: Annotated[list[VolumeMountStatus], MapList(("mountPath",)), Merge("mountPath")] = Field(
        default_factory=list, description="Volumes that are mounted into the container, with paths and options."
    )
    user: ContainerUser | None = Field(default=None, description="User and groups of the container's first process.")
    allocatedResourcesStatus: Annotated[list[ResourceStatus], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Health of the devices that are allocated to the container."
    )
    stopSignal: Annotated[str | None, Named("v1.Signal", SIGNALS)] = Field(
        default=None, description="Signal that the runtime sends to stop the container, such as SIGTERM."
    )


class HostIP(ApiModel):
    """One of the IP addresses of the node on which a pod runs."""

    ip: Annotated[str, Required()] = Field(default="", description="IP address of the node on which the pod runs.")


class NodeAllocatableResourceClaimStatus(ApiModel):
    """Amounts of a node's allocatable resources, such as cpu, that a resource claim of the pod consumes."""

    resourceClaimName: Annotated[str, Required()] = Field(
        default="", description="Name of the ResourceClaim that consumes the resources."
    )
    containers: Annotated[list[str], SetList()] = Field(
        default_factory=list, description="Names of the containers that use the claim."
    )
    resources: Annotated[dict[str, Quantity], Named("map[v1.ResourceName]resource.Quantity"), Required()] = Field(
        default_factory=dict, description="Amounts of node resources that the claim consumes."
    )


class PodCondition(ApiModel):
    """A condition of a pod, such as Ready."""

    type: Annotated[str, Named("v1.PodConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as Ready."
    )
    observedGeneration: Int64 = Field(
        default=0, description="Generation of the pod from which the condition was computed."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastProbeTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when the condition was last checked."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the status, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable explanation of the condition's status.")


class ContainerExtendedResourceRequest(ApiModel):
    """A container's extended resource, and the request of the resource claim that provides it."""

    containerName: Annotated[str, Required()] = Field(
        default="", description="Name of the container that asks for the extended resource."
    )
    resourceName: Annotated[str, Required()] = Field(
        default="", description="Extended resource that the container asks for."
    )
    requestName: Annotated[str, Required()] = Field(
        default="", description="Name of the request in the resource claim that provides the extended resource."
    )


class PodExtendedResourceClaimStatus(ApiModel):
    """Claim that was created for a pod's extended resources."""

    requestMappings: Annotated[list[ContainerExtendedResourceRequest], Required()] = Field(
        default_factory=list,
        description="For each extended resource of a container, the request in the claim that provides it.",
    )
    resourceClaimName: Annotated[str, Required()] = Field(
        default="", description="Name of the ResourceClaim that provides the pod's extended resources."
    )


class PodIP(ApiModel):
    """One of the IP addresses of a pod; a pod has at most one per IP family."""

    ip: Annotated[str, Required()] = Field(default="", description="IPv4 or IPv6 address of the pod.")


class PodResourceClaimStatus(ApiModel):
    """Claim that was created for an entry of a pod's resourceClaims."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the entry in spec.resourceClaims that the claim was created for."
    )
    resourceClaimName: str | None = Field(
        default=None, description="Name of the ResourceClaim; unset if none was needed."
    )


class PodStatus(ApiModel):
    """Observed state of a Pod: phase, conditions, IP addresses and container states."""

    observedGeneration: Int64 = Field(
        default=0, description="Generation of the pod from which the status was computed."
    )
    phase: Annotated[str, Named("v1.PodPhase", ("Failed", "Pending", "Running", "Succeeded", "Unknown"))] = Field(
        default="", description="Phase of the pod: Pending, Running, Succeeded, Failed or Unknown."
    )
    conditions: Annotated[list[PodCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the pod, such as Ready and PodScheduled."
    )
    message: str = Field(default="", description="Human-readable reason for the pod's state.")
    reason: str = Field(default="", description="Reason for the pod's state, as one CamelCase word.")
    nominatedNodeName: str = Field(
        default="", description="Node on which lower-priority pods are evicted to make room for this pod."
    )
    hostIP: str = Field(default="", description="IP address of the node on which the pod runs.")
    hostIPs: Annotated[list[HostIP], Merge("ip")] = Field(
        default_factory=list, description="IP addresses of the node on which the pod runs; the first is hostIP."
    )
    podIP: str = Field(default="", description="Primary IP address of the pod; empty until one is allocated.")
    podIPs: Annotated[list[PodIP], MapList(("ip",)), Merge("ip")] = Field(
        default_factory=list, description="IP addresses of the pod, at most one of each IP family."
    )
    startTime: Time | None = Field(default=None, description="Time when the kubelet acknowledged the pod.")
    initContainerStatuses: list[ContainerStatus] = Field(
        default_factory=list, description="State, image and restarts of each init container."
    )
    containerStatuses: list[ContainerStatus] = Field(
        default_factory=list, description="State, image and restarts of each regular container."
    )
    qosClass: Annotated[str, Named("v1.PodQOSClass", ("BestEffort", "Burstable", "Guaranteed"))] = Field(
        default="", description="Quality of service by requests and limits: Guaranteed, Burstable or BestEffort."
    )
    ephemeralContainerStatuses: list[ContainerStatus] = Field(
        default_factory=list, description="State and image of each ephemeral container."
    )
    resize: Annotated[str, Named("v1.PodResizeStatus")] = Field(
        default="", description="State of a resize of the pod; deprecated in favour of conditions."
    )
    resourceClaimStatuses: Annotated[list[PodResourceClaimStatus], MapList(("name",)), Merge("name"), RetainKeys()] = (
        Field(default_factory=list, description="ResourceClaims that were created for entries of spec.resourceClaims.")
    )
    extendedResourceClaimStatus: PodExtendedResourceClaimStatus | None = Field(
        default=None, description="Claim that was created for the pod's extended resources."
    )
    allocatedResources: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Resources that the node has allocated to the pod."
    )
    resources: ResourceRequirements | None = Field(
        default=None, description="Pod-level requests and limits that are in effect now."
    )
    nodeAllocatableResourceClaimStatuses: list[NodeAllocatableResourceClaimStatus] = Field(
        default_factory=list,
        description="Amounts of the node's allocatable resources that each resource claim consumes.",
    )

    @property
    def every_container(self) -> list[ContainerStatus]:
        """The states of all containers: init containers, main containers and ephemeral containers."""
        return [*self.initContainerStatuses, *self.containerStatuses, *self.ephemeralContainerStatuses]


class Pod(ApiObject):
    """A group of containers that share a node, an IP address and volumes."""

    spec: PodSpec = Field(
        default_factory=PodSpec, description="Containers, volumes, and scheduling and security settings of the pod."
    )
    status: PodStatus = Field(
        default_factory=PodStatus, description="Phase, conditions, IP addresses and container states of the pod."
    )


class Binding(ApiObject):
    """Assigns a pod to a node."""

    target: Annotated[ObjectReference, Required()] = Field(
        default_factory=ObjectReference, description="Object to bind to, usually a node."
    )
