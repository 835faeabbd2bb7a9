"""API types of pod specs and pod templates."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Atomic, MapList, Merge, Named, Required, RetainKeys
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity
from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainer, ResourceRequirements
from memkube.apis.core.v1.podspec.types.scheduling import (
    Affinity,
    PodOS,
    PodReadinessGate,
    PodResourceClaim,
    PodSchedulingGate,
    PodSchedulingGroup,
    Toleration,
    TopologySpreadConstraint,
)
from memkube.apis.core.v1.podspec.types.security import PodSecurityContext
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.apis.core.v1.references import LocalObjectReference


class HostAlias(ApiModel):
    """Hostnames for an IP address in the pod's hosts file."""

    ip: Annotated[str, Required()] = Field(
        default="", description="IP address to which the hostnames resolve in the pod."
    )
    hostnames: list[str] = Field(
        default_factory=list, description="Hostnames that resolve to the IP address in the pod."
    )


class PodDNSConfigOption(ApiModel):
    """Name and value of an option for the pod's DNS resolver."""

    name: str = Field(default="", description="Name of the resolver option, such as ndots.")
    value: str | None = Field(
        default=None,
        description="Value of the DNS resolver option, such as 2 for ndots; unset for options without a value.",
    )


class PodDNSConfig(ApiModel):
    """DNS settings of a pod, merged with those of its DNS policy."""

    nameservers: list[str] = Field(
        default_factory=list, description="IP addresses of DNS servers, in addition to those of dnsPolicy."
    )
    searches: list[str] = Field(
        default_factory=list,
        description="Domains to append to short host names in lookups, besides those of dnsPolicy.",
    )
    options: list[PodDNSConfigOption] = Field(
        default_factory=list, description="Resolver options, such as ndots; they override those of dnsPolicy."
    )


