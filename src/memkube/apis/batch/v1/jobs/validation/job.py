"""Validation of new and updated Jobs: numbers, pod template, selector and immutable fields."""

from typing import Final

from memkube.apimachinery import labels
from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    invalid,
    not_supported,
    required,
    too_long,
)
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE, validate_immutable, validate_nonnegative
from memkube.apimachinery.meta.validation.prefixed_paths import prefixed_path_errors
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.names import is_dns1123_label, subdomain_name
from memkube.apimachinery.shown_values import InternalValue, given
from memkube.apis.batch.v1.jobs.generated_selector import PREFIXED, validate_generated_selector
from memkube.apis.batch.v1.jobs.types import Job, JobSpec, is_true
from memkube.apis.batch.v1.jobs.validation.policies import validate_failure_policy, validate_success_policy
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.internal_form import internal_value
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec, PodTemplateSpec
from memkube.apis.core.v1.podspec.types.scheduling import Affinity
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_template_spec

_METADATA: Final = FieldPath("metadata")
_SPEC: Final = FieldPath("spec")
_IMMUTABLE: Final = ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
_SCHEDULING: Final = ("nodeSelector", "tolerations", "schedulingGates")
COMPLETIONS_SOFT_LIMIT: Final = 100_000
_MOST_PARALLEL: Final = 100_000
_MOST_FAILED: Final = 100_000
_MOST_PARALLEL_OF_MANY: Final = 10_000
_MOST_FAILED_OF_MANY: Final = 10_000
_LONGEST_MANAGER: Final = 63
_MODES: Final = ("NonIndexed", "Indexed")
_COUNTS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)


def validate_job(job: Job, *, prefixed: bool = True, any_values: bool = False) -> list[FieldError]:
    """Validate a Job.

    Two options are for updates of a job that already breaks the rules. If `prefixed` is False, the pod template needs
    no labels with the prefix batch.kubernetes.io/. If `any_values` is True, selectors may have invalid label values.
    """
    errors = validate_metadata(job.metadata, subdomain_name, namespaced=True)
    errors += validate_generated_selector(job, prefixed=prefixed)
    errors += validate_job_spec(job.spec, _SPEC, any_values=any_values)
    if is_indexed(job.spec) and job.spec.completions:
        hostname = f"{job.metadata.name}-{job.spec.completions - 1}"
        if is_dns1123_label(hostname):
            why = f"will not able to create pod with invalid DNS label: {hostname}"
            errors.append(invalid(_METADATA.child("name"), job.metadata.name, why))
    return errors


def validate_job_update(new: Job, old: Job) -> list[FieldError]:
    """Validate an update of a Job. Most of the spec is immutable; parallelism and suspend may change."""
    any_values = bool(validate_label_selector(old.spec.selector, _SPEC))
    prefixed = all(label in old.spec.template.metadata.labels for label in PREFIXED)
    errors = validate_job(new, prefixed=prefixed, any_values=any_values)
    errors += validate_metadata_update(new.metadata, old.metadata)
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
    """Return errors unless the new pod template of a job equals that of `old_job`, the job before the update.

    While a job is suspended and has no active pods, the template's scheduling fields and resources may change.
    """
    path, old = _SPEC.child("template"), old_job.spec.template
    if not _may_change_template(old_job):
        return _validate_unchanged(new, old, path)
    allowed = old.spec.model_copy(update={name: getattr(new.spec, name) for name in _SCHEDULING})
    allowed.affinity = _with_node_affinity(old.spec.affinity, new.spec.affinity)
    for name in ("containers", "initContainers"):
        setattr(allowed, name, _with_resources(allowed, new.spec, name))
    return _validate_unchanged(new.spec, allowed, path.child("spec"))


def _validate_unchanged(new: object, old: object, path: FieldPath) -> list[FieldError]:
    """Validate that an immutable field is unchanged.

    Errors print the new value as a Go struct of kube-apiserver's internal version.
    """
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


def validate_job_spec(spec: JobSpec, path: FieldPath, *, any_values: bool = False) -> list[FieldError]:
    """Validate a job's spec: numbers, policies, pod template and selector.

    With `any_values`, the selector may have values that are not valid label values.
    """
    return validate_job_template(spec, path) + _selector_errors(spec, path, any_values=any_values)


def validate_job_template(spec: JobSpec, path: FieldPath) -> list[FieldError]:
    """Validate the spec of a job template, which has no selector yet."""
    errors = _number_errors(spec, path) + _mode_errors(spec, path)
    if spec.podFailurePolicy is not None:
        errors += validate_failure_policy(spec, path.child("podFailurePolicy"))
    if spec.successPolicy is not None:
        errors += _success_errors(spec, path.child("successPolicy"))
    errors += _replacement_errors(spec, path.child("podReplacementPolicy"))
    errors += validate_pod_template_spec(spec.template, path.child("template"))
    return errors + _restart_errors(spec, path.child("template").child("spec").child("restartPolicy"))


