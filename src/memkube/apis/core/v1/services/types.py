"""Services: names and addresses for sets of pods."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Atomic, Default, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, IntOrString


class ServicePort(ApiModel):
    """A port of a service."""

    name: str = Field(default="", description="Name of the port; required where there are several.")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Default("TCP")] = Field(
        default="", description="Protocol of the port: TCP, UDP or SCTP."
    )
    appProtocol: str | None = Field(
        default=None, description="Protocol that applications speak, such as kubernetes.io/h2c."
    )
    port: Annotated[Int32, Required()] = Field(default=0, description="Number of the port.")
    targetPort: Annotated[IntOrString, Always()] = Field(
        default=0, description="Number or name of the port of the pods; the same number by default."
    )
    nodePort: Int32 = Field(
        default=0,
        description="Port on every node, for NodePort and LoadBalancer services; chosen by the server by default.",
    )


class ClientIPConfig(ApiModel):
    """How long a client stays with its pod."""

    timeoutSeconds: Int32 | None = Field(
        default=None,
        description="Seconds for which a client stays with its pod, at most a day; three hours by default.",
    )


class SessionAffinityConfig(ApiModel):
    """Settings of session affinity."""

    clientIP: ClientIPConfig | None = Field(
        default=None, description="Settings of affinity by the address of the client."
    )


class ServiceSpec(ApiModel):
    """What a service is to be reached at, and what is behind it."""

    ports: Annotated[
        list[ServicePort],
        MapList(
            (
                "port",
                "protocol",
            )
        ),
        Merge("port"),
    ] = Field(default_factory=list, description="Ports of the service.")
    selector: Annotated[dict[str, str], Atomic()] = Field(
        default_factory=dict,
        description="Labels of the pods behind the service; without any, endpoints are managed by somebody else.",
    )
    clusterIP: str = Field(
        default="",
        description="Address within the cluster; None for a headless service, chosen by the server by default.",
    )
    clusterIPs: list[str] = Field(
        default_factory=list, description="Addresses of the service, one for each family; the first is clusterIP."
    )
    type: Annotated[str, Named("v1.ServiceType", ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"))] = Field(
        default="", description="How the service is exposed: ClusterIP, NodePort, LoadBalancer or ExternalName."
    )
    externalIPs: list[str] = Field(
        default_factory=list, description="Deprecated; further addresses at which nodes accept traffic for the service."
    )
    sessionAffinity: Annotated[str, Named("v1.ServiceAffinity", ("ClientIP", "None"))] = Field(
        default="", description="Whether clients stay with their pod: None or ClientIP."
    )
    loadBalancerIP: str = Field(default="", description="Deprecated; address that the load balancer should get.")
    loadBalancerSourceRanges: list[str] = Field(
        default_factory=list, description="Blocks of addresses from which the load balancer takes traffic."
    )
    externalName: str = Field(
        default="", description="Domain name that the service stands for, for the type ExternalName."
    )
    externalTrafficPolicy: Annotated[str, Named("v1.ServiceExternalTrafficPolicy", ("Cluster", "Local"))] = Field(
        default="",
        description="Where traffic from outside goes: to pods in the whole Cluster, or Local ones of the node.",
    )
    healthCheckNodePort: Int32 = Field(
        default=0, description="Port on every node that tells whether it has local pods."
    )
    publishNotReadyAddresses: bool = Field(
        default=False, description="Whether pods are published before they are ready."
    )
    sessionAffinityConfig: SessionAffinityConfig | None = Field(
        default=None, description="Settings of session affinity."
    )
    ipFamilies: list[Annotated[str, Named("v1.IPFamily", ("", "IPv4", "IPv6"))]] = Field(
        default_factory=list, description="Families of the addresses: IPv4, IPv6."
    )
    ipFamilyPolicy: Annotated[
        str | None, Named("v1.IPFamilyPolicy", ("PreferDualStack", "RequireDualStack", "SingleStack"))
    ] = Field(
        default=None, description="How many families there are: SingleStack, PreferDualStack or RequireDualStack."
    )
    allocateLoadBalancerNodePorts: bool | None = Field(
        default=None, description="Whether a LoadBalancer service gets ports on the nodes."
    )
    loadBalancerClass: str | None = Field(
        default=None, description="Implementation of load balancers that is to serve this one."
    )
    internalTrafficPolicy: Annotated[str | None, Named("v1.ServiceInternalTrafficPolicy", ("Cluster", "Local"))] = (
        Field(
            default=None,
            description="Where traffic from inside goes: to pods in the whole Cluster, or Local ones of the node.",
        )
    )
    trafficDistribution: str | None = Field(
        default=None, description="Which endpoints are preferred, such as PreferSameZone."
    )


class PortStatus(ApiModel):
    """How a port of a load balancer does."""

    port: Annotated[Int32, Required()] = Field(default=0, description="Number of the port.")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Required()] = Field(
        default="", description="Protocol of the port."
    )
    error: str | None = Field(default=None, description="What is wrong with the port.")


class LoadBalancerIngress(ApiModel):
    """A point at which traffic enters a load balancer."""

    ip: str = Field(default="", description="Address of the load balancer.")
    hostname: str = Field(default="", description="Domain name of the load balancer.")
    ipMode: Annotated[str | None, Named("v1.LoadBalancerIPMode")] = Field(
        default=None, description="How traffic reaches the nodes: VIP or Proxy."
    )
    ports: list[PortStatus] = Field(default_factory=list, description="State of the ports.")


class LoadBalancerStatus(ApiModel):
    """What is known of a load balancer."""

    ingress: list[LoadBalancerIngress] = Field(default_factory=list, description="Points at which traffic enters.")


class ServiceStatus(ApiModel):
    """What is known of a service."""

    loadBalancer: LoadBalancerStatus = Field(
        default_factory=LoadBalancerStatus, description="State of the load balancer."
    )
    conditions: Annotated[list[Condition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="State of the service."
    )


class Service(ApiObject):
    """A name and an address for a set of pods."""

    spec: ServiceSpec = Field(
        default_factory=ServiceSpec, description="What the service is reached at, and what is behind it."
    )
    status: ServiceStatus = Field(default_factory=ServiceStatus, description="What is known of the service.")