class PodSpec(ApiModel):
    """Desired state of a Pod: containers, volumes, and scheduling and security settings."""

    __slots__ = ("interned",)

    volumes: Annotated[list[Volume], MapList(("name",)), Merge("name"), RetainKeys()] = Field(
        default_factory=list, description="Volumes that the containers of the pod may mount."
    )
    initContainers: Annotated[list[Container], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Containers that run to completion in order before the others start."
    )
    containers: Annotated[list[Container], MapList(("name",)), Merge("name"), Required()] = Field(
        default_factory=list, description="Containers of the pod; at least one."
    )
    ephemeralContainers: Annotated[list[EphemeralContainer], MapList(("name",)), Merge("name")] = Field(
        default_factory=list,
        description="Containers added to a running pod for debugging, by the subresource ephemeralcontainers.",
    )
    restartPolicy: Annotated[str, Named("v1.RestartPolicy", ("Always", "Never", "OnFailure"))] = Field(
        default="", description="Restart policy of all containers: Always, OnFailure or Never."
    )
    terminationGracePeriodSeconds: Int64 | None = Field(
        default=None, description="Seconds between the termination signal and the kill signal."
    )
    activeDeadlineSeconds: Int64 | None = Field(
        default=None, description="Seconds that the pod may be active before it fails."
    )
    dnsPolicy: Annotated[str, Named("v1.DNSPolicy", ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"))] = (
        Field(default="", description="DNS policy: ClusterFirst, ClusterFirstWithHostNet, Default or None.")
    )
    nodeSelector: Annotated[dict[str, str], Atomic()] = Field(
        default_factory=dict, description="Labels that a node must have for the pod to run on it."
    )
    serviceAccountName: str = Field(
        default="",
        description="Name of the pod's service account, in the pod's namespace; its containers act as this account.",
    )
    serviceAccount: str = Field(
        default="", description="Deprecated in favour of serviceAccountName, which has the same value."
    )
    automountServiceAccountToken: bool | None = Field(
        default=None,
        description="True to mount a token of the service account; if unset, the service account's field decides.",
    )
    nodeName: str = Field(default="", description="Node of the pod; empty until the pod is scheduled.")
    hostNetwork: bool = Field(default=False, description="True to use the node's network namespace.")
    hostPID: bool = Field(default=False, description="True to use the node's process namespace.")
    hostIPC: bool = Field(default=False, description="True to use the node's IPC namespace.")
    shareProcessNamespace: bool | None = Field(
        default=None, description="True if the containers share one process namespace."
    )
    securityContext: PodSecurityContext | None = Field(
        default=None, description="Security options of the pod and defaults for its containers."
    )
    imagePullSecrets: Annotated[list[LocalObjectReference], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Secrets with the credentials for pulling images, in the pod's namespace."
    )
    hostname: str = Field(default="", description="Hostname of the pod; by default the pod's name.")
    subdomain: str = Field(
        default="", description="Subdomain of the pod's DNS name, usually the name of a headless service."
    )
    affinity: Affinity | None = Field(default=None, description="Scheduling constraints by node and pod labels.")
    schedulerName: str = Field(default="", description="Name of the scheduler that chooses the pod's node.")
    tolerations: list[Toleration] = Field(
        default_factory=list,
        description="Taints that the pod tolerates: it may be scheduled to, and stay on, nodes that have them.",
    )
    hostAliases: Annotated[list[HostAlias], MapList(("ip",)), Merge("ip")] = Field(
        default_factory=list, description="Hostnames and IP addresses to add to the pod's hosts file."
    )
    priorityClassName: str = Field(default="", description="Name of the PriorityClass that sets the priority.")
    priority: Int32 | None = Field(
        default=None, description="Priority from the PriorityClass; pods with higher values are scheduled first."
    )
    dnsConfig: PodDNSConfig | None = Field(default=None, description="DNS settings, merged with those of dnsPolicy.")
    readinessGates: list[PodReadinessGate] = Field(
        default_factory=list, description="Additional conditions that must be True for the pod to be ready."
    )
    runtimeClassName: str | None = Field(
        default=None,
        description="Name of the RuntimeClass with whose handler the pod runs; the node's default if unset.",
    )
    enableServiceLinks: bool | None = Field(
        default=None,
        description="True to set environment variables with the addresses of Services in the pod's namespace.",
    )
    preemptionPolicy: Annotated[str | None, Named("v1.PreemptionPolicy", ("Never", "PreemptLowerPriority"))] = Field(
        default=None, description="Whether the pod may preempt pods of lower priority: Never or PreemptLowerPriority."
    )
    overhead: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Resources that the pod uses in addition to those of its containers."
    )
    topologySpreadConstraints: Annotated[
        list[TopologySpreadConstraint],
        MapList(
            (
                "topologyKey",
                "whenUnsatisfiable",
            )
        ),
        Merge("topologyKey"),
    ] = Field(default_factory=list, description="Constraints on spreading pods over topology domains; all must hold.")
    setHostnameAsFQDN: bool | None = Field(
        default=None,
        description="True to set the hostname that containers see to the pod's fully qualified domain name.",
    )
    os: PodOS | None = Field(default=None, description="Operating system that the containers need: linux or windows.")
    hostUsers: bool | None = Field(default=None, description="True to use the node's user namespace.")
    schedulingGates: Annotated[list[PodSchedulingGate], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Gates that block scheduling while they are present."
    )
    resourceClaims: Annotated[list[PodResourceClaim], MapList(("name",)), Merge("name"), RetainKeys()] = Field(
        default_factory=list,
        description="ResourceClaims for the pod, or templates of them, that containers refer to by name.",
    )
    resources: ResourceRequirements | None = Field(
        default=None, description="Requests and limits of the pod as a whole."
    )
    hostnameOverride: str | None = Field(
        default=None, description="Hostname that overrides all other hostname settings."
    )
    schedulingGroup: PodSchedulingGroup | None = Field(
        default=None, description="Reference to the PodGroup whose pods, among them this pod, are scheduled together."
    )


class PodTemplateSpec(ApiModel):
    """Labels, annotations and spec of the pods that are created from a template."""

    metadata: ObjectMeta = Field(
        default_factory=ObjectMeta, description="Labels, annotations and other metadata of the pods."
    )
    spec: PodSpec = Field(default_factory=PodSpec, description="Containers, volumes and other settings of the pods.")
