"""CronJobs: jobs at given times."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Time
from memkube.apis.batch.v1.jobs.types import JobSpec
from memkube.apis.core.v1.references import ObjectReference


class JobTemplateSpec(ApiModel):
    """What jobs are made from."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Labels and annotations of the jobs.")
    spec: JobSpec = Field(default_factory=JobSpec, description="What the jobs do.")


class CronJobSpec(ApiModel):
    """What is wanted."""

    schedule: Annotated[str, Required()] = Field(
        default="", description="When jobs are made: five fields in the notation of cron, or a word such as @daily."
    )
    timeZone: str | None = Field(
        default=None, description="IANA name of the time zone that the schedule goes by; else that of the controller."
    )
    startingDeadlineSeconds: Int64 | None = Field(
        default=None, description="Seconds after which a job that could not be made in time is not made any more."
    )
    concurrencyPolicy: Annotated[str, Named("v1.ConcurrencyPolicy", ("Allow", "Forbid", "Replace"))] = Field(
        default="", description="What becomes of a job while the one before is running: Allow, Forbid or Replace."
    )
    suspend: bool | None = Field(default=None, description="Whether no jobs are made for now.")
    jobTemplate: Annotated[JobTemplateSpec, Required()] = Field(
        default_factory=JobTemplateSpec, description="What the jobs are like."
    )
    successfulJobsHistoryLimit: Int32 | None = Field(
        default=None, description="How many jobs that succeeded stay; three where nothing is said."
    )
    failedJobsHistoryLimit: Int32 | None = Field(
        default=None, description="How many jobs that failed stay; one where nothing is said."
    )


class CronJobStatus(ApiModel):
    """What there is."""

    active: list[ObjectReference] = Field(default_factory=list, description="The jobs that are running.")
    lastScheduleTime: Time | None = Field(default=None, description="When a job was made last.")
    lastSuccessfulTime: Time | None = Field(default=None, description="When a job succeeded last.")


class CronJob(ApiObject):
    """Makes jobs at the times of a schedule."""

    spec: Annotated[CronJobSpec, Required()] = Field(default_factory=CronJobSpec, description="What is wanted.")
    status: CronJobStatus = Field(default_factory=CronJobStatus, description="What there is.")
