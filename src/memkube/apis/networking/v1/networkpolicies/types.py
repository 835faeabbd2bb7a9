"""NetworkPolicies: who may talk to pods."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, IntOrString


class NetworkPolicyPort(ApiModel):
    """TODO."""

    protocol: Annotated[str | None, Named("v1.Protocol", ("SCTP", "TCP", "UDP"))] = Field(
        default=None, description="TODO"
    )
    port: IntOrString | None = Field(default=None, description="TODO")
    endPort: Int32 | None = Field(default=None, description="TODO")


class IPBlock(ApiModel):
    """TODO."""

    cidr: Annotated[str, Required()] = Field(default="", description="TODO")
    except_: list[str] = Field(default_factory=list, alias="except", description="TODO")


class NetworkPolicyPeer(ApiModel):
    """TODO."""

    podSelector: LabelSelector | None = Field(default=None, description="TODO")
    namespaceSelector: LabelSelector | None = Field(default=None, description="TODO")
    ipBlock: IPBlock | None = Field(default=None, description="TODO")


class NetworkPolicyIngressRule(ApiModel):
    """TODO."""

    ports: list[NetworkPolicyPort] = Field(default_factory=list, description="TODO")
    from_: list[NetworkPolicyPeer] = Field(default_factory=list, alias="from", description="TODO")


class NetworkPolicyEgressRule(ApiModel):
    """TODO."""

    ports: list[NetworkPolicyPort] = Field(default_factory=list, description="TODO")
    to: list[NetworkPolicyPeer] = Field(default_factory=list, description="TODO")


class NetworkPolicySpec(ApiModel):
    """TODO."""

    podSelector: Annotated[LabelSelector, Always()] = Field(default_factory=LabelSelector, description="TODO")
    ingress: list[NetworkPolicyIngressRule] = Field(default_factory=list, description="TODO")
    egress: list[NetworkPolicyEgressRule] = Field(default_factory=list, description="TODO")
    policyTypes: list[Annotated[str, Named("v1.PolicyType", ("Egress", "Ingress"))]] = Field(
        default_factory=list, description="TODO"
    )


class NetworkPolicy(ApiObject):
    """TODO."""

    spec: NetworkPolicySpec = Field(default_factory=NetworkPolicySpec, description="TODO")
