"""Validation of resource names, quantities and resource claims."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    invalid_typed,
    not_supported,
    required,
)
from memkube.apimachinery.meta.validation.object_meta import NEGATIVE
from memkube.apimachinery.names import is_qualified_name, subdomain_name
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.podspec.aggregate_resources import aggregate_limits, aggregate_requests, is_pod_level_resource
from memkube.apis.core.v1.podspec.validation.context import validate_dns_label

if TYPE_CHECKING:
    from memkube.apis.core.v1.podspec.types.containers import ResourceClaim, ResourceRequirements
    from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
    from memkube.apis.core.v1.podspec.types.scheduling import PodResourceClaim

HUGE_PAGES: Final = "hugepages-"
_QUOTA_HUGE_PAGES: Final = ("hugepages-", "requests.hugepages-")
_COUNTED: Final = frozenset(
    {
        "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
        "persistentvolumeclaims", "services.nodeports", "services.loadbalancers",
    }
)  # fmt: skip
_STANDARD: Final = _COUNTED | {
    "cpu", "memory", "ephemeral-storage", "storage", "requests.storage",
    "requests.cpu", "requests.memory", "requests.ephemeral-storage",
    "limits.cpu", "limits.memory", "limits.ephemeral-storage",
}  # fmt: skip
ResourceNameRule: TypeAlias = Callable[[str, FieldPath], list[FieldError]]
_POD_LEVEL: Final = ("cpu", "hugepages-", "memory")
MIRROR_POD: Final = "kubernetes.io/config.mirror"


def is_standard_resource(name: str) -> bool:
    """True if the resource name is one of Kubernetes' standard names, which need no domain."""
    return name in _STANDARD or name.startswith(_QUOTA_HUGE_PAGES)


def is_standard_container_resource(name: str) -> bool:
    """True if the resource name is a standard name, and containers may request the resource."""
    return name in ("cpu", "memory", "ephemeral-storage") or name.startswith(HUGE_PAGES)


def is_native_resource(name: str) -> bool:
    """True if Kubernetes defines the resource: its name has no domain, or a domain that ends in ``kubernetes.io``."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended_resource(name: str) -> bool:
    """True if the resource is an extended resource, which a vendor adds to nodes."""
    if is_native_resource(name) or name.startswith("requests."):
        return False
    return not is_qualified_name(f"requests.{name}")


def is_counted_resource(name: str) -> bool:
    """True if amounts of the resource must be integers, as for pods or extended resources."""
    return name in _COUNTED or is_extended_resource(name)


def may_overcommit(name: str) -> bool:
    """True if a container's request for the resource may be lower than its limit."""
    return is_native_resource(name) and not name.startswith(HUGE_PAGES)


def is_whole_pages(name: str, quantity: Quantity) -> bool:
    """True if the quantity is a multiple of the page size in the resource's name, such as ``hugepages-2Mi``."""
    try:
        page = Quantity.parse(name.removeprefix(HUGE_PAGES))
    except ValueError:
        return False
    return page.nano > 0 and page.milli_value % 1000 == 0 and quantity.value % page.value == 0


def validate_requirements(
    requirements: "ResourceRequirements", claim_names: frozenset[str], path: FieldPath, name_rule: ResourceNameRule
) -> list[FieldError]:
    """Validate the resource requirements of a container or pod.

    Requests must not exceed limits. Resource claims must have one of the names in `claim_names`, the names of the pod's
    claims. `name_rule` gets the name of a resource and its path, and returns the errors.
    """
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
    """Validate the name of a resource that a container requests."""
    if name in ("cpu", "memory"):
        return []
    errors = validate_resource_name(name, path)
    if "/" not in name:
        if not is_standard_container_resource(name):
            errors.append(invalid_typed(path, name, "must be a standard resource for containers"))
    elif not is_native_resource(name) and not is_extended_resource(name):
        errors.append(invalid_typed(path, name, "doesn't follow extended resource name standard"))
    return errors


def validate_pod_resource_name(name: str, path: FieldPath) -> list[FieldError]:
    """Validate the name of a resource that a pod requests at pod level."""
    errors = validate_resource_name(name, path)
    if errors or is_pod_level_resource(name):
        return errors
    return [not_supported(path, name, _POD_LEVEL)]


