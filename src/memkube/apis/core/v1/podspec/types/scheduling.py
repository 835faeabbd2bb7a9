"""API types of scheduling constraints: affinity, tolerations, topology spread and scheduling gates."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, OneOf, Required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.scalars import Int32, Int64


class NodeSelectorRequirement(ApiModel):
    """A requirement on one label or field of a node: key, operator and values."""

    key: Annotated[str, Required()] = Field(
        default="", description="Key of the node label, or path of the node's field, to compare."
    )
    operator: Annotated[
        str, Named("v1.NodeSelectorOperator", ("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")), Required()
    ] = Field(default="", description="Comparison with the values: In, NotIn, Exists, DoesNotExist, Gt or Lt.")
    values: list[str] = Field(
        default_factory=list,
        description="Values to compare with: none for Exists and DoesNotExist, one integer for Gt and Lt.",
    )


class NodeSelectorTerm(ApiModel):
    """Requirements on a node, all of which must hold; an empty term matches no node."""

    struct_type: ClassVar[str] = "atomic"

    matchExpressions: list[NodeSelectorRequirement] = Field(
        default_factory=list, description="Requirements on the node's labels, all of which must hold."
    )
    matchFields: list[NodeSelectorRequirement] = Field(
        default_factory=list, description="Requirements on the node's fields, such as metadata.name."
    )


class NodeSelector(ApiModel):
    """Node selector terms; a node that matches one of them is selected."""

    struct_type: ClassVar[str] = "atomic"

    nodeSelectorTerms: Annotated[list[NodeSelectorTerm], Required()] = Field(
        default_factory=list, description="Terms of which at least one must match a node for it to be selected."
    )


class PreferredSchedulingTerm(ApiModel):
    """Node selector term with a weight, which the scheduler adds to the score of matching nodes."""

    weight: Annotated[Int32, Required()] = Field(
        default=0, description="Points that a node gets in scoring if it meets the preference, 1 to 100."
    )
    preference: Annotated[NodeSelectorTerm, Required()] = Field(
        default_factory=NodeSelectorTerm, description="Requirements that a node must satisfy to be preferred."
    )


class NodeAffinity(ApiModel):
    """Scheduling constraints by node labels and fields."""

    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector | None = Field(
        default=None, description="Selector of the nodes to which the pod may be scheduled."
    )
    preferredDuringSchedulingIgnoredDuringExecution: list[PreferredSchedulingTerm] = Field(
        default_factory=list, description="Preferred nodes, with weights; the weights of matching terms add up."
    )


class PodAffinityTerm(ApiModel):
    """Selector of other pods for an affinity rule, and the topology domain in which the rule looks for them."""

    labelSelector: LabelSelector | None = Field(
        default=None, description="Selects the other pods by labels; unset selects none."
    )
    namespaces: list[str] = Field(
        default_factory=list, description="Namespaces of the other pods; the pod's own by default."
    )
    topologyKey: Annotated[str, Required()] = Field(
        default="", description="Node label key; nodes with equal values are one topology domain."
    )
    namespaceSelector: LabelSelector | None = Field(
        default=None, description="Labels of further namespaces in which to look for the other pods."
    )
    matchLabelKeys: list[str] = Field(
        default_factory=list,
        description="Label keys; the term selects only pods that have the same values for them as this pod.",
    )
    mismatchLabelKeys: list[str] = Field(
        default_factory=list,
        description="Label keys; the term selects only pods that have other values for them than this pod.",
    )


class WeightedPodAffinityTerm(ApiModel):
    """Pod affinity term with a weight, by which the score of matching nodes rises or, in anti-affinity, falls."""

    weight: Annotated[Int32, Required()] = Field(
        default=0, description="Points that a node gets in scoring if it meets the preference, 1 to 100."
    )
    podAffinityTerm: Annotated[PodAffinityTerm, Required()] = Field(
        default_factory=PodAffinityTerm,
        description="Selector of the other pods, and the topology domain in which the scheduler looks for them.",
    )


class PodAffinity(ApiModel):
    """Rules for scheduling a pod in the topology domains, such as zones, of other pods."""

    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm] = Field(
        default_factory=list,
        description="Terms; a node is suitable only if each term selects a pod in the node's topology domain.",
    )
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm] = Field(
        default_factory=list,
        description="Terms with weights; a node scores higher if a term selects pods in the node's topology domain.",
    )


class PodAntiAffinity(ApiModel):
    """Rules for scheduling a pod outside the topology domains, such as zones, of other pods."""

    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm] = Field(
        default_factory=list,
        description="Terms; a node is suitable only if no term selects a pod in the node's topology domain.",
    )
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm] = Field(
        default_factory=list,
        description="Terms with weights; a node scores lower if a term selects pods in the node's topology domain.",
    )


class Affinity(ApiModel):
    """Node affinity, pod affinity and pod anti-affinity of a pod."""

    nodeAffinity: NodeAffinity | None = Field(
        default=None, description="Constraints on the labels and fields of the node."
    )
    podAffinity: PodAffinity | None = Field(
        default=None, description="Rules for scheduling the pod near other pods, such as in the same zone."
    )
    podAntiAffinity: PodAntiAffinity | None = Field(
        default=None, description="Rules for scheduling the pod away from other pods, such as in another zone."
    )


class Toleration(ApiModel):
    """Key, value and effect of the taints that a pod tolerates."""

    key: str = Field(default="", description="Key of the taint; if empty, with the operator Exists, all taints match.")
    operator: Annotated[str, Named("v1.TolerationOperator", ("Equal", "Exists", "Gt", "Lt"))] = Field(
        default="", description="Operator: Equal (the default), Exists, Gt or Lt."
    )
    value: str = Field(default="", description="Value of the tolerated taint; must be empty for operator Exists.")
    effect: Annotated[str, Named("v1.TaintEffect", ("NoExecute", "NoSchedule", "PreferNoSchedule"))] = Field(
        default="", description="Effect of the taint; empty matches all effects."
    )
    tolerationSeconds: Int64 | None = Field(
        default=None, description="Seconds to tolerate a NoExecute taint; forever by default."
    )


class TopologySpreadConstraint(ApiModel):
    """A constraint on spreading matching pods evenly over topology domains such as zones."""

    maxSkew: Annotated[Int32, Required()] = Field(
        default=0,
        description="Maximum difference between the numbers of matching pods in a domain and in the emptiest domain.",
    )
    topologyKey: Annotated[str, Required()] = Field(
        default="", description="Node label key; nodes with equal values are one topology domain."
    )
    whenUnsatisfiable: Annotated[
        str, Named("v1.UnsatisfiableConstraintAction", ("DoNotSchedule", "ScheduleAnyway")), Required()
    ] = Field(default="", description="Action if the constraint cannot be satisfied: DoNotSchedule or ScheduleAnyway.")
    labelSelector: LabelSelector | None = Field(default=None, description="Label selector of the pods to count.")
    minDomains: Int32 | None = Field(
        default=None,
        description="Number of domains below which 0 is taken as the lowest pod count; only for DoNotSchedule.",
    )
    nodeAffinityPolicy: Annotated[str | None, Named("v1.NodeInclusionPolicy", ("Honor", "Ignore"))] = Field(
        default=None,
        description="Honor to count only nodes that match the pod's node selector and affinity; Ignore to count all.",
    )
    nodeTaintsPolicy: Annotated[str | None, Named("v1.NodeInclusionPolicy", ("Honor", "Ignore"))] = Field(
        default=None,
        description="Honor to leave out nodes whose taints the pod does not tolerate; Ignore to count all.",
    )
    matchLabelKeys: list[str] = Field(
        default_factory=list,
        description="Label keys; only pods that have the same values for them as this pod are counted.",
    )


class PodSchedulingGate(ApiModel):
    """Name of a gate; a pod is not scheduled while it has gates."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the scheduling gate, such as example.com/quota."
    )


