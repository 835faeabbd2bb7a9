"""What is known of a node."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity, Time
from memkube.apis.core.v1.nodes.types.config import NodeConfigStatus


class NodeCondition(ApiModel):
    """One aspect of a node's state."""

    type: Annotated[str, Named("v1.NodeConditionType"), Required()] = Field(
        default="", description="Name of the aspect, such as Ready."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    lastHeartbeatTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the condition was reported last."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why the status is as it is, in one CamelCase word.")
    message: str = Field(default="", description="Why the status is as it is, for people to read.")


class NodeAddress(ApiModel):
    """An address of a node."""

    type: Annotated[str, Named("v1.NodeAddressType"), Required()] = Field(
        default="", description="Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS."
    )
    address: Annotated[str, Required()] = Field(default="", description="The address itself.")


class DaemonEndpoint(ApiModel):
    """A port of a program on a node."""

    Port: Annotated[Int32, Required()] = Field(default=0, description="Number of the port.")


class NodeDaemonEndpoints(ApiModel):
    """Ports of the programs that run a node."""

    kubeletEndpoint: DaemonEndpoint = Field(default_factory=DaemonEndpoint, description="Port of the kubelet.")


class NodeSwapStatus(ApiModel):
    """Swap space of a node."""

    capacity: Int64 | None = Field(default=None, description="Total swap space in bytes.")


class NodeSystemInfo(ApiModel):
    """Identities and versions of a node."""

    machineID: Annotated[str, Required()] = Field(default="", description="Identity of the machine in its cluster.")
    systemUUID: Annotated[str, Required()] = Field(default="", description="Identity that the hardware reports.")
    bootID: Annotated[str, Required()] = Field(default="", description="Identity of the present boot.")
    kernelVersion: Annotated[str, Required()] = Field(default="", description="Version of the kernel.")
    osImage: Annotated[str, Required()] = Field(default="", description="Name of the operating system's release.")
    containerRuntimeVersion: Annotated[str, Required()] = Field(
        default="", description="Name and version of the container runtime."
    )
    kubeletVersion: Annotated[str, Required()] = Field(default="", description="Version of the kubelet.")
    kubeProxyVersion: Annotated[str, Required()] = Field(default="", description="Deprecated; version of kube-proxy.")
    operatingSystem: Annotated[str, Required()] = Field(default="", description="Operating system, such as linux.")
    architecture: Annotated[str, Required()] = Field(default="", description="Architecture, such as amd64.")
    swap: NodeSwapStatus | None = Field(default=None, description="Swap space of the node.")


class ContainerImage(ApiModel):
    """An image that is on a node."""

    names: Annotated[list[str], Always()] = Field(default_factory=list, description="Names of the image.")
    sizeBytes: Int64 = Field(default=0, description="Size of the image in bytes.")


class AttachedVolume(ApiModel):
    """A volume that is attached to a node."""

    name: Annotated[str, Named("v1.UniqueVolumeName"), Required()] = Field(
        default="", description="Name of the volume."
    )
    devicePath: Annotated[str, Required()] = Field(default="", description="Path of the device.")


class NodeRuntimeHandlerFeatures(ApiModel):
    """What a runtime handler can do."""

    recursiveReadOnlyMounts: bool | None = Field(
        default=None, description="Whether mounts can be read-only all the way down."
    )
    userNamespaces: bool | None = Field(default=None, description="Whether pods can have user namespaces.")


class NodeRuntimeHandler(ApiModel):
    """A way of the container runtime to run pods."""

    name: Annotated[str, Always()] = Field(default="", description="Name of the handler; empty for the default one.")
    features: NodeRuntimeHandlerFeatures | None = Field(default=None, description="What the handler can do.")


class NodeFeatures(ApiModel):
    """What the container runtime of a node can do."""

    supplementalGroupsPolicy: bool | None = Field(
        default=None, description="Whether pods can choose how supplemental groups are made up."
    )


class NodeStatus(ApiModel):
    """What is known of a node."""

    capacity: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="All resources of the node."
    )
    allocatable: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Resources that pods can have; all of them by default."
    )
    phase: Annotated[str, Named("v1.NodePhase", ("Pending", "Running", "Terminated"))] = Field(
        default="", description="Deprecated; not set."
    )
    conditions: Annotated[list[NodeCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="State of the node, such as Ready."
    )
    addresses: Annotated[list[NodeAddress], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Addresses at which the node is reached."
    )
    daemonEndpoints: NodeDaemonEndpoints = Field(
        default_factory=NodeDaemonEndpoints, description="Ports of the programs that run the node."
    )
    nodeInfo: NodeSystemInfo = Field(default_factory=NodeSystemInfo, description="Identities and versions of the node.")
    images: list[ContainerImage] = Field(default_factory=list, description="Images that are on the node.")
    volumesInUse: list[Annotated[str, Named("v1.UniqueVolumeName")]] = Field(
        default_factory=list, description="Volumes that pods have mounted."
    )
    volumesAttached: list[AttachedVolume] = Field(
        default_factory=list, description="Volumes that are attached to the node."
    )
    config: NodeConfigStatus | None = Field(default=None, description="Deprecated; no longer used.")
    runtimeHandlers: list[NodeRuntimeHandler] = Field(
        default_factory=list, description="Ways of the container runtime to run pods."
    )
    features: NodeFeatures | None = Field(default=None, description="What the container runtime can do.")
    declaredFeatures: list[str] = Field(default_factory=list, description="Features that the kubelet declares, sorted.")
