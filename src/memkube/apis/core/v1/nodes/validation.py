"""Validation of Nodes: addresses, pod CIDRs, resources, features and kubelet configuration sources.

Taints are validated in ``taints.py``. Source: ``pkg/apis/core/validation``.
"""

import re
from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    internal_error,
    invalid,
    required,
)
from memkube.apimachinery.ip_addresses import are_dual_stack_cidrs, validate_cidr
from memkube.apimachinery.names import (
    SUBDOMAIN_MAX_LENGTH,
    NameRule,
    is_config_map_key,
    label_name,
    subdomain_name,
)
from memkube.apimachinery.shown_values import InternalValue, quoted
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.nodes.taints import validate_node_annotations, validate_taints
from memkube.apis.core.v1.nodes.types import (
    ConfigMapNodeConfigSource,
    Node,
    NodeAddress,
    NodeConfigSource,
    NodeConfigStatus,
    NodeSpec,
    NodeStatus,
)
from memkube.apis.core.v1.podspec.validation.resources import validate_quantity

_ONE_REFERENCE: Final = "exactly one reference subfield must be non-nil"
_METADATA: Final = FieldPath("metadata")
_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
# Although taints are in the spec, kube-apiserver's errors say metadata.taints.
_TAINTS: Final = _METADATA.child("taints")
_SWAP_CAPACITY: Final = _METADATA.child("nodeSwapStatus").child("capacity")
_POD_BLOCKS: Final = _SPEC.child("podCIDRs")
_feature_name = re.compile("[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*").fullmatch


def validate_config_source(source: NodeConfigSource, path: FieldPath) -> list[FieldError]:
    """Validate the deprecated field ``spec.configSource`` of a node.

    It names a ConfigMap, without UID and resource version.
    """
    if source.configMap is None:
        return [invalid(path, InternalValue(source), _ONE_REFERENCE)]
    item, errors = path.child("configMap"), []
    if source.configMap.uid:
        errors.append(forbidden(item.child("uid"), "uid must not be set in spec"))
    if source.configMap.resourceVersion:
        errors.append(forbidden(item.child("resourceVersion"), "resourceVersion must not be set in spec"))
    return errors + _validate_reference(source.configMap, item)


def validate_config_status(status: NodeConfigStatus, path: FieldPath) -> list[FieldError]:
    """Validate the deprecated field ``status.config`` of a node, whose sources need a UID and a resource version."""
    errors: list[FieldError] = []
    for name in ("assigned", "active", "lastKnownGood"):
        source: NodeConfigSource | None = getattr(status, name)
        if source is not None:
            errors += _validate_used_source(source, path.child(name))
    return errors


def _validate_used_source(source: NodeConfigSource, path: FieldPath) -> list[FieldError]:
    if source.configMap is None:
        return [invalid(path, InternalValue(source), _ONE_REFERENCE)]
    item = path.child("configMap")
    missing = [name for name in ("uid", "resourceVersion") if not getattr(source.configMap, name)]
    return [required(item.child(name)) for name in missing] + _validate_reference(source.configMap, item)


def _validate_reference(reference: ConfigMapNodeConfigSource, path: FieldPath) -> list[FieldError]:
    rules: dict[str, NameRule] = {
        "namespace": label_name,
        "name": subdomain_name,
        "kubeletConfigKey": lambda key, _: is_config_map_key(key),
    }
    errors: list[FieldError] = []
    for name, rule in rules.items():
        value: str = getattr(reference, name)
        problems = rule(value, False)
        errors += [invalid(path.child(name), value, p) for p in problems] if value else [required(path.child(name))]
    return errors


