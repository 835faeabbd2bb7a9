"""Validation of affinity, tolerations, topology spread and other scheduling fields."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

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
from memkube.apimachinery.meta.validation.labels import validate_label_name, validate_label_selector
from memkube.apimachinery.names import is_label_value, label_name, subdomain_name

if TYPE_CHECKING:
    from memkube.apimachinery.meta.v1.selectors import LabelSelector
    from memkube.apis.core.v1.podspec.types.scheduling import (
        Affinity,
        NodeAffinity,
        NodeSelector,
        NodeSelectorRequirement,
        NodeSelectorTerm,
        PodAffinity,
        PodAffinityTerm,
        PodAntiAffinity,
        PodReadinessGate,
        PodSchedulingGate,
        Toleration,
        TopologySpreadConstraint,
    )

REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_WEIGHT_RANGE: Final = "must be in the range 1-100"
_NO_OPERATOR: Final = "not a valid selector operator"
_TAINT_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_SPREAD_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION: Final = ("Honor", "Ignore")


def validate_match_label_keys(
    selector: "LabelSelector | None", matching: Sequence[str], mismatching: Sequence[str], path: FieldPath
) -> list[FieldError]:
    """Validate matchLabelKeys and mismatchLabelKeys of a pod affinity term.

    Each must be a valid label key that occurs once; keys are allowed only if the term has a label selector.
    """
    if not matching and not mismatching:
        return []
    errors = _validate_keys(selector, matching, path.child("matchLabelKeys"))
    errors += _validate_keys(selector, mismatching, path.child("mismatchLabelKeys"))
    if selector is not None:
        errors += _validate_unused(selector, matching, path)
    for index, key in enumerate(matching):
        if key in mismatching:
            detail = "exists in both matchLabelKeys and mismatchLabelKeys"
            errors.append(invalid(path.child("matchLabelKeys").item(index), key, detail))
    return errors


def _validate_keys(selector: "LabelSelector | None", keys: Sequence[str], path: FieldPath) -> list[FieldError]:
    if not keys:
        return []
    if selector is None:
        return [forbidden(path, "must not be specified when labelSelector is not set")]
    errors: list[FieldError] = []
    for index, key in enumerate(keys):
        errors += validate_label_name(key, path.item(index))
    return errors


def _validate_unused(selector: "LabelSelector", keys: Sequence[str], path: FieldPath) -> list[FieldError]:
    """Validate that the client has not put any of the matchLabelKeys into the label selector itself.

    The server has already added one requirement to the selector for each of these keys. So an error is returned only if
    a key occurs more than once.
    """
    positions = {key: index for index, key in enumerate(keys)}
    used = set(selector.matchLabels)
    errors: list[FieldError] = []
    for requirement in selector.matchExpressions:
        key = requirement.key
        if key in positions and key in used:
            detail = "exists in both matchLabelKeys and labelSelector"
            errors.append(invalid(path.item(positions[key]), key, detail))
        used.add(key)
    return errors


def validate_affinity(affinity: "Affinity | None", path: FieldPath) -> list[FieldError]:
    """Validate the terms of node affinity and pod affinity."""
    if affinity is None:
        return []
    errors: list[FieldError] = []
    if affinity.nodeAffinity is not None:
        errors += _validate_node_affinity(affinity.nodeAffinity, path.child("nodeAffinity"))
    if affinity.podAffinity is not None:
        errors += _validate_pod_affinity(affinity.podAffinity, path.child("podAffinity"))
    if affinity.podAntiAffinity is not None:
        errors += _validate_pod_affinity(affinity.podAntiAffinity, path.child("podAntiAffinity"))
    return errors


def _validate_node_affinity(affinity: "NodeAffinity", path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if affinity.requiredDuringSchedulingIgnoredDuringExecution is not None:
        selector = affinity.requiredDuringSchedulingIgnoredDuringExecution
        errors += validate_node_selector(selector, path.child(REQUIRED))
    for index, term in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        item = path.child(PREFERRED).item(index)
        if not 1 <= term.weight <= 100:
            errors.append(invalid(item.child("weight"), term.weight, _WEIGHT_RANGE))
        errors += _validate_term(term.preference, item.child("preference"), any_values=True)
    return errors


def validate_node_selector(selector: "NodeSelector", path: FieldPath, *, any_values: bool = False) -> list[FieldError]:
    """Validate a node selector: at least one term, and valid requirements.

    With `any_values`, values that are not valid label values are accepted.
    """
    path = path.child("nodeSelectorTerms")
    if not selector.nodeSelectorTerms:
        return [required(path, "must have at least one node selector term")]
    errors: list[FieldError] = []
    for index, term in enumerate(selector.nodeSelectorTerms):
        errors += _validate_term(term, path.item(index), any_values=any_values)
    return errors


def _validate_term(term: "NodeSelectorTerm", path: FieldPath, *, any_values: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, requirement in enumerate(term.matchExpressions):
        item = path.child("matchExpressions").item(index)
        errors += _validate_expression(requirement, item)
        if not any_values:
            errors += _validate_values(requirement.values, item.child("values"))
    for index, requirement in enumerate(term.matchFields):
        errors += _validate_field(requirement, path.child("matchFields").item(index))
    return errors


def _validate_expression(requirement: "NodeSelectorRequirement", path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    operator, values = requirement.operator, requirement.values
    if operator in ("In", "NotIn"):
        if not values:
            errors.append(required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(path.child("values"), detail))
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            errors.append(required(path.child("values"), detail))
    else:
        errors.append(invalid_typed(path.child("operator"), operator, _NO_OPERATOR))
    return errors + validate_label_name(requirement.key, path.child("key"))


def _validate_values(values: Sequence[str], path: FieldPath) -> list[FieldError]:
    return [
        invalid(path.item(index), value, error) for index, value in enumerate(values) for error in is_label_value(value)
    ]


def _validate_field(requirement: "NodeSelectorRequirement", path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if requirement.operator not in ("In", "NotIn"):
        errors.append(invalid_typed(path.child("operator"), requirement.operator, _NO_OPERATOR))
    elif len(requirement.values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        errors.append(required(path.child("values"), detail))
    if requirement.key != "metadata.name":
        return [*errors, invalid(path.child("key"), requirement.key, "not a valid field selector key")]
    for index, value in enumerate(requirement.values):
        errors += [invalid(path.child("values").item(index), value, error) for error in subdomain_name(value)]
    return errors


def _validate_pod_affinity(affinity: "PodAffinity | PodAntiAffinity", path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, term in enumerate(affinity.requiredDuringSchedulingIgnoredDuringExecution):
        errors += _validate_pod_term(term, path.child(REQUIRED).item(index))
    for index, weighted in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        item = path.child(PREFERRED).item(index)
        if not 1 <= weighted.weight <= 100:
            errors.append(invalid(item.child("weight"), weighted.weight, _WEIGHT_RANGE))
        errors += _validate_pod_term(weighted.podAffinityTerm, item.child("podAffinityTerm"))
    return errors


def _validate_pod_term(term: "PodAffinityTerm", path: FieldPath) -> list[FieldError]:
    errors = validate_label_selector(term.labelSelector, path.child("labelSelector"))
    errors += validate_label_selector(term.namespaceSelector, path.child("namespaceSelector"))
    for name in term.namespaces:
        errors += [invalid(path.child("namespace"), name, error) for error in label_name(name)]
    errors += validate_match_label_keys(term.labelSelector, term.matchLabelKeys, term.mismatchLabelKeys, path)
    if not term.topologyKey:
        errors.append(required(path.child("topologyKey"), "can not be empty"))
    return errors + validate_label_name(term.topologyKey, path.child("topologyKey"))


def validate_readiness_gates(gates: Sequence["PodReadinessGate"], path: FieldPath) -> list[FieldError]:
    """Validate that each readiness gate names a condition type."""
    errors: list[FieldError] = []
    for index, gate in enumerate(gates):
        errors += validate_label_name(gate.conditionType, path.item(index).child("conditionType"))
    return errors


def validate_scheduling_gates(gates: Sequence["PodSchedulingGate"], path: FieldPath) -> list[FieldError]:
    """Validate that scheduling gates have unique, qualified names."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        errors += validate_label_name(gate.name, path.item(index))
        if gate.name in seen:
            errors.append(duplicate(path.item(index), gate.name))
        seen.add(gate.name)
    return errors


