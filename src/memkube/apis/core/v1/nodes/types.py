from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject, OwnerReference
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity, Time


class PodSignature(ApiModel):
    """Identifies pods by their controller."""

    podController: OwnerReference | None = Field(
        default=None, description="Owner reference to the controller whose pods should avoid the node."
    )


class PreferAvoidPodsEntry(ApiModel):
    """A controller whose pods should not run on a node, with a reason and a time."""

    podSignature: Annotated[PodSignature, Required()] = Field(
        default_factory=PodSignature, description="Controller whose pods should avoid the node."
    )
    evictionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when this entry was added to the node's annotation preferAvoidPods."
    )
    reason: str = Field(default="", description="Reason why the pods should avoid the node, as one word.")
    message: str = Field(default="", description="Human-readable reason why the pods should avoid the node.")


class AvoidPods(ApiModel):
    """Pods that should not run on a node: the parsed value of the alpha annotation preferAvoidPods."""

    preferAvoidPods: list[PreferAvoidPodsEntry] = Field(
        default_factory=list, description="Controllers whose pods should avoid the node, the oldest entry first."
    )


class ConfigMapNodeConfigSource(ApiModel):
    """A key of a ConfigMap that contains a kubelet configuration. Deprecated."""

    namespace: Annotated[str, Required()] = Field(
        default="", description="Namespace of the config map with the kubelet configuration."
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the config map with the kubelet configuration."
    )
    uid: Annotated[str, Named("types.UID")] = Field(
        default="", description="UID of the config map; set only in the status of the node."
    )
    resourceVersion: str = Field(
        default="", description="Resource version of the config map; set only in the status of the node."
    )
    kubeletConfigKey: Annotated[str, Required()] = Field(
        default="", description="Key of the config map that contains the kubelet configuration."
    )


class NodeConfigSource(ApiModel):
    """Source of a kubelet configuration. Deprecated."""

    configMap: ConfigMapNodeConfigSource | None = Field(
        default=None, description="Config map that contains the kubelet configuration."
    )


class NodeConfigStatus(ApiModel):
    """Kubelet configurations of a node: the assigned, the active and the last good one. Deprecated."""

    assigned: NodeConfigSource | None = Field(
        default=None, description="Kubelet configuration that the node should use next."
    )
    active: NodeConfigSource | None = Field(default=None, description="Kubelet configuration that the node uses now.")
    lastKnownGood: NodeConfigSource | None = Field(
        default=None, description="Configuration that the kubelet uses if the assigned one fails."
    )
    error: str = Field(
        default="", description="Error that the kubelet had with the assigned configuration; empty if there was none."
    )


