"""Validation of updates of a pod's status: conditions, container states and statuses, resource claims, IP addresses."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    internal_error,
    invalid,
    invalid_typed,
    not_supported,
    required,
    too_long,
)
from memkube.apimachinery.ip_addresses import are_dual_stack, validate_ip
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue, TypedString
from memkube.apis.core.v1.metadata import validate_metadata_update
from memkube.apis.core.v1.pods.types import (
    ContainerStatus,
    HostIP,
    Pod,
    PodCondition,
    PodExtendedResourceClaimStatus,
    PodIP,
    PodStatus,
    ResourceHealth,
    ResourceStatus,
)
from memkube.apis.core.v1.pods.validation.create import METADATA, validate_pod_annotations_update
from memkube.apis.core.v1.podspec.types.containers import Container, ContainerRestartRuleOnExitCodes
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.context import validate_dns_label, validate_unix_id

_CONTAINER_STATUSES: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_DEVICE_HEALTH: Final = ("Healthy", "Unhealthy", "Unknown")
_MESSAGE_LIMIT: Final = 1024
STATUS: Final = FieldPath("status")
_SYSTEM_CONDITIONS: Final = ("PodScheduled", "Ready", "Initialized")
_NONNEGATIVE: Final = "must be a non-negative integer"


def may_restart(spec: PodSpec, containers: Sequence[Container], name: str, exit_code: int) -> bool:
    """True if the container `name` may restart after it exited with this code, by its restart rules or restart policy.

    If the pod has a rule with the action RestartAllContainers, every container may restart. Otherwise, the container
    may restart only if it is one of `containers`.
    """
    if any(
        rule.action == "RestartAllContainers"
        for container in (*spec.initContainers, *spec.containers)
        for rule in container.restartPolicyRules
    ):
        return True
    container = next((container for container in containers if container.name == name), None)
    return container is not None and _restarts(container, spec.restartPolicy, exit_code)


def _restarts(container: Container, pod_policy: str, exit_code: int) -> bool:
    if container.restartPolicy is not None:
        codes = (rule.exitCodes for rule in container.restartPolicyRules)
        if any(code is not None and _matches(code, exit_code) for code in codes):
            return True
    known = container.restartPolicy in ("Always", "OnFailure", "Never")
    policy = container.restartPolicy if known else pod_policy
    return exit_code != 0 if policy == "OnFailure" else policy != "Never"


def _matches(codes: ContainerRestartRuleOnExitCodes, exit_code: int) -> bool:
    if codes.operator == "In":
        return exit_code in codes.values
    return codes.operator == "NotIn" and exit_code not in codes.values


def validate_container_statuses(status: PodStatus, spec: PodSpec) -> list[FieldError]:
    """Validate container statuses: user IDs are in range, and devices belong to requested resources."""
    path = FieldPath("status")
    system = spec.os.name if spec.os else "linux"
    errors: list[FieldError] = []
    for field in _CONTAINER_STATUSES:
        errors += _validate_users(getattr(status, field), system, path.child(field))
    errors += _validate_devices(status.containerStatuses, spec.containers, path.child(_CONTAINER_STATUSES[0]))
    errors += _validate_devices(status.initContainerStatuses, spec.initContainers, path.child(_CONTAINER_STATUSES[1]))
    for index, container in enumerate(status.ephemeralContainerStatuses):
        if container.allocatedResourcesStatus:
            devices_path = path.child(_CONTAINER_STATUSES[2]).item(index).child("allocatedResourcesStatus")
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
                errors += _validate_requested(resource, container, item.child("name"))
            errors += _validate_health(resource.resources, item.child("resources"))
    return errors


def _validate_requested(resource: ResourceStatus, container: Container, path: FieldPath) -> list[FieldError]:
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
        if resource.health not in _DEVICE_HEALTH:
            errors.append(not_supported(item.child("health"), resource.health, _DEVICE_HEALTH))
        if resource.message == "":
            errors.append(required(item.child("message"), "must be non-empty if specified"))
        elif resource.message is not None and len(resource.message.encode()) > _MESSAGE_LIMIT:
            errors.append(too_long(item.child("message"), _MESSAGE_LIMIT))
        if resource.resourceID in seen:
            errors.append(duplicate(item.child("resourceID"), TypedString(resource.resourceID)))
        seen.add(resource.resourceID)
    return errors


def validate_claim_statuses(pod: Pod, path: FieldPath) -> list[FieldError]:
    """Validate the statuses of resource claims: each names a different entry of `spec.resourceClaims`."""
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
            errors += [invalid_typed(item.child("resourceClaimName"), name, error) for error in subdomain_name(name)]
    return errors


def validate_extended_claim_status(pod: Pod, path: FieldPath) -> list[FieldError]:
    """Validate the status of the resource claim that was created for extended resources.

    Each of its mappings must name a container and an extended resource that this container requests.
    """
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


def validate_pod_status_update(new: Pod, old: Pod) -> list[FieldError]:
    """Validate an updated pod status. Errors are in the order of kube-apiserver."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += validate_pod_annotations_update(new, old, METADATA.child("annotations"))
    errors += _validate_conditions(new.status.conditions, STATUS.child("conditions"))
    if new.spec.nodeName != old.spec.nodeName:
        errors.append(forbidden(STATUS.child("nodeName"), "may not be changed directly"))
    errors += _validate_nomination(new.status.nominatedNodeName, old)
    generation = new.status.observedGeneration
    if generation < 0:
        errors.append(invalid(STATUS.child("observedGeneration"), generation, _NONNEGATIVE))
    errors += validate_immutable(new.status.qosClass, old.status.qosClass, STATUS.child("qosClass"))
    errors += _validate_transitions(new.status, old.status, old.spec)
    errors += validate_claim_statuses(new, STATUS.child("resourceClaimStatuses"))
    errors += validate_extended_claim_status(new, STATUS.child("extendedResourceClaimStatus"))
    errors += _validate_addresses(new.status.podIPs, old.status.podIPs, STATUS.child("podIPs"))
    errors += _validate_host_addresses(new.status, old.status)
    return errors + validate_container_statuses(new.status, new.spec)


