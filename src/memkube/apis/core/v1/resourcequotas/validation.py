"""Validation of ResourceQuotas, and warnings about them (``pkg/apis/core/validation``, ``pkg/registry/core``)."""

from collections.abc import Collection, Mapping
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, invalid_typed, required
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import InternalValue, given
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.validation.resources import (
    is_standard_resource,
    validate_quantity,
    validate_resource_name,
)
from memkube.apis.core.v1.resourcequotas.types import (
    ResourceQuota,
    ResourceQuotaSpec,
    ResourceQuotaStatus,
    ScopedResourceSelectorRequirement,
)

_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_OF_PODS: Final = frozenset({"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"})
_RESOURCES_OF: Final = {
    "Terminating": _OF_PODS,
    "NotTerminating": _OF_PODS,
    "NotBestEffort": _OF_PODS,
    "PriorityClass": _OF_PODS,
    "CrossNamespacePodAffinity": _OF_PODS,
    "BestEffort": frozenset({"pods"}),
    "VolumeAttributesClass": frozenset({"persistentvolumeclaims", "requests.storage"}),
}
"""Standard resource names that a quota may limit, by the quota's scope."""
_WITH_VALUES: Final = ("PriorityClass", "VolumeAttributesClass")
_CONFLICTS: Final = ({"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"})
_MISAPPLIED: Final = "unsupported scope applied to resource"


def validate_resource_quota(quota: ResourceQuota) -> list[FieldError]:
    """Validate a new ResourceQuota: its scopes, its limits and the amounts in its status."""
    errors = validate_metadata(quota.metadata, subdomain_name, namespaced=True)
    return errors + _spec_errors(quota.spec) + _status_errors(quota.status)


def validate_resource_quota_update(new: ResourceQuota, old: ResourceQuota) -> list[FieldError]:
    """Validate an update of a ResourceQuota: its scopes are immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata) + _spec_errors(new.spec)
    if set(new.spec.scopes) != set(old.spec.scopes):
        errors.append(invalid(_SPEC.child("scopes"), given(new.spec, "scopes"), FIELD_IMMUTABLE))
    return errors


def validate_resource_quota_status_update(new: ResourceQuota, old: ResourceQuota) -> list[FieldError]:
    """Validate an update of a ResourceQuota's status: its metadata and the amounts in the status."""
    return validate_metadata_update(new.metadata, old.metadata) + _status_errors(new.status)


def request_warnings(quota: ResourceQuota) -> list[str]:
    """Warn if a quota's hard limit of requests, such as ``requests.cpu``, is higher than its ``limits.cpu``."""
    hard, warnings = quota.spec.hard, []
    for name in ("cpu", "memory", "storage", "ephemeral-storage"):
        names = (f"requests.{name}", name) if name in ("cpu", "memory") else (f"requests.{name}",)
        requested = next((each for each in names if each in hard), None)
        limit = hard.get(f"limits.{name}")
        if requested and limit is not None and hard[requested].nano > limit.nano:
            text = f"{requested} ({hard[requested]}) should be less than limits.{name} ({limit})"
            warnings.append(f"ResourceQuota {text}")
    return warnings


def _status_errors(status: ResourceQuotaStatus) -> list[FieldError]:
    return _list_errors(status.hard, _STATUS.child("hard")) + _list_errors(status.used, _STATUS.child("used"))


def _list_errors(resources: Mapping[str, Quantity], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, quantity in sorted(resources.items()):
        item = path.key(name)
        errors += validate_resource_name(name, item)
        if "/" not in name and not _is_standard(name):
            errors.append(invalid_typed(item, name, "must be a standard resource for quota"))
        errors += validate_quantity(name, quantity, item)
    return errors


def _is_standard(name: str) -> bool:
    return is_standard_resource(name) and name != "storage"


def _spec_errors(spec: ResourceQuotaSpec) -> list[FieldError]:
    errors = _list_errors(spec.hard, _SPEC.child("hard"))
    errors += _scope_errors(spec)
    return errors + (_selector_errors(spec) if spec.scopeSelector is not None else [])


def _unsupported_count(scope: str, spec: ResourceQuotaSpec) -> int:
    """Return the number of resources that the quota `spec` limits although its scope `scope` does not support them."""
    allowed = _RESOURCES_OF.get(scope)
    return 0 if allowed is None else sum(_is_standard(name) and name not in allowed for name in spec.hard)


def _conflicts(scopes: Collection[str], spec: ResourceQuotaSpec, path: FieldPath) -> list[FieldError]:
    shown = given(spec, "scopes")
    return [invalid(path, shown, "conflicting scopes") for pair in _CONFLICTS if pair <= set(scopes)]


def _scope_errors(spec: ResourceQuotaSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    path = _SPEC.child("scopes")
    for scope in spec.scopes:
        if scope not in _RESOURCES_OF:
            errors.append(invalid(path, spec.scopes, "unsupported scope"))
        errors += [invalid(path, spec.scopes, _MISAPPLIED)] * _unsupported_count(scope, spec)
    return errors + _conflicts(spec.scopes, spec, path)


def _selector_errors(spec: ResourceQuotaSpec) -> list[FieldError]:
    assert spec.scopeSelector is not None
    errors: list[FieldError] = []
    path, requirements = _SPEC.child("scopeSelector").child("matchExpressions"), spec.scopeSelector.matchExpressions
    for requirement in requirements:
        scope = requirement.scopeName
        if scope not in _RESOURCES_OF:
            errors.append(invalid_typed(path.child("scopeName"), scope, "unsupported scope"))
        errors += [invalid(path, InternalValue(spec.scopeSelector), _MISAPPLIED)] * _unsupported_count(scope, spec)
        errors += _requirement_errors(requirement, path)
    return errors + _conflicts([requirement.scopeName for requirement in requirements], spec, path)


def _requirement_errors(requirement: ScopedResourceSelectorRequirement, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    scope, operator = requirement.scopeName, requirement.operator
    if scope in _RESOURCES_OF and scope not in _WITH_VALUES and operator != "Exists":
        scopes = "ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort"
        others = "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
        why = f"must be 'Exists' when scope is any of {scopes}, {others}"
        errors.append(invalid_typed(path.child("operator"), operator, why))
    values = path.child("values")
    if operator in ("In", "NotIn"):
        if not requirement.values:
            why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            errors.append(required(values, why))
    elif operator in ("Exists", "DoesNotExist"):
        if requirement.values:
            why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            errors.append(invalid(values, requirement.values, why))
    else:
        errors.append(invalid_typed(path.child("operator"), operator, "not a valid selector operator"))
    return errors
