"""Ingresses: how services are reached from outside."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.references import TypedLocalObjectReference


class ServiceBackendPort(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="TODO")
    number: Int32 = Field(default=0, description="TODO")


class IngressServiceBackend(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    port: ServiceBackendPort = Field(default_factory=ServiceBackendPort, description="TODO")


class IngressBackend(ApiModel):
    """TODO."""

    service: IngressServiceBackend | None = Field(default=None, description="TODO")
    resource: TypedLocalObjectReference | None = Field(default=None, description="TODO")


class IngressTLS(ApiModel):
    """TODO."""

    hosts: list[str] = Field(default_factory=list, description="TODO")
    secretName: str = Field(default="", description="TODO")


class HTTPIngressPath(ApiModel):
    """TODO."""

    path: str = Field(default="", description="TODO")
    pathType: Annotated[str | None, Named("v1.PathType", ("Exact", "ImplementationSpecific", "Prefix")), Required()] = (
        Field(default=None, description="TODO")
    )
    backend: Annotated[IngressBackend, Required()] = Field(default_factory=IngressBackend, description="TODO")


class HTTPIngressRuleValue(ApiModel):
    """TODO."""

    paths: Annotated[list[HTTPIngressPath], Required()] = Field(default_factory=list, description="TODO")


class IngressRule(ApiModel):
    """TODO."""

    host: str = Field(default="", description="TODO")
    http: HTTPIngressRuleValue | None = Field(default=None, description="TODO")


class IngressSpec(ApiModel):
    """TODO."""

    ingressClassName: str | None = Field(default=None, description="TODO")
    defaultBackend: IngressBackend | None = Field(default=None, description="TODO")
    tls: list[IngressTLS] = Field(default_factory=list, description="TODO")
    rules: list[IngressRule] = Field(default_factory=list, description="TODO")


class IngressPortStatus(ApiModel):
    """TODO."""

    port: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Required()] = Field(
        default="", description="TODO"
    )
    error: str | None = Field(default=None, description="TODO")


class IngressLoadBalancerIngress(ApiModel):
    """TODO."""

    ip: str = Field(default="", description="TODO")
    hostname: str = Field(default="", description="TODO")
    ports: list[IngressPortStatus] = Field(default_factory=list, description="TODO")


class IngressLoadBalancerStatus(ApiModel):
    """TODO."""

    ingress: list[IngressLoadBalancerIngress] = Field(default_factory=list, description="TODO")


class IngressStatus(ApiModel):
    """TODO."""

    loadBalancer: IngressLoadBalancerStatus = Field(default_factory=IngressLoadBalancerStatus, description="TODO")


class Ingress(ApiObject):
    """TODO."""

    spec: IngressSpec = Field(default_factory=IngressSpec, description="TODO")
    status: IngressStatus = Field(default_factory=IngressStatus, description="TODO")
