"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.label_selector import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64


class Toleration(ApiModel):
    """."""

    key: str = Field(default="", description="")
    operator: Annotated[str, Named("v1.TolerationOperator", ("Equal", "Exists", "Gt", "Lt"))] = Field(default="", description="")
    value: str = Field(default="", description="")
    effect: Annotated[str, Named("v1.TaintEffect", ("NoExecute", "NoSchedule", "PreferNoSchedule"))] = Field(default="", description="")
    tolerationSeconds: Int64 | None = Field(default=None, description="")


class TopologySpreadConstraint(ApiModel):
    """."""

    maxSkew: Annotated[Int32, Required()] = Field(default=0, description="")
    topologyKey: Annotated[str, Required()] = Field(default="", description="")
    whenUnsatisfiable: Annotated[str, Named("v1.UnsatisfiableConstraintAction", ("DoNotSchedule", "ScheduleAnyway")), Required()] = Field(default="", description="")
    labelSelector: LabelSelector | None = Field(default=None, description="")
    minDomains: Int32 | None = Field(default=None, description="")
    nodeAffinityPolicy: Annotated[str | None, Named("v1.NodeInclusionPolicy", ("Honor", "Ignore"))] = Field(default=None, description="")
    nodeTaintsPolicy: Annotated[str | None, Named("v1.NodeInclusionPolicy", ("Honor", "Ignore"))] = Field(default=None, description="")
    matchLabelKeys: list[str] = Field(default_factory=list, description="")


class PodSchedulingGate(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")


class PodResourceClaim(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    resourceClaimName: str | None = Field(default=None, description="")
    resourceClaimTemplateName: str | None = Field(default=None, description="")


class PodSchedulingGroup(ApiModel):
    """."""

    podGroupName: str | None = Field(default=None, description="")


class PodReadinessGate(ApiModel):
    """."""

    conditionType: Annotated[str, Named("v1.PodConditionType"), Required()] = Field(default="", description="")


class PodOS(ApiModel):
    """."""

    name: Annotated[str, Named("v1.OSName"), Required()] = Field(default="", description="")
