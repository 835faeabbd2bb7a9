"""Rules for nodes, and for annotations of theirs that were fields to be (``pkg/apis/core/validation``)."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from memkube.apimachinery.decoding import DecodeError, decode
from memkube.apimachinery.decoding.json_body import value_name
from memkube.apimachinery.decoding.json_syntax import syntax_error
from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    internal_error,
    invalid,
    not_supported,
    required,
)
from memkube.apimachinery.ip_addresses import are_dual_stack_blocks, validate_block
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.names import (
    SUBDOMAIN_MAX_LENGTH,
    NameRule,
    is_config_map_key,
    is_label_value,
    label_name,
    subdomain_name,
)
from memkube.apimachinery.shown_values import Unversioned, quoted
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.nodes.types import (
    AvoidPods,
    ConfigMapNodeConfigSource,
    Node,
    NodeAddress,
    NodeConfigSource,
    NodeConfigStatus,
    NodeSpec,
    NodeStatus,
    Taint,
)
from memkube.apis.core.v1.podspec.validation.resources import validate_quantity

__all__ = ["validate_node", "validate_node_update"]


_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_UNIQUE: Final = "taints must be unique by key and effect pair"
_TAINTS_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/taints"
_AVOIDED_PODS: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_TAINT_FIELDS: Final = {
    "key": ("key", "string"),
    "value": ("value", "string"),
    "effect": ("effect", "core.TaintEffect"),
    "timeadded": ("timeAdded", "v1.Time"),
}
"""Fields by their names in lower case, as Go finds them, with their names on the wire and their Go types."""
_ONE_REFERENCE: Final = "exactly one reference subfield must be non-nil"
_METADATA: Final = FieldPath("metadata")
_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_TAINTS: Final = _METADATA.child("taints")  # where the reference says that they are
_SWAP_CAPACITY: Final = _METADATA.child("nodeSwapStatus").child("capacity")
_POD_BLOCKS: Final = _SPEC.child("podCIDRs")
_feature_name = re.compile("[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*").fullmatch


def validate_taints(taints: Sequence[Taint], path: FieldPath) -> list[FieldError]:
    """Taints can be tolerated, and no two of one effect share a key."""
    errors: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        item = path.item(index)
        errors += validate_label_name(taint.key, item.child("key"))
        if problems := is_label_value(taint.value):
            errors.append(invalid(item.child("value"), taint.value, ";".join(problems)))
        if not taint.effect:
            errors.append(required(item.child("effect")))
        elif taint.effect not in _EFFECTS:
            errors.append(not_supported(item.child("effect"), taint.effect, _EFFECTS))
        if (taint.effect, taint.key) in seen:
            errors.append(FieldError("FieldValueDuplicate", item, Unversioned(taint), _UNIQUE))
        seen.add((taint.effect, taint.key))
    return errors


def validate_node_annotations(annotations: Mapping[str, str], path: FieldPath) -> list[FieldError]:
    """What two alpha annotations say can be read, and keeps its rules."""
    errors: list[FieldError] = []
    if text := annotations.get(_TAINTS_ANNOTATION):
        errors += _validate_taints(text, path)
    if text := annotations.get(_AVOIDED_PODS):
        errors += _validate_avoided_pods(text, path)
    return errors


def _validate_taints(text: str, path: FieldPath) -> list[FieldError]:
    try:
        taints = _taints(_parsed(text))
    except ValueError as error:
        return [invalid(path, _TAINTS_ANNOTATION, str(error))]
    return validate_taints(taints, path.child(_TAINTS_ANNOTATION))


def _validate_avoided_pods(text: str, path: FieldPath) -> list[FieldError]:
    try:
        avoided = decode(AvoidPods, _parsed(text) or {}).value
    except (ValueError, DecodeError) as error:
        return [invalid(path.child("AvoidPods"), _AVOIDED_PODS, str(error))]
    errors: list[FieldError] = []
    for index, entry in enumerate(avoided.preferAvoidPods):
        signature = path.child(_AVOIDED_PODS).item(index).child("PodSignature")
        controller = entry.podSignature.podController
        if controller is None:
            errors.append(required(signature))
        elif not controller.controller:
            pointer = signature.child("PodController").child("Controller")
            errors.append(invalid(pointer, controller.controller, "must point to a controller"))
    return errors


def _parsed(text: str) -> Any:
    """The JSON data of a text. Raises ValueError in the words of Go's ``encoding/json``."""
    fault = syntax_error(text.encode())
    if fault is not None:
        raise ValueError(fault)
    return json.loads(text)