class PodResourceClaim(ApiModel):
    """A resource claim of a pod, or a template from which the pod's claim is created."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name by which the pod's containers refer to the claim."
    )
    resourceClaimName: str | None = Field(
        default=None, description="Name of an existing ResourceClaim in the pod's namespace."
    )
    resourceClaimTemplateName: str | None = Field(
        default=None, description="Name of the ResourceClaimTemplate to create a claim from."
    )


class PodSchedulingGroup(ApiModel):
    """Group of pods that the scheduler places together."""

    union: ClassVar[OneOf] = OneOf("", ("podGroupName",))

    podGroupName: str | None = Field(
        default=None, description="Name of the PodGroup whose pods are scheduled together."
    )


class PodReadinessGate(ApiModel):
    """A pod condition that must be True for the pod to be ready."""

    conditionType: Annotated[str, Named("v1.PodConditionType"), Required()] = Field(
        default="", description="Type of the condition in the pod's status."
    )


class PodOS(ApiModel):
    """Name of the operating system of a pod's containers."""

    name: Annotated[str, Named("v1.OSName"), Required()] = Field(
        default="", description="Name of the operating system: linux or windows."
    )


def tolerates(toleration: Document, taint: Document) -> bool:
    """True if the toleration matches the taint.

    The operators Gt and Lt never match, because their feature gate is off by default.
    """
    effect, key = toleration.get("effect"), toleration.get("key")
    if (effect and effect != taint["effect"]) or (key and key != taint["key"]):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Equal":
        return bool(toleration.get("value", "") == taint.get("value", ""))
    return bool(operator == "Exists")
