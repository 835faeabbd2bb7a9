"""Rules for new and for changed jobs."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE, validate_immutable
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.names import is_dns1123_label, subdomain_name
from memkube.apis.batch.v1.jobs.generated_selector import PREFIXED, validate_generated_selector
from memkube.apis.batch.v1.jobs.types import Job, JobSpec, is_true
from memkube.apis.batch.v1.jobs.validation.spec import is_indexed, validate_job_spec
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.internal_form import internal_value
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec, PodTemplateSpec
from memkube.apis.core.v1.podspec.types.scheduling import Affinity

_METADATA: Final = FieldPath("metadata")
_SPEC: Final = FieldPath("spec")
_IMMUTABLE: Final = ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
_SCHEDULING: Final = ("nodeSelector", "tolerations", "schedulingGates")


def validate_job(job: Job, *, prefixed: bool = True, any_values: bool = False) -> list[FieldError]:
    """The rules for a new job; an old one need not have the labels and values that were not asked for once."""
    errors = validate_metadata(job.metadata, True, subdomain_name, _METADATA)
    errors += validate_generated_selector(job, prefixed=prefixed)
    errors += validate_job_spec(job.spec, _SPEC, any_values=any_values)
    if is_indexed(job.spec) and job.spec.completions:
        hostname = f"{job.metadata.name}-{job.spec.completions - 1}"
        if is_dns1123_label(hostname):
            why = f"will not able to create pod with invalid DNS label: {hostname}"
            errors.append(invalid(_METADATA.child("name"), job.metadata.name, why))
    return errors


def validate_job_update(new: Job, old: Job) -> list[FieldError]:
    """The rules for a changed job: little more than its parallelism and its suspension may change."""
    any_values = bool(validate_label_selector(old.spec.selector, _SPEC))
    prefixed = all(label in old.spec.template.metadata.labels for label in PREFIXED)
    errors = validate_job(new, prefixed=prefixed, any_values=any_values)
    errors += validate_metadata_update(new.metadata, old.metadata, _METADATA)
    errors += validate_job_spec(new.spec, _SPEC, any_values=any_values)
    errors += _completions_errors(new.spec, old.spec)
    errors += validate_immutable(new.spec.selector, old.spec.selector, _SPEC.child("selector"))
    errors += _template_errors(new.spec.template, old)
    for name in _IMMUTABLE:
        errors += _validate_unchanged(getattr(new.spec, name), getattr(old.spec, name), _SPEC.child(name))
    return errors


def _completions_errors(new: JobSpec, old: JobSpec) -> list[FieldError]:
    path = _SPEC.child("completions")
    if not is_indexed(new):
        return validate_immutable(new.completions, old.completions, path)
    if new.completions in (old.completions, None, new.parallelism):
        return []
    return [invalid(path, new.completions, "can only be modified in tandem with spec.parallelism")]


def _template_errors(new: PodTemplateSpec, old_job: Job) -> list[FieldError]:
    """The template stays; where and with what its pods run may change while no pod of a suspended job does."""
    path, old = _SPEC.child("template"), old_job.spec.template
    if not _may_change_template(old_job):
        return _validate_unchanged(new, old, path)
    allowed = old.spec.model_copy(update={name: getattr(new.spec, name) for name in _SCHEDULING})
    allowed.affinity = _with_node_affinity(old.spec.affinity, new.spec.affinity)
    for name in ("containers", "initContainers"):
        setattr(allowed, name, _with_resources(allowed, new.spec, name))
    return _validate_unchanged(new.spec, allowed, path.child("spec"))


def _validate_unchanged(new: object, old: object, path: FieldPath) -> list[FieldError]:
    """As validate_immutable, for values that the reference shows as it holds them inside."""
    shown = internal_value(new) if isinstance(new, ApiModel) else new
    return [] if new == old else [invalid(path, shown, FIELD_IMMUTABLE)]


def _may_change_template(job: Job) -> bool:
    waits = job.status.startTime is None or is_true(job.status.conditions, "Suspended")
    return bool(job.spec.suspend) and waits and job.status.active == 0


def _with_node_affinity(old: Affinity | None, new: Affinity | None) -> Affinity | None:
    merged = (old or Affinity()).model_copy(update={"nodeAffinity": new.nodeAffinity if new else None})
    return None if new is None and merged == Affinity() else merged


def _with_resources(old: PodSpec, new: PodSpec, name: str) -> object:
    before, after = getattr(old, name), getattr(new, name)
    if len(before) != len(after):
        return before
    return [
        mine.model_copy(update={"resources": theirs.resources}) if mine.name == theirs.name else mine
        for mine, theirs in zip(before, after, strict=True)
    ]
