"""What ends of pods mean for their job."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required, SetList
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32


class PodFailurePolicyOnExitCodesRequirement(ApiModel):
    """Exit codes that a rule is about."""

    containerName: str | None = Field(default=None, description="Container that ended; any where none is named.")
    operator: Annotated[str, Named("v1.PodFailurePolicyOnExitCodesOperator", ("In", "NotIn")), Required()] = Field(
        default="", description="In or NotIn."
    )
    values: Annotated[list[Int32], SetList(), Required()] = Field(
        default_factory=list, description="The codes, in order."
    )


class PodFailurePolicyOnPodConditionsPattern(ApiModel):
    """A condition of pods that a rule is about."""

    type: Annotated[str, Named("v1.PodConditionType"), Required()] = Field(default="", description="Which aspect.")
    status: Annotated[str, Named("v1.ConditionStatus"), Always()] = Field(
        default="", description="True, False or Unknown; True where nothing is said."
    )


class PodFailurePolicyRule(ApiModel):
    """What one kind of failure means."""

    action: Annotated[
        str, Named("v1.PodFailurePolicyAction", ("Count", "FailIndex", "FailJob", "Ignore")), Required()
    ] = Field(default="", description="FailJob, FailIndex, Ignore or Count.")
    onExitCodes: PodFailurePolicyOnExitCodesRequirement | None = Field(
        default=None, description="Exit codes that the rule is about."
    )
    onPodConditions: list[PodFailurePolicyOnPodConditionsPattern] = Field(
        default_factory=list, description="Conditions that the rule is about."
    )


class PodFailurePolicy(ApiModel):
    """What failures of pods mean; the first rule that fits counts."""

    rules: Annotated[list[PodFailurePolicyRule], Required()] = Field(default_factory=list, description="The rules.")


class SuccessPolicyRule(ApiModel):
    """One way to succeed early."""

    succeededIndexes: str | None = Field(default=None, description="Indexes that must have succeeded, such as 1,3-5.")
    succeededCount: Int32 | None = Field(default=None, description="How many of them must have succeeded.")


class SuccessPolicy(ApiModel):
    """When an indexed job has succeeded although not all its indexes have."""

    rules: Annotated[list[SuccessPolicyRule], Required()] = Field(default_factory=list, description="The ways.")