def validate_node(node: Node) -> list[FieldError]:
    """Validate a Node: name, annotations, taints, resources, swap, runtime features and pod CIDRs."""
    errors = validate_metadata(node.metadata, subdomain_name, namespaced=False)
    errors += validate_node_annotations(node.metadata.annotations, _METADATA.child("annotations"))
    errors += validate_taints(node.spec.taints, _TAINTS)
    errors += _validate_resources(node.status)
    swap = node.status.nodeInfo.swap
    if swap is not None and swap.capacity is not None and swap.capacity <= 0:
        errors.append(invalid(_SWAP_CAPACITY, swap.capacity, "must be greater than zero"))
    errors += _validate_features(node.status.declaredFeatures, _STATUS.child("declaredFeatures"))
    return errors + _validate_pod_blocks(node.spec.podCIDRs)


def validate_node_update(new: Node, old: Node) -> list[FieldError]:
    """Validate an update of a Node: providerID and podCIDRs are immutable once they are set."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += validate_node_annotations(new.metadata.annotations, _METADATA.child("annotations"))
    errors += _validate_resources(new.status)
    errors += _validate_features(new.status.declaredFeatures, _STATUS.child("declaredFeatures"))
    errors += _validate_addresses(new.status.addresses, _STATUS.child("addresses"))
    errors += _validate_identity(new.spec, old.spec)
    if new.spec.configSource is not None:
        errors += validate_config_source(new.spec.configSource, _SPEC.child("configSource"))
    if new.status.config is not None:
        errors += validate_config_status(new.status.config, _STATUS.child("config"))
    errors += validate_taints(new.spec.taints, _TAINTS)
    if new.spec.externalID != old.spec.externalID:
        errors.append(forbidden(_SPEC.child("externalID"), "may not be updated"))
    return errors


def _validate_identity(new: NodeSpec, old: NodeSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    if old.podCIDRs:
        same_length = len(new.podCIDRs) == len(old.podCIDRs)
        changes = sum(a != b for a, b in zip(new.podCIDRs, old.podCIDRs, strict=True)) if same_length else 1
        detail = 'node updates may not change podCIDR except from "" to valid'
        errors += [forbidden(_POD_BLOCKS, detail)] * changes
    if old.providerID and new.providerID != old.providerID:
        detail = 'node updates may not change providerID except from "" to valid'
        errors.append(forbidden(_SPEC.child("providerID"), detail))
    return errors


def _validate_resources(status: NodeStatus) -> list[FieldError]:
    errors: list[FieldError] = []
    for field, quantities in (("capacity", status.capacity), ("allocatable", status.allocatable)):
        for name, quantity in quantities.items():
            errors += validate_quantity(name, quantity, _STATUS.child(field).child(name))
    return errors


def _validate_features(features: Sequence[str], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, name in enumerate(features):
        if problem := _feature_problem(name):
            errors.append(invalid(path.item(index), name, f"invalid feature name {quoted(name)}: {problem}"))
        for following in features[index + 1 : index + 2]:
            if name == following:
                errors.append(duplicate(path.item(index + 1), following))
            elif name > following:
                errors.append(invalid(path.item(index + 1), following, "list must be sorted alphabetically"))
    return errors


def _feature_problem(name: str) -> str | None:
    if len(name.encode()) > SUBDOMAIN_MAX_LENGTH:
        return f"must be no more than {SUBDOMAIN_MAX_LENGTH} characters"
    if _feature_name(name):
        return None
    return (
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
        "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
    )


def _validate_addresses(addresses: Sequence[NodeAddress], path: FieldPath) -> list[FieldError]:
    return [
        duplicate(path.item(index), InternalValue(address))
        for index, address in enumerate(addresses)
        if address in addresses[:index]
    ]


def _validate_pod_blocks(blocks: list[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, block in enumerate(blocks):
        errors += validate_cidr(_POD_BLOCKS.item(index), block)
    if len(blocks) < 2:
        return errors
    both_families = False
    try:
        both_families = are_dual_stack_cidrs(blocks)
    except ValueError as error:
        detail = f"invalid PodCIDRs. failed to check with dual stack with error:{error}"
        errors.append(internal_error(_POD_BLOCKS, detail))
    if not both_families or len(blocks) > 2:
        detail = "may specify no more than one CIDR for each IP family"
        errors.append(invalid(_POD_BLOCKS, blocks, detail))
    return errors
