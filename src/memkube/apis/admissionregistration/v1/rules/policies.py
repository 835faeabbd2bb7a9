"""Defaults and validation shared by ValidatingAdmissionPolicies and MutatingAdmissionPolicies."""

from typing import Final, Protocol

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apis.admissionregistration.v1.rules.defaults import default_match_resources
from memkube.apis.admissionregistration.v1.rules.types import MatchCondition, MatchResources, ParamKind
from memkube.apis.admissionregistration.v1.rules.validation import (
    FAILURE_POLICIES,
    one_of,
    validate_match_conditions,
    validate_match_constraints,
    validate_param_kind,
)

_SPEC: Final = FieldPath("spec")


class _PolicySpec(Protocol):
    failurePolicy: str | None
    matchConstraints: MatchResources | None
    matchConditions: list[MatchCondition]
    paramKind: ParamKind | None


def default_policy(spec: _PolicySpec) -> None:
    """Set the defaults of a policy in place: failure policy Fail, and the defaults of the match constraints."""
    if spec.failurePolicy is None:
        spec.failurePolicy = "Fail"
    default_match_resources(spec.matchConstraints)


def validate_subject(spec: _PolicySpec, old: _PolicySpec | None, *, mutable_only: bool = False) -> list[FieldError]:
    """Validate the failure policy, match constraints, parameter kind and match conditions of a policy.

    Match conditions that have not changed since `old` are not checked again. `mutable_only` is True for policies that
    mutate objects. Their resource rules must not name the operation DELETE, because a DELETE has no new object.
    """
    errors = one_of(spec.failurePolicy, FAILURE_POLICIES, _SPEC.child("failurePolicy"))
    if spec.paramKind is not None:
        errors += validate_param_kind(spec.paramKind, _SPEC.child("paramKind"))
    constraints = _SPEC.child("matchConstraints")
    errors += validate_match_constraints(spec.matchConstraints, constraints, mutable_only=mutable_only)
    if old is None or (old.paramKind, old.matchConditions) != (spec.paramKind, spec.matchConditions):
        conditions = _SPEC.child("matchConditions")
        errors += validate_match_conditions(spec.matchConditions, conditions, params=spec.paramKind is not None)
    return errors
