"""Machines that pods run on, and what they report of themselves."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject, OwnerReference
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity, Time


class PodSignature(ApiModel):
    """Which pods are meant."""

    podController: OwnerReference | None = Field(default=None, description="Controller of the pods.")


class PreferAvoidPodsEntry(ApiModel):
    """Pods that should run elsewhere."""

    podSignature: Annotated[PodSignature, Required()] = Field(
        default_factory=PodSignature, description="Which pods are meant."
    )
    evictionTime: Annotated[Time | None, Always()] = Field(default=None, description="When the entry was added.")
    reason: str = Field(default="", description="Why the entry was added, in one word.")
    message: str = Field(default="", description="Why the entry was added, for people.")


class AvoidPods(ApiModel):
    """Pods that should run elsewhere."""

    preferAvoidPods: list[PreferAvoidPodsEntry] = Field(
        default_factory=list, description="Which pods are meant, the oldest entry first."
    )


class ConfigMapNodeConfigSource(ApiModel):
    """A key of a config map."""

    namespace: Annotated[str, Required()] = Field(default="", description="Namespace of the config map.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the config map.")
    uid: Annotated[str, Named("types.UID")] = Field(default="", description="UID of the config map.")
    resourceVersion: str = Field(default="", description="Version of the config map.")
    kubeletConfigKey: Annotated[str, Required()] = Field(default="", description="Key of the configuration.")


class NodeConfigSource(ApiModel):
    """Where a configuration comes from."""

    configMap: ConfigMapNodeConfigSource | None = Field(default=None, description="Key of a config map.")


class NodeConfigStatus(ApiModel):
    """Which configuration is in use."""

    assigned: NodeConfigSource | None = Field(default=None, description="Configuration to be used.")
    active: NodeConfigSource | None = Field(default=None, description="Configuration in use.")
    lastKnownGood: NodeConfigSource | None = Field(default=None, description="Configuration to fall back to.")
    error: str = Field(default="", description="What is wrong with the assigned configuration.")


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


class Taint(ApiModel):
    """What keeps pods away from a node unless they tolerate it."""

    key: Annotated[str, Required()] = Field(default="", description="Name of the taint.")
    value: str = Field(default="", description="Value of the taint.")
    effect: Annotated[str, Named("v1.TaintEffect", ("NoExecute", "NoSchedule", "PreferNoSchedule")), Required()] = (
        Field(default="", description="What happens to pods: NoSchedule, PreferNoSchedule or NoExecute.")
    )
    timeAdded: Time | None = Field(default=None, description="When the taint was added.")


class NodeSpec(ApiModel):
    """What is wanted of a node."""

    podCIDR: str = Field(default="", description="Block of addresses for pods on the node.")
    podCIDRs: Annotated[list[str], SetList(), Merge()] = Field(
        default_factory=list, description="Blocks of addresses for pods, one for each family; the first is podCIDR."
    )
    providerID: str = Field(default="", description="Identity of the machine at its provider.")
    unschedulable: bool = Field(default=False, description="Whether new pods are kept away.")
    taints: list[Taint] = Field(default_factory=list, description="What keeps pods away unless they tolerate it.")
    configSource: NodeConfigSource | None = Field(default=None, description="Deprecated; no longer used.")
    externalID: str = Field(default="", description="Deprecated; not used.")


class Node(ApiObject):
    """A machine that pods run on."""

    spec: NodeSpec = Field(default_factory=NodeSpec, description="What is wanted of the node.")
    status: NodeStatus = Field(default_factory=NodeStatus, description="What is known of the node.")
