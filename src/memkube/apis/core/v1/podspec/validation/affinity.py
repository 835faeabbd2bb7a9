"""Rules for affinity to nodes and to other pods."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required
from memkube.apimachinery.meta.validation.labels import validate_label_name, validate_label_selector
from memkube.apimachinery.names import is_label_value, label_name, subdomain_name
from memkube.apis.core.v1.podspec.types.affinity import (
    Affinity,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodAffinity,
    PodAffinityTerm,
    PodAntiAffinity,
)
from memkube.apis.core.v1.podspec.validation.label_keys import validate_match_label_keys

REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_WEIGHT: Final = "must be in the range 1-100"
_OPERATOR: Final = "not a valid selector operator"


def validate_affinity(affinity: Affinity | None, path: FieldPath) -> list[FieldError]:
    """Terms select nodes and pods by labels that can exist."""
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


def _validate_node_affinity(affinity: NodeAffinity, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if affinity.requiredDuringSchedulingIgnoredDuringExecution is not None:
        selector = affinity.requiredDuringSchedulingIgnoredDuringExecution
        errors += _validate_node_selector(selector, path.child(REQUIRED).child("nodeSelectorTerms"))
    for index, term in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        item = path.child(PREFERRED).item(index)
        if not 1 <= term.weight <= 100:
            errors.append(invalid(item.child("weight"), term.weight, _WEIGHT))
        errors += _validate_term(term.preference, item.child("preference"), any_values=True)
    return errors


def _validate_node_selector(selector: NodeSelector, path: FieldPath) -> list[FieldError]:
    if not selector.nodeSelectorTerms:
        return [required(path, "must have at least one node selector term")]
    errors: list[FieldError] = []
    for index, term in enumerate(selector.nodeSelectorTerms):
        errors += _validate_term(term, path.item(index), any_values=False)
    return errors


def _validate_term(term: NodeSelectorTerm, path: FieldPath, *, any_values: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, requirement in enumerate(term.matchExpressions):
        item = path.child("matchExpressions").item(index)
        errors += _validate_expression(requirement, item)
        if not any_values:
            errors += _validate_values(requirement.values, item.child("values"))
    for index, requirement in enumerate(term.matchFields):
        errors += _validate_field(requirement, path.child("matchFields").item(index))
    return errors


def _validate_expression(requirement: NodeSelectorRequirement, path: FieldPath) -> list[FieldError]:
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
        errors.append(invalid(path.child("operator"), operator, _OPERATOR))
    return errors + validate_label_name(requirement.key, path.child("key"))


def _validate_values(values: Sequence[str], path: FieldPath) -> list[FieldError]:
    return [
        invalid(path.item(index), value, error) for index, value in enumerate(values) for error in is_label_value(value)
    ]


def _validate_field(requirement: NodeSelectorRequirement, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if requirement.operator not in ("In", "NotIn"):
        errors.append(invalid(path.child("operator"), requirement.operator, _OPERATOR))
    elif len(requirement.values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        errors.append(required(path.child("values"), detail))
    if requirement.key != "metadata.name":
        return [*errors, invalid(path.child("key"), requirement.key, "not a valid field selector key")]
    for index, value in enumerate(requirement.values):
        errors += [invalid(path.child("values").item(index), value, error) for error in subdomain_name(value)]
    return errors


def _validate_pod_affinity(affinity: PodAffinity | PodAntiAffinity, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, term in enumerate(affinity.requiredDuringSchedulingIgnoredDuringExecution):
        errors += _validate_pod_term(term, path.child(REQUIRED).item(index))
    for index, weighted in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        item = path.child(PREFERRED).item(index)
        if not 1 <= weighted.weight <= 100:
            errors.append(invalid(item.child("weight"), weighted.weight, _WEIGHT))
        errors += _validate_pod_term(weighted.podAffinityTerm, item.child("podAffinityTerm"))
    return errors


def _validate_pod_term(term: PodAffinityTerm, path: FieldPath) -> list[FieldError]:
    errors = validate_label_selector(term.labelSelector, path.child("labelSelector"))
    errors += validate_label_selector(term.namespaceSelector, path.child("namespaceSelector"))
    for name in term.namespaces:
        errors += [invalid(path.child("namespace"), name, error) for error in label_name(name)]
    errors += validate_match_label_keys(term.labelSelector, term.matchLabelKeys, term.mismatchLabelKeys, path)
    if not term.topologyKey:
        errors.append(required(path.child("topologyKey"), "can not be empty"))
    return errors + validate_label_name(term.topologyKey, path.child("topologyKey"))
