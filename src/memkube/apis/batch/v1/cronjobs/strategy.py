from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apis.batch.v1.cronjobs.types import CronJob
from memkube.apis.batch.v1.cronjobs.validation import default_cron_job, validate_cron_job, validate_cron_job_update
from memkube.apis.batch.v1.jobs.strategy import job_spec_warnings
from memkube.apis.core.v1.pods.strategy_rules import drop_disabled_fields
from memkube.apis.core.v1.podspec.warnings.containers import pod_base_name_warnings
from memkube.registry.declarations.strategy import SpecStrategy, StatusStrategy

_JOB_SPEC: Final = FieldPath("spec.jobTemplate.spec")
_ZONE_WARNING: Final = (
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, "
    "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


class CronJobStrategy(SpecStrategy[CronJob]):
    """Rules for writing CronJobs: defaults, validation, and warnings about names, job templates and time zones.

    Source: ``pkg/registry/batch/cronjob/strategy.go``.
    """

    default = staticmethod(default_cron_job)
    validate = staticmethod(validate_cron_job)
    validate_update = staticmethod(validate_cron_job_update)

    def drop_disabled(self, new: CronJob, old: CronJob | None) -> None:
        drop_disabled_fields(new.spec.jobTemplate.spec.template.spec)

    def warnings_on_create(self, obj: CronJob) -> list[str]:
        """Return warnings about the name, which becomes the prefix of pod names, and about the job template."""
        warnings = job_spec_warnings(obj.spec.jobTemplate.spec, _JOB_SPEC)
        return pod_base_name_warnings(obj.metadata.name) + warnings

    def warnings_on_update(self, new: CronJob, old: CronJob) -> list[str]:
        """Return warnings about the job template if the spec changed, and about a time zone in the schedule's text."""
        changed = new.metadata.generation != old.metadata.generation
        warnings = job_spec_warnings(new.spec.jobTemplate.spec, _JOB_SPEC) if changed else []
        return [*warnings, _ZONE_WARNING] if "TZ" in new.spec.schedule else warnings


class CronJobStatusStrategy(StatusStrategy[CronJob], CronJobStrategy):
    """Strategy for writing the ``status`` subresource of CronJobs, which cannot change the spec.

    The status is not validated.
    """

    def validate_update(self, new: CronJob, old: CronJob) -> list[FieldError]:
        return []
