"""Work that is done once, and what ends of its pods mean for it."""

from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Atomic, Merge, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import ProbedCondition
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Time
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec

_Uid = Annotated[str, Named("types.UID")]


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


class JobSpec(ApiModel):
    """What is wanted."""

    parallelism: Int32 | None = Field(default=None, description="How many pods may run at a time.")
    completions: Int32 | None = Field(
        default=None, description="How many pods are to succeed; without a number one that does ends the job."
    )
    activeDeadlineSeconds: Int64 | None = Field(default=None, description="Seconds after which the job has failed.")
    podFailurePolicy: PodFailurePolicy | None = Field(default=None, description="What failures of pods mean.")
    successPolicy: SuccessPolicy | None = Field(default=None, description="When an indexed job has succeeded early.")
    backoffLimit: Int32 | None = Field(default=None, description="How many failures there may be; six or no limit.")
    backoffLimitPerIndex: Int32 | None = Field(default=None, description="How many failures an index may have.")
    maxFailedIndexes: Int32 | None = Field(default=None, description="How many indexes may fail.")
    selector: LabelSelector | None = Field(default=None, description="Which pods count; the server makes one.")
    manualSelector: bool | None = Field(default=None, description="Whether the client chose labels and selector.")
    template: Annotated[PodTemplateSpec, Required()] = Field(
        default_factory=PodTemplateSpec, description="What the pods are like."
    )
    ttlSecondsAfterFinished: Int32 | None = Field(
        default=None, description="Seconds after its end that the job is deleted."
    )
    completionMode: Annotated[str | None, Named("v1.CompletionMode", ("Indexed", "NonIndexed"))] = Field(
        default=None, description="Whether each pod has a number of its own: Indexed or NonIndexed."
    )
    suspend: bool | None = Field(default=None, description="Whether the job has to wait.")
    podReplacementPolicy: Annotated[str | None, Named("v1.PodReplacementPolicy", ("Failed", "TerminatingOrFailed"))] = (
        Field(default=None, description="When a pod is replaced: Failed or TerminatingOrFailed.")
    )
    managedBy: str | None = Field(default=None, description="The controller that runs the job, if it is another one.")


class JobCondition(ProbedCondition):
    """One aspect of the state."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.JobConditionType"), Required()] = Field(default="", description="Which aspect.")


class UncountedTerminatedPods(ApiModel):
    """Pods that have ended and are not in the counts yet."""

    succeeded: Annotated[list[_Uid], SetList()] = Field(default_factory=list, description="Those that succeeded.")
    failed: Annotated[list[_Uid], SetList()] = Field(default_factory=list, description="Those that failed.")


class JobStatus(ApiModel):
    """What there is."""

    conditions: Annotated[list[JobCondition], Atomic(), Merge("type")] = Field(
        default_factory=list, description="Aspects of the state, such as Complete and Failed."
    )
    startTime: Time | None = Field(default=None, description="When the job began.")
    completionTime: Time | None = Field(default=None, description="When the job succeeded.")
    active: Int32 = Field(default=0, description="How many pods have not ended and are not on their way out.")
    succeeded: Int32 = Field(default=0, description="How many pods succeeded.")
    failed: Int32 = Field(default=0, description="How many pods failed.")
    terminating: Int32 | None = Field(default=None, description="How many pods are on their way out.")
    completedIndexes: str = Field(default="", description="Indexes that succeeded, such as 1,3-5.")
    failedIndexes: str | None = Field(default=None, description="Indexes that failed, such as 1,3-5.")
    uncountedTerminatedPods: UncountedTerminatedPods | None = Field(
        default=None, description="Pods that have ended and are not in the counts yet."
    )
    ready: Int32 | None = Field(default=None, description="How many active pods are ready.")


class Job(ApiObject):
    """Runs pods until enough of them have succeeded."""

    spec: JobSpec = Field(default_factory=JobSpec, description="What is wanted.")
    status: JobStatus = Field(default_factory=JobStatus, description="What there is.")


def is_true(conditions: Iterable[JobCondition], condition_type: str) -> bool:
    """Whether one of the conditions says so."""
    return any(condition.type == condition_type and condition.status == "True" for condition in conditions)


def is_finished(conditions: Iterable[JobCondition]) -> bool:
    """Whether the job has succeeded or failed."""
    return any(condition.type in ("Complete", "Failed") and condition.status == "True" for condition in conditions)