def _validate_conditions(conditions: Sequence[PodCondition], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, condition in enumerate(conditions):
        item = path.item(index)
        if condition.observedGeneration < 0:
            errors.append(invalid(item.child("observedGeneration"), condition.observedGeneration, _NONNEGATIVE))
        if condition.type not in _SYSTEM_CONDITIONS:
            errors += validate_label_name(condition.type, item.child("Type"))
    return errors


def _validate_nomination(node: str, old: Pod) -> list[FieldError]:
    if not node or node == old.status.nominatedNodeName:
        return []
    path = STATUS.child("nominatedNodeName")
    errors = [invalid(path, node, error) for error in subdomain_name(node)]
    if old.spec.nodeName:
        errors.append(forbidden(path, "may not be set on pods that are already bound to a node"))
    return errors


def _validate_transitions(new: PodStatus, old: PodStatus, spec: PodSpec) -> list[FieldError]:
    """Validate that no container changes from terminated to another state, unless the container may restart.

    Ephemeral containers never restart.
    """
    errors: list[FieldError] = []
    for field, containers in (
        ("containerStatuses", spec.containers),
        ("initContainerStatuses", spec.initContainers),
        ("ephemeralContainerStatuses", None),
    ):
        after: Sequence[ContainerStatus] = getattr(new, field)
        for index, before in enumerate(getattr(old, field)):
            ended = before.state.terminated
            if ended is None or all(s.name != before.name or s.state.terminated for s in after):
                continue
            if containers is None or not may_restart(spec, containers, before.name, ended.exitCode):
                state_path = STATUS.child(field).item(index).child("state")
                errors.append(forbidden(state_path, "may not be transitioned to non-terminated state"))
    return errors


def _validate_host_addresses(new: PodStatus, old: PodStatus) -> list[FieldError]:
    if not new.hostIPs:
        return []
    path = STATUS.child("hostIPs")
    errors: list[FieldError] = []
    if new.hostIP != new.hostIPs[0].ip:
        errors.append(invalid(path.item(0).child("ip"), new.hostIPs[0].ip, "must be equal to `hostIP`"))
    return errors + _validate_addresses(new.hostIPs, old.hostIPs, path)


def _validate_addresses(
    new: Sequence[PodIP | HostIP], old: Sequence[PodIP | HostIP], path: FieldPath
) -> list[FieldError]:
    kept = [address.ip for address in old]
    texts = [address.ip for address in new]
    errors = [error for index, text in enumerate(texts) for error in validate_ip(path.item(index), text, kept)]
    if len(texts) > 1:
        try:
            is_pair = are_dual_stack(texts)
        except ValueError as error:
            is_pair = False
            errors.append(internal_error(path, f"failed to check for dual stack with error:{error}"))
        if not is_pair or len(texts) > 2:
            detail = "may specify no more than one IP for each IP family"
            errors.append(invalid(path, InternalValue(list(new)), detail))
    return errors
