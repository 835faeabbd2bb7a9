"""Rules for gates, tolerations and the spread over topologies."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, not_supported, required
from memkube.apimachinery.meta.validation.labels import validate_label_name, validate_label_selector
from memkube.apimachinery.names import is_label_value
from memkube.apis.core.v1.podspec.types.scheduling import (
    PodReadinessGate,
    PodSchedulingGate,
    Toleration,
    TopologySpreadConstraint,
)
from memkube.apis.core.v1.podspec.validation.label_keys import validate_match_label_keys

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION: Final = ("Honor", "Ignore")


def validate_readiness_gates(gates: Sequence[PodReadinessGate], path: FieldPath) -> list[FieldError]:
    """Gates name condition types."""
    errors: list[FieldError] = []
    for index, gate in enumerate(gates):
        errors += validate_label_name(gate.conditionType, path.item(index).child("conditionType"))
    return errors


def validate_scheduling_gates(gates: Sequence[PodSchedulingGate], path: FieldPath) -> list[FieldError]:
    """Gates have qualified names, each once."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        errors += validate_label_name(gate.name, path.item(index))
        if gate.name in seen:
            errors.append(duplicate(path.item(index), gate.name))
        seen.add(gate.name)
    return errors


def validate_tolerations(tolerations: Sequence[Toleration], path: FieldPath) -> list[FieldError]:
    """Tolerations describe taints that can exist."""
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        item = path.item(index)
        if toleration.key:
            errors += validate_label_name(toleration.key, item.child("key"))
        elif toleration.operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            errors.append(invalid(item.child("operator"), toleration.operator, detail))
        if toleration.tolerationSeconds is not None and toleration.effect != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            errors.append(invalid(item.child("effect"), toleration.effect, detail))
        errors += _validate_operator(toleration, item.child("operator"))
        if toleration.effect and toleration.effect not in _EFFECTS:
            errors.append(not_supported(item.child("effect"), toleration.effect, _EFFECTS))
    return errors


def validate_topology_spread(constraints: Sequence[TopologySpreadConstraint], path: FieldPath) -> list[FieldError]:
    """Constraints are complete, and no two are about the same topology and action."""
    errors: list[FieldError] = []
    for index, constraint in enumerate(constraints):
        item = path.item(index)
        if constraint.maxSkew <= 0:
            errors.append(invalid(item.child("maxSkew"), constraint.maxSkew, "must be greater than zero"))
        if not constraint.topologyKey:
            errors.append(required(item.child("topologyKey"), "can not be empty"))
        if constraint.whenUnsatisfiable not in _ACTIONS:
            errors.append(not_supported(item.child("whenUnsatisfiable"), constraint.whenUnsatisfiable, _ACTIONS))
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


def _validate_operator(toleration: Toleration, path: FieldPath) -> list[FieldError]:
    operator, value = toleration.operator, toleration.value
    if operator in ("", "Equal"):
        messages = is_label_value(value)
        return [invalid(path, value, ";".join(messages))] if messages else []
    if operator == "Exists":
        return [invalid(path, value, "value must be empty when `operator` is 'Exists'")] if value else []
    supported = ("Equal", "Exists", "Lt", "Gt") if operator in ("Lt", "Gt") else ("Equal", "Exists")
    return [not_supported(path, operator, supported)]


def _is_same_spread(one: TopologySpreadConstraint, other: TopologySpreadConstraint) -> bool:
    return (one.topologyKey, one.whenUnsatisfiable) == (other.topologyKey, other.whenUnsatisfiable)


def _validate_min_domains(constraint: TopologySpreadConstraint, path: FieldPath) -> list[FieldError]:
    count, action = constraint.minDomains, constraint.whenUnsatisfiable
    if count is None:
        return []
    errors = [invalid(path, count, "must be greater than zero")] if count <= 0 else []
    if action != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        errors.append(invalid(path, count, detail))
    return errors
