"""Validation and strategy shared by kinds with a pod template, such as ReplicaSet and DaemonSet.

Sources: ``pkg/apis/apps/validation``, ``pkg/apis/core/validation`` and the strategies under ``pkg/registry``.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, Protocol, TypeVar

from memkube.apimachinery import labels
from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, not_supported, required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.names import is_percent
from memkube.apimachinery.shown_values import TypedString, given
from memkube.apis.core.v1.pods.strategy_rules import drop_disabled_fields
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_template_spec
from memkube.apis.core.v1.podspec.warnings.containers import pod_base_name_warnings
from memkube.apis.core.v1.podspec.warnings.pod_template import pod_template_warnings
from memkube.registry.declarations.strategy import SpecStrategy

M = TypeVar("M", bound=ApiObject)
_TEMPLATE: Final = FieldPath("spec.template")


class StatusCounts(Protocol):
    """Protocol for the status of a workload: the replica counts that all workload kinds have."""

    replicas: int
    readyReplicas: int


def validate_counts(model: object, names: Iterable[str], path: FieldPath) -> list[FieldError]:
    """Validate that none of the named fields of an object is negative."""
    errors: list[FieldError] = []
    for name in names:
        value = getattr(model, name)
        if value is not None:
            errors += validate_nonnegative(value, path.child(name))
    return errors


def validate_at_most(model: object, names: Iterable[str], limit: int, path: FieldPath, why: str) -> list[FieldError]:
    """Validate that none of the named fields of an object exceeds `limit`; `why` is the error message."""
    return [invalid(path.child(n), getattr(model, n), why) for n in names if getattr(model, n) > limit]


def validate_status_counts(
    status: StatusCounts, counts: Iterable[str], parts: Iterable[str], path: FieldPath, ready: str = "readyReplicas"
) -> list[FieldError]:
    """Validate the replica counts of a status.

    The fields named in `counts` must not be negative, those in `parts` must not exceed `replicas`, and there must be no
    more available than ready replicas. `ready` is the name of the field readyReplicas in error messages.
    """
    errors = validate_counts(status, counts, path)
    errors += validate_at_most(status, parts, status.replicas, path, "cannot be greater than status.replicas")
    why = f"cannot be greater than {ready}"
    return errors + validate_at_most(status, ("availableReplicas",), status.readyReplicas, path, why)


def validate_not_decremented(new: int | None, old: int | None, path: FieldPath) -> list[FieldError]:
    """Validate that an update does not decrement or remove a counter."""
    if old is None or (new is not None and new >= old):
        return []
    return [invalid(path, new or 0, "cannot be decremented")]


def validate_count_or_percentage(value: int | str, path: FieldPath) -> list[FieldError]:
    """Validate a value that is either a number of pods or a percentage."""
    if isinstance(value, int):
        return validate_nonnegative(value, path)
    return [invalid(path, TypedString(value), message) for message in is_percent(value)]


def validate_at_most_100_percent(value: int | str, path: FieldPath) -> list[FieldError]:
    """Validate that a percentage is at most 100."""
    if isinstance(value, int) or is_percent(value) or int(value[:-1]) <= 100:
        return []
    return [invalid(path, value, "must not be greater than 100%")]


def plain_number(value: int | str) -> int:
    """Return an integer, or a percentage such as ``25%``, as a number; 0 if the text has no number."""
    if isinstance(value, int):
        return value
    return int(value.removesuffix("%")) if re.fullmatch(r"[+-]?[0-9]+|[0-9]+%", value) else 0


def validate_selector(selector: LabelSelector | None, path: FieldPath, kind: str) -> list[FieldError]:
    """Validate that the label selector of a workload is set and not empty; `kind` is the kind in the error."""
    if selector is None:
        return [required(path)]
    errors = validate_label_selector(selector, path)
    if not selector.matchLabels and not selector.matchExpressions:
        errors.append(invalid(path, selector, f"empty selector is invalid for {kind}"))
    return errors


def validate_selected(
    template: PodTemplateSpec, selector: LabelSelector | None, path: FieldPath
) -> list[FieldError] | None:
    """Return errors if the selector does not match the labels of the pod template.

    Returns None if the selector itself is invalid.
    """
    try:
        selects = labels.from_model(selector)
    except ValueError:
        return None
    if (selector is None or selects.requirements) and not selects.matches(template.metadata.labels):
        why = "`selector` does not match template `labels`"
        return [invalid(path.child("metadata").child("labels"), given(template.metadata, "labels"), why)]
    return []


def validate_replicated_template(
    template: PodTemplateSpec, selector: LabelSelector | None, spec_path: FieldPath
) -> list[FieldError]:
    """Validate the template of a ReplicaSet or Deployment: the selector matches, and the restart policy is Always."""
    path = spec_path.child("template")
    mismatch = validate_selected(template, selector, path)
    if mismatch is None:
        return [invalid(spec_path.child("selector"), selector, "invalid label selector")]
    errors = mismatch + validate_pod_template_spec(template, path)
    return errors + validate_restarts_always(template, path, "ReplicaSet")


def validate_restarts_always(template: PodTemplateSpec, path: FieldPath, kind: str) -> list[FieldError]:
    """Validate that a pod template has the restart policy Always and no activeDeadlineSeconds.

    `kind` is the kind of the workload, for the error.
    """
    errors: list[FieldError] = []
    spec, spec_path = template.spec, path.child("spec")
    if spec.restartPolicy != "Always":
        errors.append(not_supported(spec_path.child("restartPolicy"), spec.restartPolicy, ("Always",)))
    if spec.activeDeadlineSeconds is not None:
        why = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(forbidden(spec_path.child("activeDeadlineSeconds"), why))
    return errors


class WorkloadStrategy(SpecStrategy[M]):
    """Base strategy of kinds with a pod template in ``spec.template``, which may be None."""

    def drop_disabled(self, new: M, old: M | None) -> None:
        template = _template(new)
        if template is not None:
            drop_disabled_fields(template.spec)

    def warnings_on_create(self, obj: M) -> list[str]:
        """Return warnings about the workload's name, which becomes the prefix of pod names, and about its spec."""
        return pod_base_name_warnings(obj.metadata.name) + self.spec_warnings(obj)

    def warnings_on_update(self, new: M, old: M) -> list[str]:
        """Return warnings about the spec of a workload if an update changed it."""
        return self.spec_warnings(new) if new.metadata.generation != old.metadata.generation else []

    def spec_warnings(self, obj: M) -> list[str]:
        """Return warnings about the spec of a workload, by default those about its pod template."""
        template = _template(obj)
        return [] if template is None else pod_template_warnings(template, _TEMPLATE)


def _template(obj: Any) -> PodTemplateSpec | None:
    template: PodTemplateSpec | None = obj.spec.template
    return template
