"""What decides when and where a pod is placed."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64


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
