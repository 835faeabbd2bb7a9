from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, IntOrString


class NetworkPolicyPort(ApiModel):
    """A port or port range of allowed traffic."""

    protocol: Annotated[str | None, Named("v1.Protocol", ("SCTP", "TCP", "UDP"))] = Field(
        default=None, description="Protocol of the traffic: TCP (the default), UDP or SCTP."
    )
    port: IntOrString | None = Field(
        default=None, description="Port number, or name of a container port; all ports if unset."
    )
    endPort: Int32 | None = Field(
        default=None, description="Last port of the range that begins at `port`; unset for a single port."
    )


class IPBlock(ApiModel):
    """A range of IP addresses, with exceptions."""

    cidr: Annotated[str, Required()] = Field(default="", description="CIDR of the range, such as 192.168.1.0/24.")
    except_: list[str] = Field(
        default_factory=list,
        alias="except",
        description="CIDRs within the range that are excluded from it.",
    )


class NetworkPolicyPeer(ApiModel):
    """A peer of allowed traffic: pods selected by labels, or an IP range."""

    podSelector: LabelSelector | None = Field(
        default=None,
        description="Labels of the peers, in the selected namespaces or else the policy's own; empty selects all pods.",
    )
    namespaceSelector: LabelSelector | None = Field(
        default=None, description="Labels of the peers' namespaces; empty selects all, unset only the policy's own."
    )
    ipBlock: IPBlock | None = Field(
        default=None, description="IP range of the peers; mutually exclusive with podSelector and namespaceSelector."
    )


class NetworkPolicyIngressRule(ApiModel):
    """Allowed incoming traffic: from any of the peers to any of the ports."""

    ports: list[NetworkPolicyPort] = Field(
        default_factory=list, description="Ports to which traffic is allowed; all if empty."
    )
    from_: list[NetworkPolicyPeer] = Field(
        default_factory=list, alias="from", description="Peers from which traffic is allowed; all if empty."
    )


class NetworkPolicyEgressRule(ApiModel):
    """Allowed outgoing traffic: to any of the peers on any of the ports."""

    ports: list[NetworkPolicyPort] = Field(
        default_factory=list, description="Ports to which traffic is allowed; all if empty."
    )
    to: list[NetworkPolicyPeer] = Field(
        default_factory=list, description="Peers to which traffic is allowed; all if empty."
    )


class NetworkPolicySpec(ApiModel):
    """Pods to which a policy applies, and their allowed incoming and outgoing traffic."""

    podSelector: Annotated[LabelSelector, Always()] = Field(
        default_factory=LabelSelector,
        description="Labels of the pods to which the policy applies, in its namespace; empty selects all.",
    )
    ingress: list[NetworkPolicyIngressRule] = Field(
        default_factory=list,
        description="Rules for the allowed incoming traffic; without rules, no such traffic is allowed.",
    )
    egress: list[NetworkPolicyEgressRule] = Field(
        default_factory=list,
        description="Rules for the allowed outgoing traffic; without rules, none is allowed if policyTypes has Egress.",
    )
    policyTypes: list[Annotated[str, Named("v1.PolicyType", ("Egress", "Ingress"))]] = Field(
        default_factory=list,
        description="Directions that the policy restricts; by default Ingress, and also Egress if it has egress rules.",
    )


class NetworkPolicy(ApiObject):
    """Allowed network traffic of pods in a namespace."""

    spec: NetworkPolicySpec = Field(
        default_factory=NetworkPolicySpec, description="Pods to which the policy applies, and their allowed traffic."
    )
