"""What a Job gets where the client says nothing (``pkg/apis/batch/v1/defaults.go``)."""

from typing import Final

from memkube.apis.batch.v1.jobs.types.job import Job
from memkube.apis.core.v1.podspec.defaults import default_pod_template

BACKOFF_LIMIT: Final = 6
_NO_LIMIT: Final = 2**31 - 1


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
    if not job.metadata.labels:
        # The same map, as in the reference: labels that are generated for the template become the job's too.
        job.metadata.labels = spec.template.metadata.labels
    spec.completionMode = "NonIndexed" if spec.completionMode is None else spec.completionMode
    spec.suspend = bool(spec.suspend)
    spec.manualSelector = bool(spec.manualSelector)
    if spec.podReplacementPolicy is None:
        spec.podReplacementPolicy = "TerminatingOrFailed" if spec.podFailurePolicy is None else "Failed"
    for rule in spec.podFailurePolicy.rules if spec.podFailurePolicy else []:
        for pattern in rule.onPodConditions:
            pattern.status = pattern.status or "True"
