"""Rules for the claims of a pod to devices, and for the resources of the pod as a whole."""

from collections.abc import Mapping, Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, forbidden, invalid, required
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import Unversioned
from memkube.apis.core.v1.podspec.aggregate_resources import aggregate_limits, aggregate_requests
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements
from memkube.apis.core.v1.podspec.types.scheduling import PodResourceClaim
from memkube.apis.core.v1.podspec.validation.name_rules import validate_dns_label
from memkube.apis.core.v1.podspec.validation.resource_names import HUGE_PAGES
from memkube.apis.core.v1.podspec.validation.resources import validate_pod_resource_name, validate_requirements

MIRROR_POD: Final = "kubernetes.io/config.mirror"


def validate_resource_claims(
    claims: Sequence[PodResourceClaim], annotations: Mapping[str, str], path: FieldPath
) -> list[FieldError]:
    """Each claim has a name of its own and says where it comes from."""
    if MIRROR_POD in annotations:
        return [forbidden("[]", "static pods do not support resource claims")] * len(claims)
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, claim in enumerate(claims):
        errors += _validate_claim(claim, names, path.item(index))
    return errors


def validate_pod_level_resources(spec: PodSpec, claim_names: frozenset[str], path: FieldPath) -> list[FieldError]:
    """Resources of the pod as a whole hold what its containers need."""
    resources, path = spec.resources, path.child("resources")
    if resources is None:
        return []
    if spec.os is not None and spec.os.name == "windows":
        return [forbidden(path, "may not be set for a windows pod")]
    errors: list[FieldError] = []
    if resources.claims:
        errors.append(forbidden(path.child("claims"), "claims may not be set for Resources at pod-level"))
    errors += validate_requirements(resources, claim_names, path, validate_pod_resource_name)
    return errors + _validate_sums(spec, resources, path)


def _validate_claim(claim: PodResourceClaim, names: set[str], path: FieldPath) -> list[FieldError]:
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
        errors.append(invalid(path, Unversioned(claim), detail))
    if claim.resourceClaimName is None and claim.resourceClaimTemplateName is None:
        detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        errors.append(invalid(path, Unversioned(claim), detail))
    for name in ("resourceClaimName", "resourceClaimTemplateName"):
        if (value := getattr(claim, name)) is not None:
            errors += [invalid(path.child(name), value, error) for error in subdomain_name(value)]
    return errors


def _validate_sums(spec: PodSpec, resources: ResourceRequirements, path: FieldPath) -> list[FieldError]:
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
