from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import TypedLocalObjectReference


class ServiceBackendPort(ApiModel):
    """A port of a service, by name or number."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="Name of the port; mutually exclusive with number.")
    number: Int32 = Field(default=0, description="Number of the port; mutually exclusive with name.")


class IngressServiceBackend(ApiModel):
    """A service to which an ingress sends requests, in the namespace of the ingress."""

    name: Annotated[str, Required()] = Field(default="", description="Service that receives the requests.")
    port: ServiceBackendPort = Field(
        default_factory=ServiceBackendPort,
        description="Name or number of the service's port that receives the requests.",
    )


class IngressBackend(ApiModel):
    """Destination of requests: either a service or another object."""

    service: IngressServiceBackend | None = Field(
        default=None, description="Service that receives the requests; mutually exclusive with resource."
    )
    resource: TypedLocalObjectReference | None = Field(
        default=None,
        description="Object that receives the requests, in the ingress's namespace; mutually exclusive with service.",
    )


class IngressTLS(ApiModel):
    """Hosts whose TLS connections the ingress terminates, and the Secret with their certificate."""

    hosts: list[str] = Field(
        default_factory=list, description="Hosts for which the certificate is used; chosen by the controller if empty."
    )
    secretName: str = Field(
        default="",
        description="Secret in the ingress's namespace with certificate and key; if empty, the controller chooses one.",
    )


class HTTPIngressPath(ApiModel):
    """A URL path and the backend that serves it."""

    path: str = Field(default="", description="Path to match; must start with a slash.")
    pathType: Annotated[str | None, Named("v1.PathType", ("Exact", "ImplementationSpecific", "Prefix")), Required()] = (
        Field(
            default=None,
            description="Method of matching the path: Exact, Prefix (by segments) or ImplementationSpecific.",
        )
    )
    backend: Annotated[IngressBackend, Required()] = Field(
        default_factory=IngressBackend, description="Service or other object that receives requests with the path."
    )


class HTTPIngressRuleValue(ApiModel):
    """URL paths of an ingress rule, each with a backend."""

    paths: Annotated[list[HTTPIngressPath], Required()] = Field(
        default_factory=list, description="URL paths, each with the backend that receives its requests."
    )


class IngressRuleValue(ApiModel):
    """Part of an ingress rule that depends on the protocol; HTTP is the only protocol."""

    http: HTTPIngressRuleValue | None = Field(
        default=None,
        description="URL paths and their backends; if unset, all requests to the host go to the default backend.",
    )


class RuleHost(ApiModel):
    """Base class with the field `host`: in the Go struct, it comes before the other fields of a rule."""

    go_struct: ClassVar[bool] = False

    host: str = Field(
        default="",
        description="Host to match; its first label may be *. Empty matches all hosts.",
    )


class IngressRule(IngressRuleValue, RuleHost):
    """Routing rule for the requests to one host."""


class IngressSpec(ApiModel):
    """Default backend, TLS settings and routing rules of an ingress."""

    ingressClassName: str | None = Field(
        default=None, description="Name of the IngressClass whose controller implements the ingress."
    )
    defaultBackend: IngressBackend | None = Field(
        default=None, description="Destination of requests that match no rule; required without rules."
    )
    tls: list[IngressTLS] = Field(
        default_factory=list, description="Hosts whose TLS connections the ingress terminates, with their certificates."
    )
    rules: list[IngressRule] = Field(
        default_factory=list, description="Routing rules, each for the requests to one host."
    )


class IngressPortStatus(ApiModel):
    """State of one port of a load balancer: number, protocol and error."""

    port: Annotated[Int32, Required()] = Field(
        default=0, description="Number of the load balancer's port that this state is about."
    )
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Required()] = Field(
        default="", description="Protocol of the port: TCP, UDP or SCTP."
    )
    error: str | None = Field(
        default=None,
        description="Error reported for the port, in CamelCase; prefixed with a domain unless Kubernetes defines it.",
    )


class IngressLoadBalancerIngress(ApiModel):
    """IP address or host name at which the load balancer of an ingress accepts traffic."""

    ip: str = Field(default="", description="IP address at which the load balancer accepts traffic.")
    hostname: str = Field(default="", description="DNS name at which the load balancer accepts traffic.")
    ports: list[IngressPortStatus] = Field(
        default_factory=list,
        description="Number and protocol of each port of the load balancer, and the port's error if there is one.",
    )


class IngressLoadBalancerStatus(ApiModel):
    """IP addresses and host names at which the load balancer of an ingress accepts traffic."""

    ingress: list[IngressLoadBalancerIngress] = Field(
        default_factory=list, description="IP addresses and host names of the load balancer."
    )


class IngressStatus(ApiModel):
    """Observed state of an Ingress: the addresses of its load balancer."""

    loadBalancer: IngressLoadBalancerStatus = Field(
        default_factory=IngressLoadBalancerStatus,
        description="Addresses at which the load balancer of the ingress accepts traffic.",
    )


class Ingress(ApiObject):
    """Rules for routing external HTTP requests to services."""

    spec: IngressSpec = Field(
        default_factory=IngressSpec, description="Default backend, TLS settings and routing rules of the ingress."
    )
    status: IngressStatus = Field(
        default_factory=IngressStatus, description="Addresses of the load balancer, written by the ingress controller."
    )
