from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Time
from memkube.apis.batch.v1.jobs.types import JobSpec
from memkube.apis.core.v1.references import ObjectReference


class JobTemplateSpec(ApiModel):
    """Metadata and spec of the jobs that a CronJob creates."""

    metadata: ObjectMeta = Field(
        default_factory=ObjectMeta, description="Labels and annotations of the jobs that are created."
    )
    spec: JobSpec = Field(
        default_factory=JobSpec, description="Desired state of each job: its pods, completions and failure policies."
    )


class CronJobSpec(ApiModel):
    """Desired state of a CronJob: schedule, job template, concurrency policy and history limits."""

    schedule: Annotated[str, Required()] = Field(
        default="", description="Schedule in cron syntax with five fields, or a macro such as @daily."
    )
    timeZone: str | None = Field(
        default=None, description="IANA name of the schedule's time zone; that of the controller by default."
    )
    startingDeadlineSeconds: Int64 | None = Field(
        default=None,
        description="Seconds after its scheduled time within which a job must start; otherwise, it is skipped.",
    )
    concurrencyPolicy: Annotated[str, Named("v1.ConcurrencyPolicy", ("Allow", "Forbid", "Replace"))] = Field(
        default="",
        description="Action if the previous job still runs: Allow both, Forbid the new one, or Replace the old one.",
    )
    suspend: bool | None = Field(default=None, description="True to suspend the creation of jobs.")
    jobTemplate: Annotated[JobTemplateSpec, Required()] = Field(
        default_factory=JobTemplateSpec,
        description="Labels, annotations and spec of the jobs that the CronJob creates.",
    )
    successfulJobsHistoryLimit: Int32 | None = Field(
        default=None, description="Number of successful jobs to keep; 3 by default."
    )
    failedJobsHistoryLimit: Int32 | None = Field(
        default=None, description="Number of failed jobs to keep; 1 by default."
    )


class CronJobStatus(ApiModel):
    """Observed state of a CronJob: its active jobs and the times of the last runs."""

    active: list[ObjectReference] = Field(
        default_factory=list, description="References to the CronJob's jobs that have not finished."
    )
    lastScheduleTime: Time | None = Field(
        default=None, description="Latest scheduled time for which a job was created."
    )
    lastSuccessfulTime: Time | None = Field(
        default=None, description="Time when a job of the CronJob last finished successfully."
    )


class CronJob(ApiObject):
    """Creates jobs on a schedule."""

    spec: Annotated[CronJobSpec, Required()] = Field(
        default_factory=CronJobSpec, description="Schedule, job template, concurrency policy and history limits."
    )
    status: CronJobStatus = Field(
        default_factory=CronJobStatus,
        description="Active jobs and the times of the last runs, written by the controller.",
    )