def validate_tolerations(tolerations: Sequence["Toleration"], path: FieldPath) -> list[FieldError]:
    """Validate tolerations: keys, operators, values and effects."""
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        item = path.item(index)
        if toleration.key:
            errors += validate_label_name(toleration.key, item.child("key"))
        elif toleration.operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            errors.append(invalid_typed(item.child("operator"), toleration.operator, detail))
        if toleration.tolerationSeconds is not None and toleration.effect != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            errors.append(invalid_typed(item.child("effect"), toleration.effect, detail))
        errors += _validate_operator(toleration, item.child("operator"))
        if toleration.effect and toleration.effect not in _TAINT_EFFECTS:
            errors.append(not_supported(item.child("effect"), toleration.effect, _TAINT_EFFECTS))
    return errors


def validate_topology_spread(constraints: Sequence["TopologySpreadConstraint"], path: FieldPath) -> list[FieldError]:
    """Validate topology spread constraints.

    All fields must be set, and no two constraints may have the same topology key and action.
    """
    errors: list[FieldError] = []
    for index, constraint in enumerate(constraints):
        item = path.item(index)
        if constraint.maxSkew <= 0:
            errors.append(invalid(item.child("maxSkew"), constraint.maxSkew, "must be greater than zero"))
        if not constraint.topologyKey:
            errors.append(required(item.child("topologyKey"), "can not be empty"))
        if constraint.whenUnsatisfiable not in _SPREAD_ACTIONS:
            errors.append(not_supported(item.child("whenUnsatisfiable"), constraint.whenUnsatisfiable, _SPREAD_ACTIONS))
        if any(_is_same_spread(constraint, other) for other in constraints[index + 1 :]):
            pair = f"{{{constraint.topologyKey}, {constraint.whenUnsatisfiable}}}"
            errors.append(duplicate(item.child("{topologyKey, whenUnsatisfiable}"), pair))
        errors += _validate_min_domains(constraint, item.child("minDomains"))
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            policy = getattr(constraint, name)
            if policy is not None and policy not in _INCLUSION:
                errors.append(not_supported(item.child(name), policy, _INCLUSION))
        errors += validate_match_label_keys(constraint.labelSelector, constraint.matchLabelKeys, (), item)
        errors += validate_label_selector(constraint.labelSelector, item.child("labelSelector"))
    return errors


def _validate_operator(toleration: "Toleration", path: FieldPath) -> list[FieldError]:
    operator, value = toleration.operator, toleration.value
    if operator in ("", "Equal"):
        messages = is_label_value(value)
        return [invalid(path, value, ";".join(messages))] if messages else []
    if operator == "Exists":
        return [invalid(path, value, "value must be empty when `operator` is 'Exists'")] if value else []
    supported = ("Equal", "Exists", "Lt", "Gt") if operator in ("Lt", "Gt") else ("Equal", "Exists")
    return [not_supported(path, operator, supported)]


def _is_same_spread(one: "TopologySpreadConstraint", other: "TopologySpreadConstraint") -> bool:
    return (one.topologyKey, one.whenUnsatisfiable) == (other.topologyKey, other.whenUnsatisfiable)


def _validate_min_domains(constraint: "TopologySpreadConstraint", path: FieldPath) -> list[FieldError]:
    count, action = constraint.minDomains, constraint.whenUnsatisfiable
    if count is None:
        return []
    errors = [invalid(path, count, "must be greater than zero")] if count <= 0 else []
    if action != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        errors.append(invalid(path, count, detail))
    return errors
