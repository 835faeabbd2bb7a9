"""Validation of label keys, label values and label selectors (apimachinery's ``apis/meta/v1/validation``)."""

from collections.abc import Mapping

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, invalid_typed, required
from memkube.apimachinery.meta.v1.selectors import LabelSelector, LabelSelectorRequirement
from memkube.apimachinery.names import is_label_value, is_qualified_name


def validate_label_name(name: str, path: FieldPath) -> list[FieldError]:
    """Validate that a label key is a qualified name."""
    return [invalid(path, name, error) for error in is_qualified_name(name)]


def validate_labels(labels: Mapping[str, str], path: FieldPath) -> list[FieldError]:
    """Validate the keys and values of an object's labels."""
    errors: list[FieldError] = []
    for key, value in labels.items():
        if found := is_qualified_name(key):
            errors += [invalid(path, key, error) for error in found]
        if found := is_label_value(value):
            errors += [invalid(path, value, error) for error in found]
    return errors


def validate_label_selector(
    selector: LabelSelector | None, path: FieldPath, *, any_values: bool = False
) -> list[FieldError]:
    """Validate a label selector. If `any_values` is true, its values need not be valid label values."""
    if selector is None:
        return []
    errors = validate_labels(selector.matchLabels, path.child("matchLabels")) if selector.matchLabels else []
    for index, requirement in enumerate(selector.matchExpressions):
        item = path.child("matchExpressions").item(index)
        errors += _requirement(requirement, item)
        if not any_values:
            errors += _values(requirement, item.child("values"))
    return errors


def _requirement(requirement: LabelSelectorRequirement, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if requirement.operator in ("In", "NotIn"):
        if not requirement.values:
            errors.append(required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'"))
    elif requirement.operator in ("Exists", "DoesNotExist"):
        if requirement.values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(path.child("values"), detail))
    else:
        errors.append(invalid_typed(path.child("operator"), requirement.operator, "not a valid selector operator"))
    return errors + validate_label_name(requirement.key, path.child("key"))


def _values(requirement: LabelSelectorRequirement, path: FieldPath) -> list[FieldError]:
    return [
        invalid(path.item(index), value, error)
        for index, value in enumerate(requirement.values)
        for error in is_label_value(value)
    ]
