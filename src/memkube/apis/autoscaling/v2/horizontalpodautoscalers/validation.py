"""Validation of HorizontalPodAutoscalers: replica limits, scale target, scaling rules and status counts.

The metrics are validated in ``metrics.py``. Source: ``pkg/apis/autoscaling/validation``.
"""

from functools import partial
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.meta.validation.object_meta import NEGATIVE, validate_nonnegative
from memkube.apimachinery.names import subdomain_name
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.metrics import (
    api_version_problem,
    has_invalid_references,
    no_problem,
    validate_metrics,
    validate_reference,
)
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import (
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerSpec,
    HPAScalingPolicy,
    HPAScalingRules,
)
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update

_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_LONGEST_PERIOD: Final = 1800
_LONGEST_WINDOW: Final = 3600
_SELECTIONS: Final = ("Disabled", "Max", "Min")
_POLICIES: Final = ("Percent", "Pods")


def validate_autoscaler(autoscaler: HorizontalPodAutoscaler) -> list[FieldError]:
    """Validate a new HorizontalPodAutoscaler: its metadata, and all rules for its spec."""
    errors = validate_metadata(autoscaler.metadata, subdomain_name, namespaced=True)
    return errors + _spec_errors(autoscaler.spec, None)


def validate_autoscaler_update(new: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler) -> list[FieldError]:
    """Validate an update of a HorizontalPodAutoscaler.

    The new spec may break a rule that the stored spec breaks already.
    """
    return validate_metadata_update(new.metadata, old.metadata) + _spec_errors(new.spec, old.spec)


def validate_autoscaler_status_update(new: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler) -> list[FieldError]:
    """Validate an updated HorizontalPodAutoscaler status: the replica counts must not be negative."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    for name in ("currentReplicas", "desiredReplicas"):
        errors += validate_nonnegative(getattr(new.status, name), _STATUS.child(name))
    return errors


def _spec_errors(spec: HorizontalPodAutoscalerSpec, old: HorizontalPodAutoscalerSpec | None) -> list[FieldError]:
    errors = _replica_errors(spec, 0 if old is not None and old.minReplicas == 0 else 1)
    target, before = spec.scaleTargetRef, old.scaleTargetRef if old is not None else None
    problem = partial(api_version_problem, needs_group=target.kind != "ReplicationController")
    if before is not None and (before.apiVersion, before.kind) == (target.apiVersion, target.kind):
        problem = partial(no_problem)
    errors += validate_reference(target, _SPEC.child("scaleTargetRef"), problem)
    tolerated = old is not None and has_invalid_references(old)
    errors += validate_metrics(spec, _SPEC.child("metrics"), any_api_version=tolerated)
    if spec.behavior is not None:
        path = _SPEC.child("behavior")
        errors += _rules_errors(spec.behavior.scaleUp, path.child("scaleUp"))
        errors += _rules_errors(spec.behavior.scaleDown, path.child("scaleDown"))
    return errors


def _replica_errors(spec: HorizontalPodAutoscalerSpec, fewest: int) -> list[FieldError]:
    errors: list[FieldError] = []
    least, most, path = spec.minReplicas, spec.maxReplicas, _SPEC.child("maxReplicas")
    if least is not None and least < fewest:
        errors.append(invalid(_SPEC.child("minReplicas"), least, f"must be greater than or equal to {fewest}"))
    if most == 0:
        errors.append(required(path, "must be set and greater than 0"))
    elif most < 0:
        errors.append(invalid(path, most, "must be greater than or equal to 1"))
    if least is not None and most < least:
        errors.append(invalid(path, most, "must be greater than or equal to `minReplicas`"))
    return errors


def _rules_errors(rules: HPAScalingRules | None, path: FieldPath) -> list[FieldError]:
    if rules is None:
        return []
    errors: list[FieldError] = []
    window, selection, tolerance = rules.stabilizationWindowSeconds, rules.selectPolicy, rules.tolerance
    window_path, policies = path.child("stabilizationWindowSeconds"), path.child("policies")
    if window is not None and window < 0:
        errors.append(invalid(window_path, window, "must be greater than or equal to zero"))
    if window is not None and window > _LONGEST_WINDOW:
        errors.append(invalid(window_path, window, f"must be less than or equal to {_LONGEST_WINDOW}"))
    if selection is not None and selection not in _SELECTIONS:
        errors.append(not_supported(path.child("selectPolicy"), selection, _SELECTIONS))
    if not rules.policies:
        errors.append(required(policies, "must specify at least one Policy"))
    for index, policy in enumerate(rules.policies):
        errors += _policy_errors(policy, policies.item(index))
    if tolerance is not None and tolerance.nano < 0:
        errors.append(invalid(path.child("tolerance"), tolerance, NEGATIVE))
    return errors


def _policy_errors(policy: HPAScalingPolicy, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    period = path.child("periodSeconds")
    if policy.type not in _POLICIES:
        errors.append(not_supported(path.child("type"), policy.type, _POLICIES))
    if policy.value <= 0:
        errors.append(invalid(path.child("value"), policy.value, "must be greater than zero"))
    if policy.periodSeconds <= 0:
        errors.append(invalid(period, policy.periodSeconds, "must be greater than zero"))
    if policy.periodSeconds > _LONGEST_PERIOD:
        errors.append(invalid(period, policy.periodSeconds, f"must be less than or equal to {_LONGEST_PERIOD}"))
    return errors
