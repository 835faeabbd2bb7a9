"""Rules for what a status says of claims to devices."""

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, required
from memkube.apimachinery.names import subdomain_name
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.apis.core.v1.pods.types.status import PodExtendedResourceClaimStatus
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.name_rules import validate_dns_label


def validate_claim_statuses(pod: Pod, path: FieldPath) -> list[FieldError]:
    """Each status is about another claim of the pod."""
    errors: list[FieldError] = []
    claims = {claim.name for claim in pod.spec.resourceClaims}
    seen: set[str] = set()
    for index, status in enumerate(pod.status.resourceClaimStatuses):
        item = path.item(index)
        if status.name not in claims:
            detail = "must match the name of an entry in `spec.resourceClaims`"
            errors.append(invalid(item.child("name"), status.name, detail))
        if status.name in seen:
            errors.append(duplicate(item.child("name"), status.name))
        seen.add(status.name)
        if (name := status.resourceClaimName) is not None:
            errors += [invalid(item.child("resourceClaimName"), name, error) for error in subdomain_name(name)]
    return errors


def validate_extended_claim_status(pod: Pod, path: FieldPath) -> list[FieldError]:
    """The claim that was made for a container's extended resources matches them."""
    status = pod.status.extendedResourceClaimStatus
    if status is None:
        return []
    errors = _validate_mappings(status, pod.spec, path)
    name, name_path = status.resourceClaimName, path.child("resourceClaimName")
    if not name:
        return [*errors, required(name_path)]
    return errors + [invalid(name_path, name, error) for error in subdomain_name(name)]


def _validate_mappings(status: PodExtendedResourceClaimStatus, spec: PodSpec, path: FieldPath) -> list[FieldError]:
    mappings_path = path.child("requestMappings")
    containers = {container.name: container for container in (*spec.initContainers, *spec.containers)}
    errors: list[FieldError] = []
    if not status.requestMappings:
        errors.append(required(mappings_path, "at least one request mapping is required"))
    seen: set[tuple[str, str, str]] = set()
    for index, mapping in enumerate(status.requestMappings):
        item = mappings_path.item(index)
        container = containers.get(mapping.containerName)
        where = "spec.initContainers.{0} or spec.containers.{0}"
        if container is None:
            detail = f"must match the name of an entry in {where.format('name')}"
            errors.append(invalid(item.child("containerName"), mapping.containerName, detail))
        elif mapping.resourceName not in container.resources.requests:
            entry = where.format("resources.requests")
            detail = f"must match the extended resource name of an entry in {entry}"
            errors.append(invalid(item.child("resourceName"), mapping.resourceName, detail))
        errors += validate_dns_label(mapping.requestName, path.child("requestName"))
        key = (mapping.containerName, mapping.resourceName, mapping.requestName)
        if key in seen:
            names = ("containerName", "resourceName", "requestName")
            errors += [duplicate(item.child(name), value) for name, value in zip(names, key, strict=True)]
        seen.add(key)
    return errors