class NodeCondition(ApiModel):
    """A condition of a node, such as Ready."""

    type: Annotated[str, Named("v1.NodeConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as Ready."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastHeartbeatTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when the condition was last reported."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the status, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable explanation of the condition's status.")


class NodeAddress(ApiModel):
    """IP address or host name of a node, with its type."""

    type: Annotated[str, Named("v1.NodeAddressType"), Required()] = Field(
        default="", description="Type of the address: Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS."
    )
    address: Annotated[str, Required()] = Field(
        default="", description="IP address or host name of the node, according to the type."
    )


class DaemonEndpoint(ApiModel):
    """Port on which a daemon, such as the kubelet, listens on a node."""

    Port: Annotated[Int32, Required()] = Field(
        default=0, description="Number of the node's port on which the daemon, such as the kubelet, listens."
    )


class NodeDaemonEndpoints(ApiModel):
    """Ports of the daemons on a node."""

    kubeletEndpoint: DaemonEndpoint = Field(
        default_factory=DaemonEndpoint, description="Port on which the kubelet serves its API."
    )


class NodeSwapStatus(ApiModel):
    """Total swap space of a node, as the kubelet reports it."""

    capacity: Int64 | None = Field(default=None, description="Total size of the node's swap space in bytes.")


class NodeSystemInfo(ApiModel):
    """Machine IDs, operating system and component versions of a node."""

    machineID: Annotated[str, Required()] = Field(
        default="", description="ID of the operating system's installation, as in /etc/machine-id on Linux."
    )
    systemUUID: Annotated[str, Required()] = Field(
        default="", description="UUID of the physical or virtual machine, usually from its firmware."
    )
    bootID: Annotated[str, Required()] = Field(default="", description="ID that changes each time the node boots.")
    kernelVersion: Annotated[str, Required()] = Field(
        default="", description="Version of the kernel, as in the output of uname -r."
    )
    osImage: Annotated[str, Required()] = Field(
        default="", description="Name and version of the OS distribution, such as Debian GNU/Linux 12."
    )
    containerRuntimeVersion: Annotated[str, Required()] = Field(
        default="", description="Name and version of the container runtime."
    )
    kubeletVersion: Annotated[str, Required()] = Field(
        default="", description="Version of the kubelet on the node, such as v1.36.0."
    )
    kubeProxyVersion: Annotated[str, Required()] = Field(
        default="", description="Deprecated; version of kube-proxy on the node."
    )
    operatingSystem: Annotated[str, Required()] = Field(
        default="", description="Operating system of the node, such as linux."
    )
    architecture: Annotated[str, Required()] = Field(
        default="", description="Processor architecture of the node, such as amd64."
    )
    swap: NodeSwapStatus | None = Field(
        default=None, description="Size of the node's swap space; unset if the kubelet does not report it."
    )


class ContainerImage(ApiModel):
    """Names and size in bytes of a container image on a node."""

    names: Annotated[list[str], Always()] = Field(
        default_factory=list, description="Names of the image at the node's runtime, each with a tag or digest."
    )
    sizeBytes: Int64 = Field(default=0, description="Number of bytes that the image takes on the node.")


class AttachedVolume(ApiModel):
    """Name and device path of a volume that is attached to a node."""

    name: Annotated[str, Named("v1.UniqueVolumeName"), Required()] = Field(
        default="", description="Name of the attached volume, with the name of the volume plugin as prefix."
    )
    devicePath: Annotated[str, Required()] = Field(
        default="", description="Path on the node of the device that is the attached volume."
    )


class NodeRuntimeHandlerFeatures(ApiModel):
    """Optional features that a container runtime handler supports."""

    recursiveReadOnlyMounts: bool | None = Field(
        default=None, description="True if the handler supports recursive read-only mounts."
    )
    userNamespaces: bool | None = Field(default=None, description="True if the handler supports user namespaces.")


class NodeRuntimeHandler(ApiModel):
    """Name and features of a container runtime handler of a node."""

    name: Annotated[str, Always()] = Field(
        default="", description="Name of the container runtime handler; empty for the default handler."
    )
    features: NodeRuntimeHandlerFeatures | None = Field(
        default=None, description="Optional features that the container runtime handler supports."
    )


class NodeFeatures(ApiModel):
    """Optional features of a node's container runtime."""

    supplementalGroupsPolicy: bool | None = Field(
        default=None,
        description="True if the runtime supports the field supplementalGroupsPolicy of a pod's security context.",
    )


class NodeStatus(ApiModel):
    """Observed state of a Node: capacity, conditions, addresses and system information."""

    capacity: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Total amount of each resource that the node has."
    )
    allocatable: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Resources available to pods; capacity by default."
    )
    phase: Annotated[str, Named("v1.NodePhase", ("Pending", "Running", "Terminated"))] = Field(
        default="", description="Deprecated and never set; see the conditions of the node."
    )
    conditions: Annotated[list[NodeCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the node, such as Ready."
    )
    addresses: Annotated[list[NodeAddress], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="IP addresses and host names of the node, with their types."
    )
    daemonEndpoints: NodeDaemonEndpoints = Field(
        default_factory=NodeDaemonEndpoints,
        description="Ports on which daemons of the node listen, such as the kubelet.",
    )
    nodeInfo: NodeSystemInfo = Field(
        default_factory=NodeSystemInfo, description="Machine IDs, operating system and component versions of the node."
    )
    images: list[ContainerImage] = Field(
        default_factory=list, description="Container images that are stored on the node."
    )
    volumesInUse: list[Annotated[str, Named("v1.UniqueVolumeName")]] = Field(
        default_factory=list, description="Names of the attachable volumes that pods on the node use."
    )
    volumesAttached: list[AttachedVolume] = Field(
        default_factory=list, description="Volumes that are attached to the node, with their device paths."
    )
    config: NodeConfigStatus | None = Field(
        default=None, description="Deprecated and unused; state of the kubelet configuration from config maps."
    )
    runtimeHandlers: list[NodeRuntimeHandler] = Field(
        default_factory=list, description="Container runtime handlers of the node, with their features."
    )
    features: NodeFeatures | None = Field(
        default=None, description="Optional features that the node's container runtime supports."
    )
    declaredFeatures: list[str] = Field(
        default_factory=list, description="Names of the features that the kubelet supports, sorted."
    )


class Taint(ApiModel):
    """Keeps pods without a matching toleration away from a node."""

    key: Annotated[str, Required()] = Field(
        default="", description="Key of the taint, by which tolerations refer to it."
    )
    value: str = Field(
        default="", description="Value of the taint, which tolerations with operator Equal must have too."
    )
    effect: Annotated[str, Named("v1.TaintEffect", ("NoExecute", "NoSchedule", "PreferNoSchedule")), Required()] = (
        Field(default="", description="Effect on pods without a toleration: NoSchedule, PreferNoSchedule or NoExecute.")
    )
    timeAdded: Time | None = Field(
        default=None, description="Time when the taint was added, from which tolerationSeconds counts."
    )


class NodeSpec(ApiModel):
    """Pod CIDRs, provider ID, taints and schedulability of a node."""

    podCIDR: str = Field(default="", description="CIDR from which the pods on the node get their IP addresses.")
    podCIDRs: Annotated[list[str], SetList(), Merge()] = Field(
        default_factory=list, description="CIDRs of the node's pods, one for each IP family; the first is podCIDR."
    )
    providerID: str = Field(default="", description="ID of the machine at its cloud provider.")
    unschedulable: bool = Field(default=False, description="True if new pods are not scheduled to the node.")
    taints: list[Taint] = Field(
        default_factory=list, description="Taints, which keep pods without matching tolerations off the node."
    )
    configSource: NodeConfigSource | None = Field(
        default=None, description="Deprecated and unused; config map from which to configure the kubelet."
    )
    externalID: str = Field(default="", description="Deprecated and unused; earlier form of providerID.")


class Node(ApiObject):
    """A machine that pods run on."""

    spec: NodeSpec = Field(
        default_factory=NodeSpec, description="Pod CIDRs, provider ID, taints and schedulability of the node."
    )
    status: NodeStatus = Field(
        default_factory=NodeStatus, description="Capacity, conditions, addresses and system information of the node."
    )
