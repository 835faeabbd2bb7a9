"""Rules for what a status says of single containers."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from memkube.apis.core.v1.pods.types.container_status import ContainerStatus, ResourceHealth, ResourceStatus
from memkube.apis.core.v1.pods.types.status import PodStatus
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.name_rules import validate_unix_id

_STATUSES: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_HEALTH: Final = ("Healthy", "Unhealthy", "Unknown")
_MESSAGE_LIMIT: Final = 1024


def validate_container_statuses(status: PodStatus, spec: PodSpec) -> list[FieldError]:
    """Users have numbers, and devices are such as the containers asked for."""
    path = FieldPath("status")
    system = spec.os.name if spec.os else "linux"
    errors: list[FieldError] = []
    for field in _STATUSES:
        errors += _validate_users(getattr(status, field), system, path.child(field))
    errors += _validate_devices(status.containerStatuses, spec.containers, path.child(_STATUSES[0]))
    errors += _validate_devices(status.initContainerStatuses, spec.initContainers, path.child(_STATUSES[1]))
    for index, container in enumerate(status.ephemeralContainerStatuses):
        if container.allocatedResourcesStatus:
            devices_path = path.child(_STATUSES[2]).item(index).child("allocatedResourcesStatus")
            errors.append(forbidden(devices_path, "must not be specified in container status"))
    return errors


def _validate_users(statuses: Sequence[ContainerStatus], system: str, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, status in enumerate(statuses):
        user = status.user.linux if status.user else None
        user_path = path.item(index).child("user").child("linux")
        if user is None:
            continue
        if system == "windows":
            errors.append(forbidden(user_path, "cannot be set for a windows pod"))
        elif system == "linux":
            errors += validate_unix_id(user.uid, user_path.child("uid"))
            errors += validate_unix_id(user.gid, user_path.child("gid"))
            for number, group in enumerate(user.supplementalGroups):
                errors += validate_unix_id(group, user_path.child("supplementalGroups").item(number))
    return errors


def _validate_devices(
    statuses: Sequence[ContainerStatus], containers: Sequence[Container], path: FieldPath
) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, status in enumerate(statuses):
        container = next((container for container in containers if container.name == status.name), None)
        for number, resource in enumerate(status.allocatedResourcesStatus):
            item = path.item(index).child("allocatedResourcesStatus").item(number)
            if container is not None:
                errors += _validate_asked_for(resource, container, item.child("name"))
            errors += _validate_health(resource.resources, item.child("resources"))
    return errors


def _validate_asked_for(resource: ResourceStatus, container: Container, path: FieldPath) -> list[FieldError]:
    if resource.name.startswith("claim:"):
        claims = container.resources.claims
        known = {f"claim:{claim.name}/{claim.request}".removesuffix("/") for claim in claims}
        form = "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
        detail = f"must match one of the container's resource claims in a format {form}"
    else:
        known = set(container.resources.requests)
        detail = "must match one of the container's resource requests"
    return [] if resource.name in known else [invalid(path, resource.name, detail)]


def _validate_health(resources: Sequence[ResourceHealth], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, resource in enumerate(resources):
        item = path.item(index)
        if resource.health not in _HEALTH:
            errors.append(not_supported(item.child("health"), resource.health, _HEALTH))
        if resource.message == "":
            errors.append(required(item.child("message"), "must be non-empty if specified"))
        elif resource.message is not None and len(resource.message.encode()) > _MESSAGE_LIMIT:
            errors.append(too_long(item.child("message"), _MESSAGE_LIMIT))
        if resource.resourceID in seen:
            errors.append(duplicate(item.child("resourceID"), resource.resourceID))
        seen.add(resource.resourceID)
    return errors
