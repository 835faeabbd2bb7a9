from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldPath
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
    """Set the defaults of a Job in place: parallelism, completions, retries, completion mode and pod policies."""
    spec = job.spec
    default_pod_template(spec.template)
    if spec.parallelism is None:
        spec.parallelism = 1
        if spec.completions is None:
            spec.completions = 1
    if spec.backoffLimit is None:
        spec.backoffLimit = BACKOFF_LIMIT if spec.backoffLimitPerIndex is None else _NO_LIMIT
    if not job.metadata.labels and given(spec.template.metadata, "labels") is not None:
        # Let the job and its template share one dictionary, as in kube-apiserver: labels that are later generated for
        # the template then appear in the job too.
        job.metadata.labels = spec.template.metadata.labels
    spec.completionMode = "NonIndexed" if spec.completionMode is None else spec.completionMode
    spec.suspend = bool(spec.suspend)
    spec.manualSelector = bool(spec.manualSelector)
    if spec.podReplacementPolicy is None:
        spec.podReplacementPolicy = "TerminatingOrFailed" if spec.podFailurePolicy is None else "Failed"
    default_failure_policy(spec)


def default_failure_policy(spec: JobSpec) -> None:
    """Set the status of pod conditions in a job's pod failure policy to True where it is unset."""
    for rule in spec.podFailurePolicy.rules if spec.podFailurePolicy else []:
        for pattern in rule.onPodConditions:
            pattern.status = pattern.status or "True"


def job_spec_warnings(spec: JobSpec, path: FieldPath) -> list[str]:
    """Return warnings about the pod template of a job, and about very high completions and parallelism."""
    many = (spec.completions or 0) > COMPLETIONS_SOFT_LIMIT and (spec.parallelism or 0) > _PARALLELISM_SOFT_LIMIT
    warnings = [f"{path}: {_MANY}"] if is_indexed(spec) and many else []
    return warnings + pod_template_warnings(spec.template, path.child("template"))


class JobStrategy(WorkloadStrategy[Job]):
    """Rules for writing Jobs: defaults, generated selector and labels, validation, and warnings.

    Source: ``pkg/registry/batch/job/strategy.go``.
    """

    garbage_collection: ClassVar[GarbageCollection] = "orphan"

    default = staticmethod(default_job)
    validate = staticmethod(validate_job)
    validate_update = staticmethod(validate_job_update)

    def prepare_for_create(self, obj: Job, now: Time) -> list[str]:
        """Clear the status of a new Job, and generate its selector."""
        generate_selector(obj)
        return super().prepare_for_create(obj, now)

    def fill_as_read(self, obj: Job) -> bool:
        """Copy the labels of the pod template, including generated labels, to a job without labels.

        Returns True if labels were copied.
        """
        bare = not obj.metadata.labels and bool(obj.spec.template.metadata.labels)
        if bare:
            obj.metadata.labels = dict(obj.spec.template.metadata.labels)
        return bare

    def spec_warnings(self, obj: Job) -> list[str]:
        """Return warnings about the pod template of a job, and about very high completions and parallelism."""
        return job_spec_warnings(obj.spec, FieldPath("spec"))

    def warnings_on_delete(self, options: DeleteOptions) -> list[str]:
        """Return a warning that the job's pods are kept if a DELETE request has no propagation policy.

        Source: ``jobStorage.Delete``.
        """
        unsaid = options.propagationPolicy is None and options.orphanDependents is None
        return [_PODS_STAY] if unsaid else []


class JobStatusStrategy(StatusStrategy[Job], JobStrategy):
    """Strategy for writing the ``status`` subresource of Jobs, which cannot change the spec."""

    validate_update = staticmethod(validate_job_status_update)
