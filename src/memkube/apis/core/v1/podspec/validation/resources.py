"""Rules for requests and limits."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from memkube.apimachinery.meta.validation.object_meta import NEGATIVE
from memkube.apimachinery.names import is_qualified_name
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.podspec.aggregate_resources import is_pod_level_resource
from memkube.apis.core.v1.podspec.types.resources import ResourceClaim, ResourceRequirements
from memkube.apis.core.v1.podspec.validation.name_rules import validate_dns_label
from memkube.apis.core.v1.podspec.validation.resource_names import (
    HUGE_PAGES,
    is_counted_resource,
    is_extended_resource,
    is_native_resource,
    is_standard_container_resource,
    is_standard_resource,
    is_whole_pages,
    may_overcommit,
)

ResourceNameRule: TypeAlias = Callable[[str, FieldPath], list[FieldError]]

_POD_LEVEL: Final = ("cpu", "hugepages-", "memory")


def validate_requirements(
    requirements: ResourceRequirements, claim_names: frozenset[str], path: FieldPath, name_rule: ResourceNameRule
) -> list[FieldError]:
    """Requests do not exceed limits, and claims are among those of the pod."""
    limits, requests = requirements.limits, requirements.requests
    errors: list[FieldError] = []
    for name, quantity in limits.items():
        errors += _validate_resource(name, quantity, path.child("limits").key(name), name_rule)
    for name, quantity in requests.items():
        item = path.child("requests").key(name)
        errors += name_rule(name, item) + validate_quantity(name, quantity, item)
        errors += _validate_against_limit(name, quantity, limits.get(name), path)
        errors += _validate_pages(name, quantity, item)
    names = limits.keys() | requests.keys()
    if not names & {"cpu", "memory"} and any(name.startswith(HUGE_PAGES) for name in names):
        errors.append(forbidden(path, "HugePages require cpu or memory"))
    if requirements.claims:
        errors += _validate_claims(requirements.claims, claim_names, path.child("claims"))
    return errors


def validate_container_resource_name(name: str, path: FieldPath) -> list[FieldError]:
    """A container can ask for the resource."""
    if name in ("cpu", "memory"):
        return []
    errors = _validate_name(name, path)
    if "/" not in name:
        if not is_standard_container_resource(name):
            errors.append(invalid(path, name, "must be a standard resource for containers"))
    elif not is_native_resource(name) and not is_extended_resource(name):
        errors.append(invalid(path, name, "doesn't follow extended resource name standard"))
    return errors


def validate_pod_resource_name(name: str, path: FieldPath) -> list[FieldError]:
    """A pod as a whole can ask for the resource."""
    errors = _validate_name(name, path)
    if errors or is_pod_level_resource(name):
        return errors
    return [not_supported(path, name, _POD_LEVEL)]


def validate_quantity(name: str, quantity: Quantity, path: FieldPath) -> list[FieldError]:
    """The quantity is not negative, and whole where the resource is counted."""
    errors = [invalid(path, quantity, NEGATIVE)] if quantity.nano < 0 else []
    if name not in ("cpu", "memory") and is_counted_resource(name) and quantity.milli_value % 1000:
        errors.append(invalid(path, quantity, "must be an integer"))
    return errors


def _validate_name(name: str, path: FieldPath) -> list[FieldError]:
    errors = [invalid(path, name, error) for error in is_qualified_name(name)]
    if not errors and "/" not in name and not is_standard_resource(name):
        errors.append(invalid(path, name, "must be a standard resource type or fully qualified"))
    return errors


def _validate_resource(name: str, quantity: Quantity, path: FieldPath, rule: ResourceNameRule) -> list[FieldError]:
    return rule(name, path) + validate_quantity(name, quantity, path) + _validate_pages(name, quantity, path)


def _validate_pages(name: str, quantity: Quantity, path: FieldPath) -> list[FieldError]:
    if not name.startswith(HUGE_PAGES) or is_whole_pages(name, quantity):
        return []
    return [invalid(path, quantity, f"{quantity} is not positive integer multiple of {name}")]


def _validate_against_limit(name: str, request: Quantity, limit: Quantity | None, path: FieldPath) -> list[FieldError]:
    if limit is None:
        detail = "Limit must be set for non overcommitable resources"
        return [] if may_overcommit(name) else [required(path.child("limits"), detail)]
    if request.nano != limit.nano and not may_overcommit(name):
        return [invalid(path.child("requests"), request, f"must be equal to {name} limit of {limit}")]
    if request.nano > limit.nano:
        return [invalid(path.child("requests"), request, f"must be less than or equal to {name} limit of {limit}")]
    return []


def _validate_claims(claims: Sequence[ResourceClaim], known: frozenset[str], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        item = path.item(index)
        if not claim.name:
            errors.append(required(item))
            continue
        errors += _validate_claim_once(claim, seen, item)
        if claim.name not in known:
            detail = f": {', '.join(sorted(known))}" if known else " which is empty"
            text = f"must be one of the names in pod.spec.resourceClaims{detail}"
            errors.append(FieldError("FieldValueNotFound", item, claim.name, text))
    return errors


def _validate_claim_once(claim: ResourceClaim, seen: set[str], path: FieldPath) -> list[FieldError]:
    """A claim is referenced whole, or request by request, never both."""
    if claim.name in seen:
        return [duplicate(path, claim.name)]
    key = f"{claim.name}/{claim.request}" if claim.request else claim.name
    errors = validate_dns_label(claim.request, path.child("request")) if claim.request else []
    if key in seen:
        errors.append(duplicate(path, key))
    elif not claim.request:
        parts = sum(other.partition("/")[0] == claim.name for other in seen if "/" in other)
        errors += [duplicate(path, claim.name)] * parts
    seen.add(key)
    return errors