def validate_quantity(name: str, quantity: Quantity, path: FieldPath) -> list[FieldError]:
    """Validate that a resource amount is not negative, and is an integer if the resource is counted in units."""
    errors = [invalid(path, quantity, NEGATIVE)] if quantity.nano < 0 else []
    if name not in ("cpu", "memory") and is_counted_resource(name) and quantity.milli_value % 1000:
        errors.append(invalid(path, quantity, "must be an integer"))
    return errors


def validate_resource_name(name: str, path: FieldPath) -> list[FieldError]:
    """Validate that the resource name is a standard name or has a domain prefix."""
    errors = [invalid_typed(path, name, error) for error in is_qualified_name(name)]
    if not errors and "/" not in name and not is_standard_resource(name):
        errors.append(invalid_typed(path, name, "must be a standard resource type or fully qualified"))
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


def _validate_claims(claims: Sequence["ResourceClaim"], known: frozenset[str], path: FieldPath) -> list[FieldError]:
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


def _validate_claim_once(claim: "ResourceClaim", seen: set[str], path: FieldPath) -> list[FieldError]:
    """Validate that a container does not refer to a resource claim, or to one of its requests, more than once.

    A container refers either to a whole claim or to single requests of it. `seen` has the references validated before,
    as ``claim`` or ``claim/request``; the reference in `claim` is added to it.
    """
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


def validate_resource_claims(
    claims: Sequence["PodResourceClaim"], annotations: Mapping[str, str], path: FieldPath
) -> list[FieldError]:
    """Validate the resource claims of a pod: unique names, and exactly one source for each.

    A mirror pod, which the pod's `annotations` mark, must not have claims.
    """
    if MIRROR_POD in annotations:
        return [forbidden("[]", "static pods do not support resource claims")] * len(claims)
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, claim in enumerate(claims):
        errors += _validate_claim(claim, names, path.item(index))
    return errors


def validate_pod_level_resources(spec: "PodSpec", claim_names: frozenset[str], path: FieldPath) -> list[FieldError]:
    """Validate pod-level resources: no amount may be lower than the total of the containers.

    `claim_names` are the names of the pod's resource claims.
    """
    resources, path = spec.resources, path.child("resources")
    if resources is None:
        return []
    if spec.os is not None and spec.os.name == "windows":
        return [forbidden(path, "may not be set for a windows pod")]
    errors: list[FieldError] = []
    if resources.claims:
        errors.append(forbidden(path.child("claims"), "claims may not be set for Resources at pod-level"))
    errors += validate_requirements(resources, claim_names, path, validate_pod_resource_name)
    return errors + _validate_container_totals(spec, resources, path)


def _validate_claim(claim: "PodResourceClaim", names: set[str], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if not claim.name:
        errors.append(required(path.child("name")))
    elif claim.name in names:
        errors.append(duplicate(path.child("name"), claim.name))
    else:
        errors += validate_dns_label(claim.name, path.child("name"))
        names.add(claim.name)
    if claim.resourceClaimName is not None and claim.resourceClaimTemplateName is not None:
        detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        errors.append(invalid(path, InternalValue(claim), detail))
    if claim.resourceClaimName is None and claim.resourceClaimTemplateName is None:
        detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        errors.append(invalid(path, InternalValue(claim), detail))
    for name in ("resourceClaimName", "resourceClaimTemplateName"):
        if (value := getattr(claim, name)) is not None:
            errors += [invalid(path.child(name), value, error) for error in subdomain_name(value)]
    return errors


def _validate_container_totals(spec: "PodSpec", resources: "ResourceRequirements", path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, total in aggregate_requests(spec).items():
        request = resources.requests.get(name)
        if request is not None and total.nano > request.nano:
            detail = f"must be greater than or equal to aggregate container requests of {total}"
            errors.append(invalid(path.child("requests").key(name), request, detail))
    for name, total in aggregate_limits(spec).items():
        limit = resources.limits.get(name)
        if name.startswith(HUGE_PAGES) and limit is not None and total.nano > limit.nano:
            detail = f"must be greater than or equal to aggregate container limits of {total}"
            errors.append(invalid(path.child("limits").key(name), limit, detail))
    for index, container in enumerate(spec.containers):
        for name, own in container.resources.limits.items():
            limit = resources.limits.get(name)
            if limit is not None and own.nano > limit.nano:
                own_path = path.child("containers").item(index).key(name).child("limits")
                errors.append(invalid(own_path, own, f"must be less than or equal to pod limits of {limit}"))
    return errors
