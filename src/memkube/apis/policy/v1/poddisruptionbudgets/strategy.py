"""Validation (``pkg/apis/policy/validation``) and strategy of PodDisruptionBudgets."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported
from memkube.apimachinery.meta.validation.conditions import validate_conditions
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.workloads import validate_at_most_100_percent, validate_count_or_percentage
from memkube.apis.policy.v1.poddisruptionbudgets.types import (
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
)
from memkube.registry.declarations.strategy import SpecStrategy, StatusStrategy

_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_EVICTION_POLICIES: Final = ("AlwaysAllow", "IfHealthyBudget")
_COUNTS: Final = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def validate_pod_disruption_budget(budget: PodDisruptionBudget) -> list[FieldError]:
    """Validate a new PodDisruptionBudget: minAvailable and maxUnavailable must not both be set."""
    return _validate_spec(budget.spec, any_values=False)


def validate_pod_disruption_budget_update(new: PodDisruptionBudget, old: PodDisruptionBudget) -> list[FieldError]:
    """Validate an update of a PodDisruptionBudget by the rules for new budgets.

    Invalid values in the selector are accepted if the old selector has invalid values too.
    """
    any_values = bool(validate_label_selector(old.spec.selector, _SPEC))
    return _validate_spec(new.spec, any_values=any_values)


def validate_pod_disruption_budget_status_update(
    new: PodDisruptionBudget, old: PodDisruptionBudget
) -> list[FieldError]:
    """Validate an update of a PodDisruptionBudget's status: conditions are complete, and counts are not negative."""
    errors = validate_conditions(new.status.conditions, _STATUS.child("conditions"))
    for name in _COUNTS:
        errors += validate_nonnegative(getattr(new.status, name), _STATUS.child(name))
    return errors


def _validate_spec(spec: PodDisruptionBudgetSpec, *, any_values: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.minAvailable is not None and spec.maxUnavailable is not None:
        errors.append(invalid(_SPEC, InternalValue(spec), "minAvailable and maxUnavailable cannot be both set"))
    if spec.minAvailable is not None:
        errors += _validate_count(spec.minAvailable, _SPEC.child("minAvailable"))
    if spec.maxUnavailable is not None:
        errors += _validate_count(spec.maxUnavailable, _SPEC.child("maxUnavailable"))
    errors += validate_label_selector(spec.selector, _SPEC.child("selector"), any_values=any_values)
    policy = spec.unhealthyPodEvictionPolicy
    if policy is not None and policy not in _EVICTION_POLICIES:
        errors.append(not_supported(_SPEC.child("unhealthyPodEvictionPolicy"), policy, _EVICTION_POLICIES))
    return errors


def _validate_count(count: int | str, path: FieldPath) -> list[FieldError]:
    return validate_count_or_percentage(count, path) + validate_at_most_100_percent(count, path)


class PodDisruptionBudgetStrategy(SpecStrategy[PodDisruptionBudget]):
    """Rules for writes of PodDisruptionBudgets: validation, and updates only with a resourceVersion.

    Source: ``pkg/registry/policy/poddisruptionbudget/strategy.go``.
    """

    allow_unconditional_update: ClassVar[bool] = False

    validate = staticmethod(validate_pod_disruption_budget)
    validate_update = staticmethod(validate_pod_disruption_budget_update)


class PodDisruptionBudgetStatusStrategy(StatusStrategy[PodDisruptionBudget], PodDisruptionBudgetStrategy):
    """Strategy for writing the ``status`` subresource of PodDisruptionBudgets, which cannot change the spec."""

    validate_update = staticmethod(validate_pod_disruption_budget_status_update)
