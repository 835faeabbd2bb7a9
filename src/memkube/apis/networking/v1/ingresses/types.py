"""Ingresses: how services are reached from outside."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import TypedLocalObjectReference


class ServiceBackendPort(ApiModel):
    """A port of a service, by its name or by its number."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="Name of the port; excludes a number.")
    number: Int32 = Field(default=0, description="Number of the port; excludes a name.")


class IngressServiceBackend(ApiModel):
    """A service of the ingress's namespace that requests go to."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the service.")
    port: ServiceBackendPort = Field(default_factory=ServiceBackendPort, description="Port of the service.")


class IngressBackend(ApiModel):
    """Where requests go: a service or some other object, not both."""

    service: IngressServiceBackend | None = Field(default=None, description="Service that answers.")
    resource: TypedLocalObjectReference | None = Field(
        default=None, description="Object of the ingress's namespace that answers instead of a service."
    )


class IngressTLS(ApiModel):
    """Hosts that are served over TLS, and their certificate."""

    hosts: list[str] = Field(
        default_factory=list, description="Hosts that the certificate is for; none leaves that to the controller."
    )
    secretName: str = Field(
        default="", description="Secret with the certificate and its key; none leaves TLS to the controller's choice."
    )


class HTTPIngressPath(ApiModel):
    """A path, and where requests for it go."""

    path: str = Field(default="", description="Path of requests, which begins with a slash.")
    pathType: Annotated[str | None, Named("v1.PathType", ("Exact", "ImplementationSpecific", "Prefix")), Required()] = (
        Field(
            default=None,
            description="How paths are compared: Exact, Prefix (by whole segments), or ImplementationSpecific.",
        )
    )
    backend: Annotated[IngressBackend, Required()] = Field(
        default_factory=IngressBackend, description="Where the requests go."
    )


class HTTPIngressRuleValue(ApiModel):
    """Paths of HTTP requests."""

    paths: Annotated[list[HTTPIngressPath], Required()] = Field(
        default_factory=list, description="The paths, and where requests for them go."
    )


class IngressRuleValue(ApiModel):
    """What happens to requests of a protocol."""

    http: HTTPIngressRuleValue | None = Field(
        default=None, description="Paths; without them all requests go to the default backend."
    )


class OfHost(ApiModel):
    """Puts the host that a rule is for before what it says."""

    go_struct: ClassVar[bool] = False

    host: str = Field(
        default="",
        description="Domain name that requests are for; its first label may be *, and an empty host means all.",
    )


class IngressRule(IngressRuleValue, OfHost):
    """What happens to requests for a host."""


class IngressSpec(ApiModel):
    """Which requests go where."""

    ingressClassName: str | None = Field(
        default=None, description="IngressClass that tells which controller implements the ingress."
    )
    defaultBackend: IngressBackend | None = Field(
        default=None, description="Where requests go that no rule is about; needed where there are no rules."
    )
    tls: list[IngressTLS] = Field(default_factory=list, description="Hosts that are served over TLS.")
    rules: list[IngressRule] = Field(default_factory=list, description="What happens to requests for which host.")


class IngressPortStatus(ApiModel):
    """How a port of the load balancer does."""

    port: Annotated[Int32, Required()] = Field(default=0, description="Number of the port.")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Required()] = Field(
        default="", description="Protocol of the port: TCP, UDP or SCTP."
    )
    error: str | None = Field(
        default=None, description="What is wrong with the port, in CamelCase; with a domain where it is not built in."
    )


class IngressLoadBalancerIngress(ApiModel):
    """A point where the load balancer is reached."""

    ip: str = Field(default="", description="Its address, where it is reached by one.")
    hostname: str = Field(default="", description="Its domain name, where it is reached by one.")
    ports: list[IngressPortStatus] = Field(default_factory=list, description="How its ports do.")


class IngressLoadBalancerStatus(ApiModel):
    """How the load balancer is reached."""

    ingress: list[IngressLoadBalancerIngress] = Field(
        default_factory=list, description="Points where the load balancer is reached."
    )


class IngressStatus(ApiModel):
    """What the controller made of the ingress."""

    loadBalancer: IngressLoadBalancerStatus = Field(
        default_factory=IngressLoadBalancerStatus, description="How the load balancer is reached."
    )


class Ingress(ApiObject):
    """Rules by which requests from outside reach services."""

    spec: IngressSpec = Field(default_factory=IngressSpec, description="Which requests go where.")
    status: IngressStatus = Field(default_factory=IngressStatus, description="What the controller made of the ingress.")
