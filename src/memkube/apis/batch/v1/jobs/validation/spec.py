"""Rules for what a job wants."""

import re
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
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.names import is_dns1123_subdomain, regex_error
from memkube.apimachinery.shown_values import Unversioned, given
from memkube.apis.batch.v1.jobs.types import JobSpec
from memkube.apis.batch.v1.jobs.validation.policies import validate_failure_policy, validate_success_policy
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_template_spec

COMPLETIONS_SOFT_LIMIT: Final = 100_000
_MOST_PARALLEL: Final = 100_000
_MOST_FAILED: Final = 100_000
_MOST_PARALLEL_OF_MANY: Final = 10_000
_MOST_FAILED_OF_MANY: Final = 10_000
_LONGEST_MANAGER: Final = 63
_HTTP_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
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


def validate_job_spec(spec: JobSpec, path: FieldPath, *, any_values: bool = False) -> list[FieldError]:
    """The numbers make sense together, and the pods end and are selected."""
    errors = _number_errors(spec, path) + _mode_errors(spec, path)
    if spec.podFailurePolicy is not None:
        errors += validate_failure_policy(spec, path.child("podFailurePolicy"))
    if spec.successPolicy is not None:
        errors += _success_errors(spec, path.child("successPolicy"))
    errors += _replacement_errors(spec, path.child("podReplacementPolicy"))
    errors += validate_pod_template_spec(spec.template, path.child("template"))
    errors += _restart_errors(spec, path.child("template").child("spec").child("restartPolicy"))
    return errors + _selector_errors(spec, path, any_values=any_values)


def is_indexed(spec: JobSpec) -> bool:
    """Whether each pod has a number of its own."""
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
    errors = _prefixed_path_errors(manager, path)
    return errors + ([too_long(path, _LONGEST_MANAGER)] if len(manager.encode()) > _LONGEST_MANAGER else [])


def _prefixed_path_errors(text: str, path: FieldPath) -> list[FieldError]:
    if not text:
        return [required(path)]
    host, _, rest = text.partition("/")
    if not host or not rest:
        return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    errors = [invalid(path, host, message) for message in is_dns1123_subdomain(host)]
    if re.fullmatch(_HTTP_PATH, rest) is None:
        errors.append(invalid(path, rest, regex_error("Invalid path", _HTTP_PATH)))
    return errors


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
        return [invalid(path, Unversioned(spec.successPolicy), "requires indexed completion mode")]
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
