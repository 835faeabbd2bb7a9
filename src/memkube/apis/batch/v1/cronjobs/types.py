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
    """TODO."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="TODO")
    spec: JobSpec = Field(default_factory=JobSpec, description="TODO")


class CronJobSpec(ApiModel):
    """TODO."""

    schedule: Annotated[str, Required()] = Field(default="", description="TODO")
    timeZone: str | None = Field(default=None, description="TODO")
    startingDeadlineSeconds: Int64 | None = Field(default=None, description="TODO")
    concurrencyPolicy: Annotated[str, Named("v1.ConcurrencyPolicy", ("Allow", "Forbid", "Replace"))] = Field(
        default="", description="TODO"
    )
    suspend: bool | None = Field(default=None, description="TODO")
    jobTemplate: Annotated[JobTemplateSpec, Required()] = Field(default_factory=JobTemplateSpec, description="TODO")
    successfulJobsHistoryLimit: Int32 | None = Field(default=None, description="TODO")
    failedJobsHistoryLimit: Int32 | None = Field(default=None, description="TODO")


class CronJobStatus(ApiModel):
    """TODO."""

    active: list[ObjectReference] = Field(default_factory=list, description="TODO")
    lastScheduleTime: Time | None = Field(default=None, description="TODO")
    lastSuccessfulTime: Time | None = Field(default=None, description="TODO")


class CronJob(ApiObject):
    """TODO."""

    spec: Annotated[CronJobSpec, Required()] = Field(default_factory=CronJobSpec, description="TODO")
    status: CronJobStatus = Field(default_factory=CronJobStatus, description="TODO")