def is_indexed(spec: JobSpec) -> bool:
    """True if each pod of the job has a completion index."""
    return spec.completionMode == "Indexed"


def _number_errors(spec: JobSpec, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in _COUNTS:
        value = getattr(spec, name)
        if value is not None:
            errors += validate_nonnegative(value, path.child(name))
    if spec.maxFailedIndexes is not None and spec.backoffLimitPerIndex is None:
        errors.append(required(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
    if spec.managedBy is not None:
        errors += _manager_errors(spec.managedBy, path.child("managedBy"))
    return errors


def _manager_errors(manager: str, path: FieldPath) -> list[FieldError]:
    errors = prefixed_path_errors(manager, path)
    return errors + ([too_long(path, _LONGEST_MANAGER)] if len(manager.encode()) > _LONGEST_MANAGER else [])


def _mode_errors(spec: JobSpec, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.completionMode is not None and spec.completionMode not in _MODES:
        errors.append(not_supported(path.child("completionMode"), spec.completionMode, _MODES))
    if is_indexed(spec):
        return errors + _indexed_errors(spec, path)
    if spec.completionMode in (None, "NonIndexed"):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            value = getattr(spec, name)
            if value is not None:
                errors.append(invalid(path.child(name), value, "requires indexed completion mode"))
    return errors


def _indexed_errors(spec: JobSpec, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    completions, failed = spec.completions, spec.maxFailedIndexes
    if completions is None:
        errors.append(required(path.child("completions"), "when completion mode is Indexed"))
    errors += _at_most(spec, "parallelism", _MOST_PARALLEL, path, " when completion mode is Indexed")
    if completions is not None and failed is not None and failed > completions:
        errors.append(invalid(path.child("maxFailedIndexes"), failed, "must be less than or equal to completions"))
    errors += _at_most(spec, "maxFailedIndexes", _MOST_FAILED, path)
    if completions is None or completions <= COMPLETIONS_SOFT_LIMIT or spec.backoffLimitPerIndex is None:
        return errors
    if failed is None:
        why = f"must be specified when completions is above {COMPLETIONS_SOFT_LIMIT}"
        errors.append(required(path.child("maxFailedIndexes"), why))
    when = f" when completions are above {COMPLETIONS_SOFT_LIMIT} and used with backoff limit per index"
    errors += _at_most(spec, "parallelism", _MOST_PARALLEL_OF_MANY, path, when)
    return errors + _at_most(spec, "maxFailedIndexes", _MOST_FAILED_OF_MANY, path, when)


def _at_most(spec: JobSpec, name: str, limit: int, path: FieldPath, when: str = "") -> list[FieldError]:
    value = getattr(spec, name)
    if value is None or value <= limit:
        return []
    return [invalid(path.child(name), value, f"must be less than or equal to {limit}{when}")]


def _success_errors(spec: JobSpec, path: FieldPath) -> list[FieldError]:
    if not is_indexed(spec):
        return [invalid(path, InternalValue(spec.successPolicy), "requires indexed completion mode")]
    return validate_success_policy(spec, path)


def _replacement_errors(spec: JobSpec, path: FieldPath) -> list[FieldError]:
    allowed = ("Failed",) if spec.podFailurePolicy is not None else ("Failed", "TerminatingOrFailed")
    policy = spec.podReplacementPolicy
    return [] if policy is None or policy in allowed else [not_supported(path, policy, allowed)]


def _restart_errors(spec: JobSpec, path: FieldPath) -> list[FieldError]:
    policy = spec.template.spec.restartPolicy
    if policy in ("", "Always"):
        return [required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in ("OnFailure", "Never"):
        return [not_supported(path, policy, ("OnFailure", "Never"))]
    if spec.podFailurePolicy is not None and policy != "Never":
        return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    return []


def _selector_errors(spec: JobSpec, path: FieldPath, *, any_values: bool) -> list[FieldError]:
    selector_path = path.child("selector")
    if spec.selector is None:
        errors = [required(selector_path)]
    else:
        errors = validate_label_selector(spec.selector, selector_path, any_values=any_values)
    try:
        matches = labels.from_model(spec.selector).matches(spec.template.metadata.labels)
    except ValueError:
        return errors
    if not matches:
        labels_path = path.child("template").child("metadata").child("labels")
        why = "`selector` does not match template `labels`"
        errors.append(invalid(labels_path, given(spec.template.metadata, "labels"), why))
    return errors
