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
    """Exit codes of failed containers that a rule of a pod failure policy matches or excludes."""

    containerName: str | None = Field(
        default=None, description="Name of the container whose exit code is checked; all containers if unset."
    )
    operator: Annotated[str, Named("v1.PodFailurePolicyOnExitCodesOperator", ("In", "NotIn")), Required()] = Field(
        default="", description="In if the exit code must be one of the values; NotIn if it must not."
    )
    values: Annotated[list[Int32], SetList(), Required()] = Field(
        default_factory=list,
        description="Exit codes to compare with, in ascending order; must not contain 0 for operator In.",
    )


class PodFailurePolicyOnPodConditionsPattern(ApiModel):
    """Type and status of a pod condition that a rule of a pod failure policy matches."""

    type: Annotated[str, Named("v1.PodConditionType"), Required()] = Field(
        default="", description="Type of the pod condition, such as DisruptionTarget."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Always()] = Field(
        default="", description="Status that the pod condition must have: True, False or Unknown; True by default."
    )


class PodFailurePolicyRule(ApiModel):
    """An action for pod failures with certain exit codes or pod conditions."""

    action: Annotated[
        str, Named("v1.PodFailurePolicyAction", ("Count", "FailIndex", "FailJob", "Ignore")), Required()
    ] = Field(
        default="", description="Action if the rule matches: FailJob, FailIndex, Ignore, or Count the failure as usual."
    )
    onExitCodes: PodFailurePolicyOnExitCodesRequirement | None = Field(
        default=None,
        description="Container exit codes to which the rule applies; mutually exclusive with onPodConditions.",
    )
    onPodConditions: list[PodFailurePolicyOnPodConditionsPattern] = Field(
        default_factory=list, description="Pod conditions to which the rule applies: one of the patterns must match."
    )


class PodFailurePolicy(ApiModel):
    """Rules for handling failed pods; the first matching rule applies."""

    rules: Annotated[list[PodFailurePolicyRule], Required()] = Field(
        default_factory=list, description="Rules in order; the first that matches a failed pod decides the action."
    )


class SuccessPolicyRule(ApiModel):
    """The indexes, or the number of indexes, that must succeed for an indexed job to succeed early."""

    succeededIndexes: str | None = Field(
        default=None,
        description="Indexes that must succeed, such as 1,3-5; if succeededCount is set, so many of them suffice.",
    )
    succeededCount: Int32 | None = Field(
        default=None,
        description="Number of indexes that must succeed, out of succeededIndexes or, if unset, of all indexes.",
    )


class SuccessPolicy(ApiModel):
    """Rules by which an indexed job can succeed before all its indexes have succeeded."""

    rules: Annotated[list[SuccessPolicyRule], Required()] = Field(
        default_factory=list,
        description="Rules for indexes that must succeed; the job succeeds once one rule is satisfied.",
    )


class JobSpec(ApiModel):
    """Desired state of a Job: pod template, number of completions, parallelism and failure policies."""

    parallelism: Int32 | None = Field(default=None, description="Maximum number of pods that run at a time.")
    completions: Int32 | None = Field(
        default=None, description="Number of pods that must succeed; if unset, the success of any pod ends the job."
    )
    activeDeadlineSeconds: Int64 | None = Field(
        default=None, description="Seconds that the job may be active before it fails; unlimited if unset."
    )
    podFailurePolicy: PodFailurePolicy | None = Field(
        default=None, description="Rules by which a pod's failure fails the job, counts as a retry, or is ignored."
    )
    successPolicy: SuccessPolicy | None = Field(
        default=None, description="Rules for the early success of an indexed job."
    )
    backoffLimit: Int32 | None = Field(
        default=None,
        description="Number of retries before the job fails; 6 by default, unlimited with backoffLimitPerIndex.",
    )
    backoffLimitPerIndex: Int32 | None = Field(
        default=None, description="Number of retries of each index before it fails."
    )
    maxFailedIndexes: Int32 | None = Field(
        default=None, description="Number of failed indexes after which the job fails."
    )
    selector: LabelSelector | None = Field(
        default=None, description="Label selector of the pods; generated by default."
    )
    manualSelector: bool | None = Field(
        default=None,
        description="True if the client sets the selector and the pods' labels; if not, the server generates them.",
    )
    template: Annotated[PodTemplateSpec, Required()] = Field(
        default_factory=PodTemplateSpec,
        description="Labels and spec of the job's pods; restartPolicy must be Never or OnFailure.",
    )
    ttlSecondsAfterFinished: Int32 | None = Field(
        default=None, description="Seconds after the end of the job until it is deleted."
    )
    completionMode: Annotated[str | None, Named("v1.CompletionMode", ("Indexed", "NonIndexed"))] = Field(
        default=None, description="Indexed if each pod has a completion index, else NonIndexed."
    )
    suspend: bool | None = Field(
        default=None, description="True to delete the active pods, and to create none until it is false."
    )
    podReplacementPolicy: Annotated[str | None, Named("v1.PodReplacementPolicy", ("Failed", "TerminatingOrFailed"))] = (
        Field(
            default=None,
            description="State in which a pod is replaced: Failed, or TerminatingOrFailed for terminating pods too.",
        )
    )
    managedBy: str | None = Field(default=None, description="Controller that manages the job, if not the built-in one.")


