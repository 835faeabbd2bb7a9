"""Where pods prefer or refuse to run."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32


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
