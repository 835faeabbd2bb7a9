"""."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.label_selector import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32


class NodeSelectorRequirement(ApiModel):
    """."""

    key: Annotated[str, Required()] = Field(default="", description="")
    operator: Annotated[str, Named("v1.NodeSelectorOperator", ("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")), Required()] = Field(default="", description="")
    values: list[str] = Field(default_factory=list, description="")


class NodeSelectorTerm(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    matchExpressions: list[NodeSelectorRequirement] = Field(default_factory=list, description="")
    matchFields: list[NodeSelectorRequirement] = Field(default_factory=list, description="")


class NodeSelector(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    nodeSelectorTerms: Annotated[list[NodeSelectorTerm], Required()] = Field(default_factory=list, description="")


class PreferredSchedulingTerm(ApiModel):
    """."""

    weight: Annotated[Int32, Required()] = Field(default=0, description="")
    preference: Annotated[NodeSelectorTerm, Required()] = Field(default_factory=NodeSelectorTerm, description="")


class NodeAffinity(ApiModel):
    """."""

    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector | None = Field(default=None, description="")
    preferredDuringSchedulingIgnoredDuringExecution: list[PreferredSchedulingTerm] = Field(default_factory=list, description="")


class PodAffinityTerm(ApiModel):
    """."""

    labelSelector: LabelSelector | None = Field(default=None, description="")
    namespaces: list[str] = Field(default_factory=list, description="")
    topologyKey: Annotated[str, Required()] = Field(default="", description="")
    namespaceSelector: LabelSelector | None = Field(default=None, description="")
    matchLabelKeys: list[str] = Field(default_factory=list, description="")
    mismatchLabelKeys: list[str] = Field(default_factory=list, description="")


class WeightedPodAffinityTerm(ApiModel):
    """."""

    weight: Annotated[Int32, Required()] = Field(default=0, description="")
    podAffinityTerm: Annotated[PodAffinityTerm, Required()] = Field(default_factory=PodAffinityTerm, description="")


class PodAffinity(ApiModel):
    """."""

    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm] = Field(default_factory=list, description="")
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm] = Field(default_factory=list, description="")


class PodAntiAffinity(ApiModel):
    """."""

    requiredDuringSchedulingIgnoredDuringExecution: list[PodAffinityTerm] = Field(default_factory=list, description="")
    preferredDuringSchedulingIgnoredDuringExecution: list[WeightedPodAffinityTerm] = Field(default_factory=list, description="")


class Affinity(ApiModel):
    """."""

    nodeAffinity: NodeAffinity | None = Field(default=None, description="")
    podAffinity: PodAffinity | None = Field(default=None, description="")
    podAntiAffinity: PodAntiAffinity | None = Field(default=None, description="")
