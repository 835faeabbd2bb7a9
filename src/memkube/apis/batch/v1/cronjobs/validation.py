"""Defaults and validation of CronJobs: name, schedule, time zone, limits and job template (``pkg/apis/batch``)."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, invalid_typed, not_supported, required
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.names import subdomain_name
from memkube.apis.batch.v1.cronjobs.schedules import is_zone_name, parse_schedule, time_zone
from memkube.apis.batch.v1.cronjobs.types import CronJob, CronJobSpec, JobTemplateSpec
from memkube.apis.batch.v1.jobs.strategy import default_failure_policy
from memkube.apis.batch.v1.jobs.validation.job import validate_job_template
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.defaults import default_pod_template

SUCCESSFUL_KEPT: Final = 3
FAILED_KEPT: Final = 1
_METADATA: Final = FieldPath("metadata")
_SPEC: Final = FieldPath("spec")
_POLICIES: Final = ("Allow", "Forbid", "Replace")
_LONGEST_NAME: Final = 52


def default_cron_job(cron_job: CronJob) -> None:
    """Set the defaults of a CronJob in place. The defaults of its jobs are set when the jobs are created."""
    spec = cron_job.spec
    default_pod_template(spec.jobTemplate.spec.template)
    default_failure_policy(spec.jobTemplate.spec)
    spec.concurrencyPolicy = spec.concurrencyPolicy or "Allow"
    spec.suspend = bool(spec.suspend)
    if spec.successfulJobsHistoryLimit is None:
        spec.successfulJobsHistoryLimit = SUCCESSFUL_KEPT
    if spec.failedJobsHistoryLimit is None:
        spec.failedJobsHistoryLimit = FAILED_KEPT


def validate_cron_job(cron_job: CronJob) -> list[FieldError]:
    """Validate a new CronJob.

    Its name has at most 52 characters, because the names of its jobs have a suffix of 11 characters.
    """
    name = cron_job.metadata.name
    errors = validate_metadata(cron_job.metadata, subdomain_name, namespaced=True) + _spec_errors(cron_job.spec, None)
    if len(name.encode()) > _LONGEST_NAME:
        errors.append(invalid(_METADATA.child("name"), name, f"must be no more than {_LONGEST_NAME} characters"))
    return errors


def validate_cron_job_update(new: CronJob, old: CronJob) -> list[FieldError]:
    """Validate an update of a CronJob. A time zone that the update does not change is not checked again."""
    return validate_metadata_update(new.metadata, old.metadata) + _spec_errors(new.spec, old.spec)


def _spec_errors(spec: CronJobSpec, old: CronJobSpec | None) -> list[FieldError]:
    errors = _schedule_errors(spec, old, _SPEC.child("schedule"))
    errors += _count_errors(spec, ("startingDeadlineSeconds",))
    if spec.timeZone is not None and (old is None or old.timeZone != spec.timeZone):
        errors += _time_zone_errors(spec.timeZone, _SPEC.child("timeZone"))
    policy, path = spec.concurrencyPolicy, _SPEC.child("concurrencyPolicy")
    if policy not in _POLICIES:
        errors.append(not_supported(path, policy, _POLICIES) if policy else required(path))
    errors += _template_errors(spec.jobTemplate, _SPEC.child("jobTemplate").child("spec"))
    return errors + _count_errors(spec, ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"))


def _count_errors(spec: CronJobSpec, names: tuple[str, ...]) -> list[FieldError]:
    values = ((name, getattr(spec, name)) for name in names)
    return [e for name, value in values if value is not None for e in validate_nonnegative(value, _SPEC.child(name))]


def _schedule_errors(spec: CronJobSpec, old: CronJobSpec | None, path: FieldPath) -> list[FieldError]:
    """Return the errors in the schedule of a CronJob. `old` is its spec before an update; None for a new CronJob.

    A time zone in the schedule's text is an error, unless the old schedule has a time zone too.
    """
    schedule = spec.schedule
    if not schedule:
        return [required(path)]
    errors: list[FieldError] = []
    try:
        parse_schedule(schedule)
    except ValueError as error:
        errors.append(invalid(path, schedule, str(error)))
    if "TZ" not in schedule:
        return errors
    if old is None or "TZ" not in old.schedule:
        why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        errors.append(invalid(path, schedule, why))
    elif spec.timeZone is not None:
        errors.append(invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"))
    return errors


def _time_zone_errors(name: str, path: FieldPath) -> list[FieldError]:
    if not name:
        return [invalid(path, name, "timeZone must be nil or non-empty string")]
    if not is_zone_name(name):
        return [invalid_typed(path, name, f"unknown time zone {name}")]
    errors: list[FieldError] = []
    if name.lower() == "local":
        where = "https://www.iana.org/time-zones"
        errors.append(invalid_typed(path, name, f"timeZone must be an explicit time zone as defined in {where}"))
    try:
        time_zone(name)
    except ValueError as error:
        errors.append(invalid_typed(path, name, str(error)))
    return errors


def _template_errors(template: JobTemplateSpec, path: FieldPath) -> list[FieldError]:
    spec = template.spec
    errors = validate_job_template(spec, path)
    if spec.selector is not None:
        errors.append(invalid(path.child("selector"), spec.selector, "`selector` will be auto-generated"))
    if spec.manualSelector:
        errors.append(not_supported(path.child("manualSelector"), spec.manualSelector, ("nil", "false")))
    return errors
