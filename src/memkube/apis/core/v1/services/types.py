from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Atomic, Default, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, IntOrString


class ServicePort(ApiModel):
    """Name, numbers, protocol and node port of one port of a service."""

    name: str = Field(default="", description="Name of the port; required if there are several ports.")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Default("TCP")] = Field(
        default="", description="Protocol of the port: TCP, UDP or SCTP."
    )
    appProtocol: str | None = Field(
        default=None, description="Application protocol of the port, such as kubernetes.io/h2c."
    )
    port: Annotated[Int32, Required()] = Field(
        default=0, description="Port number at which clients reach the service, 1 to 65535."
    )
    targetPort: Annotated[IntOrString, Always()] = Field(
        default=0,
        description="Number or name of the pods' port that receives the traffic; the number in `port` by default.",
    )
    nodePort: Int32 = Field(
        default=0,
        description="Node port of NodePort and LoadBalancer services; allocated by default.",
    )


class ClientIPConfig(ApiModel):
    """Timeout of session affinity by client IP."""

    timeoutSeconds: Int32 | None = Field(
        default=None,
        description="Seconds for which requests of a client go to the same pod, at most 86400; 10800 by default.",
    )


class SessionAffinityConfig(ApiModel):
    """Settings of session affinity, by the type of affinity."""

    clientIP: ClientIPConfig | None = Field(
        default=None,
        description="Time for which requests of a client go to the same pod; only for sessionAffinity ClientIP.",
    )


class ServiceSpec(ApiModel):
    """Desired state of a Service: type, selector, ports, cluster IPs and traffic policies."""

    ports: Annotated[
        list[ServicePort],
        MapList(
            (
                "port",
                "protocol",
            )
        ),
        Merge("port"),
    ] = Field(
        default_factory=list,
        description="Ports at which the service accepts traffic, and the pods' ports that receive it.",
    )
    selector: Annotated[dict[str, str], Atomic()] = Field(
        default_factory=dict,
        description="Labels of the pods to route to; if empty, endpoints are managed externally.",
    )
    clusterIP: str = Field(
        default="",
        description="Cluster IP; None for a headless service, allocated by default.",
    )
    clusterIPs: list[str] = Field(
        default_factory=list, description="Cluster IPs, one for each IP family; the first is clusterIP."
    )
    type: Annotated[str, Named("v1.ServiceType", ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"))] = Field(
        default="", description="Type of the service: ClusterIP, NodePort, LoadBalancer or ExternalName."
    )
    externalIPs: list[str] = Field(
        default_factory=list, description="Deprecated; additional IPs at which nodes accept traffic for the service."
    )
    sessionAffinity: Annotated[str, Named("v1.ServiceAffinity", ("ClientIP", "None"))] = Field(
        default="", description="ClientIP to send all requests of a client to one pod; None (the default) for any pod."
    )
    loadBalancerIP: str = Field(default="", description="Deprecated; IP address that the load balancer should get.")
    loadBalancerSourceRanges: list[str] = Field(
        default_factory=list,
        description="CIDRs of the clients from which the load balancer accepts traffic; all clients if empty.",
    )
    externalName: str = Field(
        default="", description="DNS name to which the service is an alias, for type ExternalName."
    )
    externalTrafficPolicy: Annotated[str, Named("v1.ServiceExternalTrafficPolicy", ("Cluster", "Local"))] = Field(
        default="",
        description="Endpoints that get external traffic: all (Cluster), or those on the receiving node (Local).",
    )
    healthCheckNodePort: Int32 = Field(
        default=0,
        description="Node port at which load balancers ask if the node has endpoints; for externalTrafficPolicy Local.",
    )
    publishNotReadyAddresses: bool = Field(
        default=False, description="True if pods that are not ready are also published, in DNS and as ready endpoints."
    )
    sessionAffinityConfig: SessionAffinityConfig | None = Field(
        default=None, description="Settings of session affinity: how long it lasts; only for sessionAffinity ClientIP."
    )
    ipFamilies: list[Annotated[str, Named("v1.IPFamily", ("", "IPv4", "IPv6"))]] = Field(
        default_factory=list,
        description="IP families (IPv4, IPv6) of the cluster IPs, in their order; set by the server if empty.",
    )
    ipFamilyPolicy: Annotated[
        str | None, Named("v1.IPFamilyPolicy", ("PreferDualStack", "RequireDualStack", "SingleStack"))
    ] = Field(default=None, description="Dual-stack policy: SingleStack, PreferDualStack or RequireDualStack.")
    allocateLoadBalancerNodePorts: bool | None = Field(
        default=None, description="True (the default) if a service of type LoadBalancer gets node ports."
    )
    loadBalancerClass: str | None = Field(
        default=None,
        description="Load balancer implementation to use, such as example.com/internal; the default one if unset.",
    )
    internalTrafficPolicy: Annotated[str | None, Named("v1.ServiceInternalTrafficPolicy", ("Cluster", "Local"))] = (
        Field(
            default=None,
            description="Endpoints that get traffic from pods: all (Cluster), or only those on the same node (Local).",
        )
    )
    trafficDistribution: str | None = Field(
        default=None,
        description="Endpoints to prefer as seen from the client, such as PreferSameZone; no preference by default.",
    )


class PortStatus(ApiModel):
    """State of one port of a load balancer: number, protocol and error."""

    port: Annotated[Int32, Required()] = Field(
        default=0, description="Number of the service's port that this state is about."
    )
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Required()] = Field(
        default="", description="Protocol of the port: TCP, UDP or SCTP."
    )
    error: str | None = Field(default=None, description="Error that the load balancer reports for the port.")


class LoadBalancerIngress(ApiModel):
    """IP address or host name at which a load balancer accepts traffic."""

    ip: str = Field(default="", description="IP address at which the load balancer accepts traffic.")
    hostname: str = Field(default="", description="DNS name at which the load balancer accepts traffic.")
    ipMode: Annotated[str | None, Named("v1.LoadBalancerIPMode")] = Field(
        default=None,
        description="VIP if traffic reaches nodes with the load balancer's IP address as destination; otherwise Proxy.",
    )
    ports: list[PortStatus] = Field(
        default_factory=list,
        description="Number and protocol of each port of the load balancer, and the port's error if there is one.",
    )


class LoadBalancerStatus(ApiModel):
    """IP addresses and host names at which a load balancer accepts traffic."""

    ingress: list[LoadBalancerIngress] = Field(
        default_factory=list, description="IP addresses and host names of the load balancer."
    )


class ServiceStatus(ApiModel):
    """Observed state of a Service: its load balancer's addresses, and conditions."""

    loadBalancer: LoadBalancerStatus = Field(
        default_factory=LoadBalancerStatus, description="Addresses of the load balancer; empty if there is none."
    )
    conditions: Annotated[list[Condition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list,
        description="Conditions that controllers report, such as LoadBalancerPortsError; at most one of each type.",
    )


class Service(ApiObject):
    """A stable name and address for a set of pods."""

    spec: ServiceSpec = Field(
        default_factory=ServiceSpec,
        description="Type, selector, ports, cluster IPs and traffic policies of the service.",
    )
    status: ServiceStatus = Field(
        default_factory=ServiceStatus, description="Addresses of the load balancer, and conditions of the service."
    )
