"""Specs of pods, and templates that hold them."""

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
    """Names for an address in the pod's hosts file."""

    ip: Annotated[str, Required()] = Field(default="", description="IP address.")
    hostnames: list[str] = Field(default_factory=list, description="Names for the address.")


class PodDNSConfigOption(ApiModel):
    """An option of the resolver."""

    name: str = Field(default="", description="Name of the option.")
    value: str | None = Field(default=None, description="Value of the option.")


class PodDNSConfig(ApiModel):
    """Resolver settings on top of those of the DNS policy."""

    nameservers: list[str] = Field(default_factory=list, description="Addresses of name servers.")
    searches: list[str] = Field(default_factory=list, description="Domains to search for short names.")
    options: list[PodDNSConfigOption] = Field(default_factory=list, description="Options of the resolver.")


class PodSpec(ApiModel):
    """What is wanted of a pod."""

    __slots__ = ("interned",)

    volumes: Annotated[list[Volume], MapList(("name",)), Merge("name"), RetainKeys()] = Field(
        default_factory=list, description="Volumes that containers may mount."
    )
    initContainers: Annotated[list[Container], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Containers that run one after the other before all others."
    )
    containers: Annotated[list[Container], MapList(("name",)), Merge("name"), Required()] = Field(
        default_factory=list, description="Containers of the pod; there is at least one."
    )
    ephemeralContainers: Annotated[list[EphemeralContainer], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Containers added for debugging; set through their own subresource."
    )
    restartPolicy: Annotated[str, Named("v1.RestartPolicy", ("Always", "Never", "OnFailure"))] = Field(
        default="", description="When to restart containers: Always, OnFailure or Never."
    )
    terminationGracePeriodSeconds: Int64 | None = Field(
        default=None, description="Seconds between the request to stop and the kill."
    )
    activeDeadlineSeconds: Int64 | None = Field(default=None, description="Seconds after which the pod fails.")
    dnsPolicy: Annotated[str, Named("v1.DNSPolicy", ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"))] = (
        Field(default="", description="How names are resolved.")
    )
    nodeSelector: Annotated[dict[str, str], Atomic()] = Field(
        default_factory=dict, description="Labels that the node must have."
    )
    serviceAccountName: str = Field(default="", description="Service account to run as.")
    serviceAccount: str = Field(default="", description="Deprecated for serviceAccountName.")
    automountServiceAccountToken: bool | None = Field(
        default=None, description="Whether a token of the service account is mounted."
    )
    nodeName: str = Field(default="", description="Node that the pod is on; empty until it is placed.")
    hostNetwork: bool = Field(default=False, description="Whether the pod uses the node's network.")
    hostPID: bool = Field(default=False, description="Whether the pod sees the node's processes.")
    hostIPC: bool = Field(default=False, description="Whether the pod shares the node's IPC.")
    shareProcessNamespace: bool | None = Field(
        default=None, description="Whether the containers see each other's processes."
    )
    securityContext: PodSecurityContext | None = Field(
        default=None, description="Rights of the pod and defaults for its containers."
    )
    imagePullSecrets: Annotated[list[LocalObjectReference], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Secrets for pulling images."
    )
    hostname: str = Field(default="", description="Host name; the pod's name by default.")
    subdomain: str = Field(default="", description="Subdomain of the host name.")
    affinity: Affinity | None = Field(default=None, description="Rules about where the pod may run.")
    schedulerName: str = Field(default="", description="Scheduler that places the pod.")
    tolerations: list[Toleration] = Field(default_factory=list, description="Taints that do not keep the pod away.")
    hostAliases: Annotated[list[HostAlias], MapList(("ip",)), Merge("ip")] = Field(
        default_factory=list, description="Entries for the hosts file."
    )
    priorityClassName: str = Field(default="", description="Priority class, which decides about priority.")
    priority: Int32 | None = Field(default=None, description="Importance of the pod; higher values come first.")
    dnsConfig: PodDNSConfig | None = Field(default=None, description="Resolver settings on top of dnsPolicy.")
    readinessGates: list[PodReadinessGate] = Field(
        default_factory=list, description="Conditions that must be true for the pod to be ready."
    )
    runtimeClassName: str | None = Field(default=None, description="Runtime class to run with.")
    enableServiceLinks: bool | None = Field(
        default=None, description="Whether services appear in environment variables."
    )
    preemptionPolicy: Annotated[str | None, Named("v1.PreemptionPolicy", ("Never", "PreemptLowerPriority"))] = Field(
        default=None, description="Whether pods of lower priority may be evicted for this one."
    )
    overhead: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Resources that running a pod takes by itself."
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
    ] = Field(default_factory=list, description="How pods spread over places; all must hold.")
    setHostnameAsFQDN: bool | None = Field(default=None, description="Whether the host name is fully qualified.")
    os: PodOS | None = Field(default=None, description="Operating system of the containers.")
    hostUsers: bool | None = Field(default=None, description="Whether the pod uses the node's user namespace.")
    schedulingGates: Annotated[list[PodSchedulingGate], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="What keeps the pod from being placed."
    )
    resourceClaims: Annotated[list[PodResourceClaim], MapList(("name",)), Merge("name"), RetainKeys()] = Field(
        default_factory=list, description="Claims that containers refer to by name."
    )
    resources: ResourceRequirements | None = Field(default=None, description="Resources of the pod as a whole.")
    hostnameOverride: str | None = Field(default=None, description="Host name that takes the place of all others.")
    schedulingGroup: PodSchedulingGroup | None = Field(
        default=None, description="Group of pods that are placed together."
    )


class PodTemplateSpec(ApiModel):
    """What the pods of a workload look like."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Labels and other metadata of the pods.")
    spec: PodSpec = Field(default_factory=PodSpec, description="What is wanted of the pods.")
