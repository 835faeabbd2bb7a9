"""Services: names and addresses for sets of pods."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Atomic, Default, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, IntOrString


class ServicePort(ApiModel):
    """TODO."""

    name: str = Field(default="", description="TODO")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Default("TCP")] = Field(
        default="", description="TODO"
    )
    appProtocol: str | None = Field(default=None, description="TODO")
    port: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    targetPort: IntOrString = Field(default=0, description="TODO")
    nodePort: Int32 = Field(default=0, description="TODO")


class ClientIPConfig(ApiModel):
    """TODO."""

    timeoutSeconds: Int32 | None = Field(default=None, description="TODO")


class SessionAffinityConfig(ApiModel):
    """TODO."""

    clientIP: ClientIPConfig | None = Field(default=None, description="TODO")


class ServiceSpec(ApiModel):
    """TODO."""

    ports: Annotated[
        list[ServicePort],
        MapList(
            (
                "port",
                "protocol",
            )
        ),
        Merge("port"),
    ] = Field(default_factory=list, description="TODO")
    selector: Annotated[dict[str, str], Atomic()] = Field(default_factory=dict, description="TODO")
    clusterIP: str = Field(default="", description="TODO")
    clusterIPs: list[str] = Field(default_factory=list, description="TODO")
    type: Annotated[str, Named("v1.ServiceType", ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"))] = Field(
        default="", description="TODO"
    )
    externalIPs: list[str] = Field(default_factory=list, description="TODO")
    sessionAffinity: Annotated[str, Named("v1.ServiceAffinity", ("ClientIP", "None"))] = Field(
        default="", description="TODO"
    )
    loadBalancerIP: str = Field(default="", description="TODO")
    loadBalancerSourceRanges: list[str] = Field(default_factory=list, description="TODO")
    externalName: str = Field(default="", description="TODO")
    externalTrafficPolicy: Annotated[str, Named("v1.ServiceExternalTrafficPolicy", ("Cluster", "Local"))] = Field(
        default="", description="TODO"
    )
    healthCheckNodePort: Int32 = Field(default=0, description="TODO")
    publishNotReadyAddresses: bool = Field(default_factory=False, description="TODO")
    sessionAffinityConfig: SessionAffinityConfig | None = Field(default=None, description="TODO")
    ipFamilies: list[Annotated[str, Named("v1.IPFamily", ("", "IPv4", "IPv6"))]] = Field(
        default_factory=list, description="TODO"
    )
    ipFamilyPolicy: Annotated[
        str | None, Named("v1.IPFamilyPolicy", ("PreferDualStack", "RequireDualStack", "SingleStack"))
    ] = Field(default=None, description="TODO")
    allocateLoadBalancerNodePorts: bool | None = Field(default=None, description="TODO")
    loadBalancerClass: str | None = Field(default=None, description="TODO")
    internalTrafficPolicy: Annotated[str | None, Named("v1.ServiceInternalTrafficPolicy", ("Cluster", "Local"))] = (
        Field(default=None, description="TODO")
    )
    trafficDistribution: str | None = Field(default=None, description="TODO")


class PortStatus(ApiModel):
    """TODO."""

    port: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Required()] = Field(
        default="", description="TODO"
    )
    error: str | None = Field(default=None, description="TODO")


class LoadBalancerIngress(ApiModel):
    """TODO."""

    ip: str = Field(default="", description="TODO")
    hostname: str = Field(default="", description="TODO")
    ipMode: Annotated[str | None, Named("v1.LoadBalancerIPMode")] = Field(default=None, description="TODO")
    ports: list[PortStatus] = Field(default_factory=list, description="TODO")


class LoadBalancerStatus(ApiModel):
    """TODO."""

    ingress: list[LoadBalancerIngress] = Field(default_factory=list, description="TODO")


class ServiceStatus(ApiModel):
    """TODO."""

    loadBalancer: LoadBalancerStatus = Field(default_factory=LoadBalancerStatus, description="TODO")
    conditions: Annotated[list[Condition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="TODO"
    )


class Service(ApiObject):
    """TODO."""

    spec: ServiceSpec = Field(default_factory=ServiceSpec, description="TODO")
    status: ServiceStatus = Field(default_factory=ServiceStatus, description="TODO")
