"""Generated selector and labels that identify a job's pods, used unless the client sets `manualSelector`."""

from typing import Final

from memkube.apimachinery import labels
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apis.batch.v1.jobs.types import Job

PREFIXED: Final = ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name")
_LEGACY: Final = ("controller-uid", "job-name")
_LABELS: Final = FieldPath("spec.template.metadata.labels")


def generate_selector(job: Job) -> None:
    """Add the labels and selector requirements that identify a job's pods, if `manualSelector` is not set.

    Values that the client has set are kept; validation checks them.
    """
    if job.spec.manualSelector:
        return
    template = job.spec.template.metadata.labels
    for uid_label, name_label in (_LEGACY, PREFIXED):
        template.setdefault(name_label, job.metadata.name)
        template.setdefault(uid_label, job.metadata.uid)
    selector = job.spec.selector = job.spec.selector or LabelSelector()
    selector.matchLabels.setdefault(PREFIXED[0], job.metadata.uid)


def validate_generated_selector(job: Job, *, prefixed: bool) -> list[FieldError]:
    """Validate that a job's generated labels and selector identify only the pods of this job.

    If `prefixed` is True, the labels with the prefix batch.kubernetes.io/ are required too.
    """
    if job.spec.manualSelector or job.spec.selector is None:
        return []
    uid, name = job.metadata.uid, job.metadata.name
    errors = [] if uid else [required(FieldPath("metadata").child("uid"))]
    expected: dict[str, str] = {}
    for uid_label, name_label in (_LEGACY, PREFIXED) if prefixed else (_LEGACY,):
        expected |= {uid_label: uid, name_label: name}
    for label, value in expected.items():
        errors += _label_errors(job, label, value)
    try:
        if not labels.from_model(job.spec.selector).matches(expected):
            errors.append(invalid(FieldPath("spec.selector"), job.spec.selector, "`selector` not auto-generated"))
    except ValueError:
        pass
    return errors


def _label_errors(job: Job, label: str, value: str) -> list[FieldError]:
    found = job.spec.template.metadata.labels
    if label not in found:
        return [required(_LABELS.key(label), f"must be '{value}'")]
    return [] if found[label] == value else [invalid(_LABELS.key(label), found, f"must be '{value}'")]
