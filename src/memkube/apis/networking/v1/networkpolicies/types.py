"""NetworkPolicies: who may talk to pods."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, IntOrString


class NetworkPolicyPort(ApiModel):
    """Ports of a protocol that traffic may go to."""

    protocol: Annotated[str | None, Named("v1.Protocol", ("SCTP", "TCP", "UDP"))] = Field(
        default=None, description="Protocol: TCP, UDP or SCTP; TCP if it is not told."
    )
    port: IntOrString | None = Field(
        default=None, description="Number of the port, or its name in the pod; none means all ports."
    )
    endPort: Int32 | None = Field(
        default=None, description="Last port of a range that begins with the port, which is then a number."
    )


class IPBlock(ApiModel):
    """Addresses of a block but for parts of it."""

    cidr: Annotated[str, Required()] = Field(default="", description="The block, such as 192.168.1.0/24.")
    except_: list[str] = Field(
        default_factory=list, alias="except", description="Blocks inside of it that are left out."
    )


class NetworkPolicyPeer(ApiModel):
    """Whom pods may talk to: pods, by their labels and those of their namespaces, or addresses."""

    podSelector: LabelSelector | None = Field(
        default=None,
        description="Pods of the policy's namespace, or of the selected namespaces; an empty selector selects all.",
    )
    namespaceSelector: LabelSelector | None = Field(
        default=None, description="Namespaces of the pods; an empty selector selects all."
    )
    ipBlock: IPBlock | None = Field(default=None, description="Addresses; excludes both selectors.")


class NetworkPolicyIngressRule(ApiModel):
    """Traffic that may come in: from one of the peers to one of the ports."""

    ports: list[NetworkPolicyPort] = Field(
        default_factory=list, description="Ports that traffic may come to; none means all."
    )
    from_: list[NetworkPolicyPeer] = Field(
        default_factory=list, alias="from", description="Where traffic may come from; none means everywhere."
    )


class NetworkPolicyEgressRule(ApiModel):
    """Traffic that may go out: to one of the peers at one of the ports."""

    ports: list[NetworkPolicyPort] = Field(
        default_factory=list, description="Ports that traffic may go to; none means all."
    )
    to: list[NetworkPolicyPeer] = Field(
        default_factory=list, description="Where traffic may go to; none means everywhere."
    )


class NetworkPolicySpec(ApiModel):
    """Which pods are isolated, and what traffic they may have all the same."""

    podSelector: Annotated[LabelSelector, Always()] = Field(
        default_factory=LabelSelector, description="Pods that the policy is about; an empty selector selects all."
    )
    ingress: list[NetworkPolicyIngressRule] = Field(
        default_factory=list, description="Traffic that may come in; without rules none may."
    )
    egress: list[NetworkPolicyEgressRule] = Field(
        default_factory=list,
        description="Traffic that may go out; without rules none may, if the policy is about traffic that goes out.",
    )
    policyTypes: list[Annotated[str, Named("v1.PolicyType", ("Egress", "Ingress"))]] = Field(
        default_factory=list,
        description="Directions that the policy is about: Ingress, Egress. By default Ingress, and Egress with rules.",
    )


class NetworkPolicy(ApiObject):
    """What traffic the pods of a namespace may have."""

    spec: NetworkPolicySpec = Field(
        default_factory=NetworkPolicySpec, description="Which pods are isolated, and what traffic they may have."
    )
