"""Which nodes a pod wants, tolerates and is spread over, and what it waits for."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.scalars import Int32, Int64


class NodeSelectorRequirement(ApiModel):
    """A condition that a node must meet."""

    key: Annotated[str, Required()] = Field(default="", description="Label or field that the condition is about.")
    operator: Annotated[
        str, Named("v1.NodeSelectorOperator", ("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")), Required()
    ] = Field(default="", description="In, NotIn, Exists, DoesNotExist, Gt or Lt.")
    values: list[str] = Field(
        default_factory=list,
        description="Values for the operator: none for Exists and DoesNotExist, one integer for Gt and Lt.",
    )


class NodeSelectorTerm(ApiModel):
    """Conditions that must all hold; a term without any selects no node."""

    struct_type: ClassVar[str] = "atomic"

    matchExpressions: list[NodeSelectorRequirement] = Field(
        default_factory=list, description="Conditions on the node's labels."
    )
    matchFields: list[NodeSelectorRequirement] = Field(
        default_factory=list, description="Conditions on the node's fields, such as metadata.name."
    )


class NodeSelector(ApiModel):
    """Nodes for which one of several terms holds."""

    struct_type: ClassVar[str] = "atomic"

    nodeSelectorTerms: Annotated[list[NodeSelectorTerm], Required()] = Field(
        default_factory=list, description="Terms of which one must hold."
    )


class PreferredSchedulingTerm(ApiModel):
    """A preference for certain nodes."""

    weight: Annotated[Int32, Required()] = Field(default=0, description="Weight of the preference, 1 to 100.")
    preference: Annotated[NodeSelectorTerm, Required()] = Field(
        default_factory=NodeSelectorTerm, description="Nodes that are preferred."
    )


class NodeAffinity(ApiModel):
    """Rules about the nodes themselves."""

    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector | None = Field(
        default=None, description="Nodes that qualify when the pod is placed."
    )
    preferredDuringSchedulingIgnoredDuringExecution: list[PreferredSchedulingTerm] = Field(
        default_factory=list, description="Nodes to prefer among those that qualify."
    )


class PodAffinityTerm(ApiModel):
    """Pods near which, or away from which, a pod is to run."""

    labelSelector: LabelSelector | None = Field(
        default=None, description="Selects these pods by their labels; none selects no pod."
    )
    namespaces: list[str] = Field(
        default_factory=list, description="Namespaces of these pods; none means the pod's own."
    )
    topologyKey: Annotated[str, Required()] = Field(
        default="", description="Node label whose equal values make nodes count as one place."
    )
    namespaceSelector: LabelSelector | None = Field(
        default=None, description="Selects further namespaces by their labels."
    )
    matchLabelKeys: list[str] = Field(
        default_factory=list, description="Labels whose values these pods must share with the pod."
    )
    mismatchLabelKeys: list[str] = Field(
        default_factory=list, description="Labels whose values these pods must not share with the pod."
    )


class WeightedPodAffinityTerm(ApiModel):
    """A preference about nearness."""

    weight: Annotated[Int32, Required()] = Field(default=0, description="Weight of the preference, 1 to 100.")
    podAffinityTerm: Annotated[PodAffinityTerm, Required()] = Field(
        default_factory=PodAffinityTerm, description="Pods that the preference is about."
    )


class PodAffinity(ApiModel):
    """Rules about pods to run near to."""

    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm] = Field(
        default_factory=list, description="Terms that must all hold when the pod is placed."
    )
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm] = Field(
        default_factory=list, description="Terms to prefer."
    )


class PodAntiAffinity(ApiModel):
    """Rules about pods to stay away from."""

    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm] = Field(
        default_factory=list, description="Terms of which none may hold when the pod is placed."
    )
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm] = Field(
        default_factory=list, description="Terms to avoid."
    )


class Affinity(ApiModel):
    """Rules about where a pod may run."""

    nodeAffinity: NodeAffinity | None = Field(default=None, description="Rules about nodes.")
    podAffinity: PodAffinity | None = Field(default=None, description="Rules about pods to run near to.")
    podAntiAffinity: PodAntiAffinity | None = Field(default=None, description="Rules about pods to stay away from.")


class Toleration(ApiModel):
    """A taint that does not keep the pod away."""

    key: str = Field(default="", description="Key of the taint; empty with Exists for every taint.")
    operator: Annotated[str, Named("v1.TolerationOperator", ("Equal", "Exists", "Gt", "Lt"))] = Field(
        default="", description="Equal by default, Exists, Gt or Lt."
    )
    value: str = Field(default="", description="Value of the taint.")
    effect: Annotated[str, Named("v1.TaintEffect", ("NoExecute", "NoSchedule", "PreferNoSchedule"))] = Field(
        default="", description="Effect of the taint; empty for every effect."
    )
    tolerationSeconds: Int64 | None = Field(
        default=None, description="Seconds to stay under a NoExecute taint; none for ever."
    )


class TopologySpreadConstraint(ApiModel):
    """How evenly pods are spread over places."""

    maxSkew: Annotated[Int32, Required()] = Field(default=0, description="Most by which the counts of pods may differ.")
    topologyKey: Annotated[str, Required()] = Field(
        default="", description="Node label whose equal values make nodes count as one place."
    )
    whenUnsatisfiable: Annotated[
        str, Named("v1.UnsatisfiableConstraintAction", ("DoNotSchedule", "ScheduleAnyway")), Required()
    ] = Field(default="", description="DoNotSchedule or ScheduleAnyway.")
    labelSelector: LabelSelector | None = Field(default=None, description="Pods that are counted.")
    minDomains: Int32 | None = Field(default=None, description="Least number of places.")
    nodeAffinityPolicy: Annotated[str | None, Named("v1.NodeInclusionPolicy", ("Honor", "Ignore"))] = Field(
        default=None, description="Whether the pod's node affinity limits the places: Honor or Ignore."
    )
    nodeTaintsPolicy: Annotated[str | None, Named("v1.NodeInclusionPolicy", ("Honor", "Ignore"))] = Field(
        default=None, description="Whether taints limit the places: Honor or Ignore."
    )
    matchLabelKeys: list[str] = Field(
        default_factory=list, description="Labels whose values the counted pods share with the pod."
    )


class PodSchedulingGate(ApiModel):
    """Something that keeps a pod from being placed."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the gate.")


class PodResourceClaim(ApiModel):
    """A name for a claim in a pod."""

    name: Annotated[str, Required()] = Field(default="", description="Name that containers refer to.")
    resourceClaimName: str | None = Field(default=None, description="Claim to use.")
    resourceClaimTemplateName: str | None = Field(default=None, description="Template to make a claim from.")


class PodSchedulingGroup(ApiModel):
    """The group of pods that a pod is placed with."""

    podGroupName: str | None = Field(default=None, description="Name of the group.")


class PodReadinessGate(ApiModel):
    """A condition that readiness depends on."""

    conditionType: Annotated[str, Named("v1.PodConditionType"), Required()] = Field(
        default="", description="Type of the condition."
    )


class PodOS(ApiModel):
    """The operating system of a pod."""

    name: Annotated[str, Named("v1.OSName"), Required()] = Field(default="", description="linux or windows.")


def tolerates(toleration: Document, taint: Document) -> bool:
    """Whether a toleration is about a taint. Operators that compare numbers never are: that feature is off."""
    effect, key = toleration.get("effect"), toleration.get("key")
    if (effect and effect != taint["effect"]) or (key and key != taint["key"]):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Equal":
        return bool(toleration.get("value", "") == taint.get("value", ""))
    return bool(operator == "Exists")