def _taints(data: Any) -> list[Taint]:
    if data is None:
        return []
    if not isinstance(data, list):
        raise ValueError(f"json: cannot unmarshal {value_name(data)} into Go value of type []core.Taint")
    return [Taint(**_fields(item)) for item in data]


def _fields(item: Any) -> dict[str, Any]:
    if item is not None and not isinstance(item, dict):
        raise ValueError(f"json: cannot unmarshal {value_name(item)} into Go value of type core.Taint")
    found: dict[str, Any] = {}
    for key, value in (item or {}).items():
        name, go_type = _TAINT_FIELDS.get(key.lower(), ("", ""))
        if not name or value is None:
            continue
        if not isinstance(value, str):
            field = f"Taint.{name[0].upper()}{name[1:]}"
            raise ValueError(
                f"json: cannot unmarshal {value_name(value)} into Go struct field {field} of type {go_type}"
            )
        found[name] = Time.parse_unless_zero(value) if name == "timeAdded" else value
    return found


def validate_config_source(source: NodeConfigSource, path: FieldPath) -> list[FieldError]:
    """The configuration is named, and no version of it in particular."""
    if source.configMap is None:
        return [invalid(path, Unversioned(source), _ONE_REFERENCE)]
    item, errors = path.child("configMap"), []
    if source.configMap.uid:
        errors.append(forbidden(item.child("uid"), "uid must not be set in spec"))
    if source.configMap.resourceVersion:
        errors.append(forbidden(item.child("resourceVersion"), "resourceVersion must not be set in spec"))
    return errors + _validate_reference(source.configMap, item)


def validate_config_status(status: NodeConfigStatus, path: FieldPath) -> list[FieldError]:
    """Configurations in use are named with their versions."""
    errors: list[FieldError] = []
    for name in ("assigned", "active", "lastKnownGood"):
        source: NodeConfigSource | None = getattr(status, name)
        if source is not None:
            errors += _validate_used(source, path.child(name))
    return errors


def _validate_used(source: NodeConfigSource, path: FieldPath) -> list[FieldError]:
    if source.configMap is None:
        return [invalid(path, Unversioned(source), _ONE_REFERENCE)]
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
    """The name is a domain name, and addresses for pods are of one block for each family."""
    errors = validate_metadata(node.metadata, False, subdomain_name, _METADATA)
    errors += validate_node_annotations(node.metadata.annotations, _METADATA.child("annotations"))
    errors += validate_taints(node.spec.taints, _TAINTS)
    errors += _validate_resources(node.status)
    swap = node.status.nodeInfo.swap
    if swap is not None and swap.capacity is not None and swap.capacity <= 0:
        errors.append(invalid(_SWAP_CAPACITY, swap.capacity, "must be greater than zero"))
    errors += _validate_features(node.status.declaredFeatures, _STATUS.child("declaredFeatures"))
    return errors + _validate_pod_blocks(node.spec.podCIDRs)


def validate_node_update(new: Node, old: Node) -> list[FieldError]:
    """What identifies the machine, and the addresses for its pods, stay once they are set."""
    errors = validate_metadata_update(new.metadata, old.metadata, _METADATA)
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
        duplicate(path.item(index), Unversioned(address))
        for index, address in enumerate(addresses)
        if address in addresses[:index]
    ]


def _validate_pod_blocks(blocks: list[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, block in enumerate(blocks):
        errors += validate_block(_POD_BLOCKS.item(index), block)
    if len(blocks) < 2:
        return errors
    both_families = False
    try:
        both_families = are_dual_stack_blocks(blocks)
    except ValueError as error:
        detail = f"invalid PodCIDRs. failed to check with dual stack with error:{error}"
        errors.append(internal_error(_POD_BLOCKS, detail))
    if not both_families or len(blocks) > 2:
        detail = "may specify no more than one CIDR for each IP family"
        errors.append(invalid(_POD_BLOCKS, blocks, detail))
    return errors