class JobCondition(ProbedCondition):
    """A condition of a Job: Suspended, SuccessCriteriaMet, FailureTarget, Complete or Failed."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.JobConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as Complete."
    )


class UncountedTerminatedPods(ApiModel):
    """UIDs of terminated pods that the status does not count yet as succeeded or failed."""

    succeeded: Annotated[list[_Uid], SetList()] = Field(
        default_factory=list, description="UIDs of succeeded pods that status.succeeded does not count yet."
    )
    failed: Annotated[list[_Uid], SetList()] = Field(
        default_factory=list, description="UIDs of failed pods that status.failed does not count yet."
    )


class JobStatus(ApiModel):
    """Observed state of a Job: counts of active, succeeded and failed pods, times and conditions."""

    conditions: Annotated[list[JobCondition], Atomic(), Merge("type")] = Field(
        default_factory=list, description="Conditions of the job, such as Complete and Failed."
    )
    startTime: Time | None = Field(
        default=None, description="Time when the controller started the job; set anew when a suspended job resumes."
    )
    completionTime: Time | None = Field(
        default=None, description="Time when the job succeeded; unset for failed and unfinished jobs."
    )
    active: Int32 = Field(default=0, description="Number of pods that are neither terminated nor terminating.")
    succeeded: Int32 = Field(
        default=0, description="Number of pods of the job that the controller has counted as succeeded."
    )
    failed: Int32 = Field(default=0, description="Number of pods of the job that the controller has counted as failed.")
    terminating: Int32 | None = Field(
        default=None, description="Number of pods that are being deleted but have not ended yet."
    )
    completedIndexes: str = Field(
        default="", description="Indexes of an indexed job that succeeded, as text such as 1,3-5."
    )
    failedIndexes: str | None = Field(
        default=None, description="Indexes of an indexed job that failed, as text such as 1,3-5."
    )
    uncountedTerminatedPods: UncountedTerminatedPods | None = Field(
        default=None, description="UIDs of terminated pods that status.succeeded and status.failed do not count yet."
    )
    ready: Int32 | None = Field(default=None, description="Number of active pods that are ready.")


class Job(ApiObject):
    """Runs pods until enough of them succeed."""

    spec: JobSpec = Field(
        default_factory=JobSpec, description="Pod template, completions, parallelism and failure policies of the job."
    )
    status: JobStatus = Field(
        default_factory=JobStatus, description="Pod counts, times and conditions of the job, written by the controller."
    )


def is_true(conditions: Iterable[JobCondition], condition_type: str) -> bool:
    """True if a list of job conditions has the status True for this condition type."""
    return any(condition.type == condition_type and condition.status == "True" for condition in conditions)


def is_finished(conditions: Iterable[JobCondition]) -> bool:
    """True if the conditions of a job say that it has succeeded or failed."""
    return any(condition.type in ("Complete", "Failed") and condition.status == "True" for condition in conditions)
