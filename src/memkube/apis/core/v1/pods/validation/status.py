"""Rules for the status of a pod, which a kubelet writes."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, internal_error, invalid
from memkube.apimachinery.ip_addresses import are_dual_stack, validate_address
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import Unversioned
from memkube.apis.core.v1.metadata import validate_metadata_update
from memkube.apis.core.v1.pods.types.container_status import ContainerStatus
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.apis.core.v1.pods.types.status import HostIP, PodCondition, PodIP, PodStatus
from memkube.apis.core.v1.pods.validation.annotations import validate_pod_annotations_update
from memkube.apis.core.v1.pods.validation.container_status import validate_container_statuses
from memkube.apis.core.v1.pods.validation.create import METADATA
from memkube.apis.core.v1.pods.validation.resource_claim_status import (
    validate_claim_statuses,
    validate_extended_claim_status,
)
from memkube.apis.core.v1.pods.validation.restarts import may_restart
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec

STATUS: Final = FieldPath("status")
_SYSTEM_CONDITIONS: Final = ("PodScheduled", "Ready", "Initialized")
_NONNEGATIVE: Final = "must be a non-negative integer"


def validate_pod_status_update(new: Pod, old: Pod) -> list[FieldError]:
    """Everything that is wrong with a new status, in the reference's order."""
    errors = validate_metadata_update(new.metadata, old.metadata, METADATA)
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
    """Containers that ended stay so, unless their pod lets them start again; ephemeral ones never do."""
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
    errors = [error for index, text in enumerate(texts) for error in validate_address(path.item(index), text, kept)]
    if len(texts) > 1:
        try:
            is_pair = are_dual_stack(texts)
        except ValueError as error:
            is_pair = False
            errors.append(internal_error(path, f"failed to check for dual stack with error:{error}"))
        if not is_pair or len(texts) > 2:
            detail = "may specify no more than one IP for each IP family"
            errors.append(invalid(path, Unversioned(list(new)), detail))
    return errors
