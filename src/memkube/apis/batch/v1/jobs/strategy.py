"""What Jobs add to the generic verbs, and what they get where the client says nothing."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.shown_values import given
from memkube.apimachinery.time import Time
from memkube.apis.batch.v1.jobs.generated_selector import generate_selector
from memkube.apis.batch.v1.jobs.types import Job, JobSpec
from memkube.apis.batch.v1.jobs.validation import validate_job, validate_job_status_update, validate_job_update
from memkube.apis.batch.v1.jobs.validation.job import COMPLETIONS_SOFT_LIMIT, is_indexed
from memkube.apis.core.v1.podspec.defaults import default_pod_template
from memkube.apis.core.v1.podspec.warnings.pod_template import pod_template_warnings
from memkube.apis.core.v1.workloads import WorkloadStrategy
from memkube.registry.declarations.strategy import GarbageCollection, StatusStrategy

BACKOFF_LIMIT: Final = 6
_NO_LIMIT: Final = 2**31 - 1
_PARALLELISM_SOFT_LIMIT = 10_000
_MANY = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "
    "Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
)
_PODS_STAY = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them "
    "or set propagationPolicy=Orphan to suppress this warning"
)


def default_job(job: Job) -> None:
    """Fills a Job in place."""
    spec = job.spec
    default_pod_template(spec.template)
    if spec.parallelism is None:
        spec.parallelism = 1
        if spec.completions is None:
            spec.completions = 1
    if spec.backoffLimit is None:
        spec.backoffLimit = BACKOFF_LIMIT if spec.backoffLimitPerIndex is None else _NO_LIMIT
    if not job.metadata.labels and given(spec.template.metadata, "labels") is not None:
        # The same map, as in the reference: labels that are generated for the template become the job's too.
        job.metadata.labels = spec.template.metadata.labels
    spec.completionMode = "NonIndexed" if spec.completionMode is None else spec.completionMode
    spec.suspend = bool(spec.suspend)
    spec.manualSelector = bool(spec.manualSelector)
    if spec.podReplacementPolicy is None:
        spec.podReplacementPolicy = "TerminatingOrFailed" if spec.podFailurePolicy is None else "Failed"
    default_failure_policy(spec)


def default_failure_policy(spec: JobSpec) -> None:
    """Conditions of pods that rules are about are true where nothing is said."""
    for rule in spec.podFailurePolicy.rules if spec.podFailurePolicy else []:
        for pattern in rule.onPodConditions:
            pattern.status = pattern.status or "True"


def job_spec_warnings(spec: JobSpec, path: FieldPath) -> list[str]:
    """About numbers that are hard to keep track of, and about the template."""
    many = (spec.completions or 0) > COMPLETIONS_SOFT_LIMIT and (spec.parallelism or 0) > _PARALLELISM_SOFT_LIMIT
    warnings = [f"{path}: {_MANY}"] if is_indexed(spec) and many else []
    return warnings + pod_template_warnings(spec.template, path.child("template"))


class JobStrategy(WorkloadStrategy[Job]):
    """Source: ``pkg/registry/batch/job/strategy.go``."""

    garbage_collection: ClassVar[GarbageCollection] = "orphan"

    def default(self, obj: Job) -> None:
        """See Strategy."""
        default_job(obj)

    def prepare_for_create(self, obj: Job, now: Time) -> list[str]:
        """A new job has no status yet, and selects its own pods."""
        generate_selector(obj)
        return super().prepare_for_create(obj, now)

    def validate(self, obj: Job) -> list[FieldError]:
        """See Strategy."""
        return validate_job(obj)

    def fill_as_read(self, obj: Job) -> bool:
        """A job without labels has those of its template, generated ones included."""
        bare = not obj.metadata.labels and bool(obj.spec.template.metadata.labels)
        if bare:
            obj.metadata.labels = dict(obj.spec.template.metadata.labels)
        return bare

    def validate_update(self, new: Job, old: Job) -> list[FieldError]:
        """See Strategy."""
        return validate_job_update(new, old)

    def spec_warnings(self, obj: Job) -> list[str]:
        """About numbers that are hard to keep track of too."""
        return job_spec_warnings(obj.spec, FieldPath("spec"))

    def warnings_on_delete(self, options: DeleteOptions) -> list[str]:
        """Whoever does not say what becomes of the pods is warned that they stay (``jobStorage.Delete``)."""
        unsaid = options.propagationPolicy is None and options.orphanDependents is None
        return [_PODS_STAY] if unsaid else []


class JobStatusStrategy(StatusStrategy[Job], JobStrategy):
    """Writes to ``status``."""

    def validate_update(self, new: Job, old: Job) -> list[FieldError]:
        """See Strategy."""
        return validate_job_status_update(new, old)
