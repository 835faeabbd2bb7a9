"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Atomic, MapList, Merge, Named, Required, RetainKeys
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity
from memkube.apis.core.v1.podspec.types.affinity import Affinity
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.dns import HostAlias, PodDNSConfig
from memkube.apis.core.v1.podspec.types.ephemeral_containers import EphemeralContainer
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements
from memkube.apis.core.v1.podspec.types.scheduling import PodOS, PodReadinessGate, PodResourceClaim, PodSchedulingGate, PodSchedulingGroup, Toleration, TopologySpreadConstraint
from memkube.apis.core.v1.podspec.types.security import PodSecurityContext
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.apis.core.v1.references import LocalObjectReference


class PodSpec(ApiModel):
    """."""

    volumes: Annotated[list[Volume], MapList(("name",)), Merge("name"), RetainKeys()] = Field(default_factory=list, description="")
    initContainers: Annotated[list[Container], MapList(("name",)), Merge("name")] = Field(default_factory=list, description="")
    containers: Annotated[list[Container], MapList(("name",)), Merge("name"), Required()] = Field(default_factory=list, description="")
    ephemeralContainers: Annotated[list[EphemeralContainer], MapList(("name",)), Merge("name")] = Field(default_factory=list, description="")
    restartPolicy: Annotated[str, Named("v1.RestartPolicy", ("Always", "Never", "OnFailure"))] = Field(default="", description="")
    terminationGracePeriodSeconds: Int64 | None = Field(default=None, description="")
    activeDeadlineSeconds: Int64 | None = Field(default=None, description="")
    dnsPolicy: Annotated[str, Named("v1.DNSPolicy", ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"))] = Field(default="", description="")
    nodeSelector: Annotated[dict[str, str], Atomic()] = Field(default_factory=dict, description="")
    serviceAccountName: str = Field(default="", description="")
    serviceAccount: str = Field(default="", description="")
    automountServiceAccountToken: bool | None = Field(default=None, description="")
    nodeName: str = Field(default="", description="")
    hostNetwork: bool = Field(default=False, description="")
    hostPID: bool = Field(default=False, description="")
    hostIPC: bool = Field(default=False, description="")
    shareProcessNamespace: bool | None = Field(default=None, description="")
    securityContext: PodSecurityContext | None = Field(default=None, description="")
    imagePullSecrets: Annotated[list[LocalObjectReference], MapList(("name",)), Merge("name")] = Field(default_factory=list, description="")
    hostname: str = Field(default="", description="")
    subdomain: str = Field(default="", description="")
    affinity: Affinity | None = Field(default=None, description="")
    schedulerName: str = Field(default="", description="")
    tolerations: list[Toleration] = Field(default_factory=list, description="")
    hostAliases: Annotated[list[HostAlias], MapList(("ip",)), Merge("ip")] = Field(default_factory=list, description="")
    priorityClassName: str = Field(default="", description="")
    priority: Int32 | None = Field(default=None, description="")
    dnsConfig: PodDNSConfig | None = Field(default=None, description="")
    readinessGates: list[PodReadinessGate] = Field(default_factory=list, description="")
    runtimeClassName: str | None = Field(default=None, description="")
    enableServiceLinks: bool | None = Field(default=None, description="")
    preemptionPolicy: Annotated[str | None, Named("v1.PreemptionPolicy", ("Never", "PreemptLowerPriority"))] = Field(default=None, description="")
    overhead: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="")
    topologySpreadConstraints: Annotated[list[TopologySpreadConstraint], MapList(("topologyKey", "whenUnsatisfiable",)), Merge("topologyKey")] = Field(default_factory=list, description="")
    setHostnameAsFQDN: bool | None = Field(default=None, description="")
    os: PodOS | None = Field(default=None, description="")
    hostUsers: bool | None = Field(default=None, description="")
    schedulingGates: Annotated[list[PodSchedulingGate], MapList(("name",)), Merge("name")] = Field(default_factory=list, description="")
    resourceClaims: Annotated[list[PodResourceClaim], MapList(("name",)), Merge("name"), RetainKeys()] = Field(default_factory=list, description="")
    resources: ResourceRequirements | None = Field(default=None, description="")
    hostnameOverride: str | None = Field(default=None, description="")
    schedulingGroup: PodSchedulingGroup | None = Field(default=None, description="")
