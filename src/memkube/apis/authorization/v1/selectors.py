"""Validation and parsing of the label and field selectors in access reviews."""

from typing import Final

from memkube.apimachinery import fields, labels
from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required
from memkube.apimachinery.fields import FieldRequirement, FieldSelector
from memkube.apimachinery.labels.selector import LabelSelector, Operator, Requirement
from memkube.apimachinery.meta.v1.selectors import FieldSelectorRequirement, LabelSelectorRequirement
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.names import is_label_value
from memkube.apis.authorization.v1.types import FieldSelectorAttributes, LabelSelectorAttributes, ResourceAttributes

_LABEL_OPERATORS: Final[dict[str, Operator]] = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}


def validate_selectors(attributes: ResourceAttributes, path: FieldPath) -> list[FieldError]:
    """Validate the selectors of a review: each has either raw text or a list of requirements.

    Unknown operators are accepted.
    """
    errors: list[FieldError] = []
    by_field, by_label = attributes.fieldSelector, attributes.labelSelector
    if by_field is not None:
        item = path.child("fieldSelector")
        errors += _validate_form(by_field, item)
        for index, field in enumerate(by_field.requirements):
            errors += _validate_field(field, item.child("requirements").item(index))
    if by_label is not None:
        item = path.child("labelSelector")
        errors += _validate_form(by_label, item)
        for index, label in enumerate(by_label.requirements):
            errors += _validate_label(label, item.child("requirements").item(index))
    return errors


def ignored_selectors(attributes: ResourceAttributes) -> str:
    """Return a message that names the selectors of a review which are ignored, partly or entirely.

    Selectors are ignored if they cannot be parsed. The message is empty if all can be parsed.
    """
    by_field, by_label = attributes.fieldSelector, attributes.labelSelector
    found = {
        "fieldSelector": _parsable_fields(by_field) if by_field else [],
        "labelSelector": _parsable_labels(by_label) if by_label else [],
    }
    return "; ".join(
        f"spec.resourceAttributes.{name} {'partially ' if any(understood) else ''}ignored due to parse error"
        for name, understood in found.items()
        if not all(understood)
    )


def parsed_field_selector(selector: FieldSelectorAttributes | None) -> FieldSelector | None:
    """Return the field selector of a review, without requirements that cannot be parsed.

    Returns None if no requirement can be parsed.
    """
    if selector is None:
        return None
    if not selector.requirements:
        try:
            return fields.parse(selector.rawSelector)
        except ValueError:
            return None
    understood = [r for r in selector.requirements if r.operator in ("In", "NotIn") and len(r.values) == 1]
    if not understood:
        return None
    return FieldSelector(
        [FieldRequirement(r.key, "=" if r.operator == "In" else "!=", r.values[0]) for r in understood]
    )


def parsed_label_selector(selector: LabelSelectorAttributes | None) -> LabelSelector | None:
    """Return the label selector of a review, without requirements that cannot be parsed.

    Returns None if no requirement can be parsed.
    """
    if selector is None:
        return None
    if not selector.requirements:
        try:
            return labels.parse(selector.rawSelector)
        except ValueError:
            return None
    understood = [
        Requirement.checked(r.key, _LABEL_OPERATORS[r.operator], r.values)
        for r in selector.requirements
        if _is_label_requirement(r)
    ]
    return LabelSelector(understood) if understood else None


def _validate_form(selector: FieldSelectorAttributes | LabelSelectorAttributes, path: FieldPath) -> list[FieldError]:
    if selector.rawSelector and selector.requirements:
        detail = "may not specified at the same time as requirements"
        return [invalid(path.child("rawSelector"), selector.rawSelector, detail)]
    if not selector.rawSelector and not selector.requirements:
        detail = f"when {path} is specified, requirements or rawSelector is required"
        return [required(path.child("requirements"), detail)]
    return []


def _validate_field(requirement: FieldSelectorRequirement, path: FieldPath) -> list[FieldError]:
    errors = [] if requirement.key else [required(path.child("key"), "must be specified")]
    return errors + _validate_operands(requirement, path)


def _validate_label(requirement: LabelSelectorRequirement, path: FieldPath) -> list[FieldError]:
    errors = _validate_operands(requirement, path) + validate_label_name(requirement.key, path.child("key"))
    for index, value in enumerate(requirement.values):
        errors += [invalid(path.child("values").item(index), value, error) for error in is_label_value(value)]
    return errors


def _validate_operands(
    requirement: FieldSelectorRequirement | LabelSelectorRequirement, path: FieldPath
) -> list[FieldError]:
    if requirement.operator in ("In", "NotIn") and not requirement.values:
        return [required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'")]
    if requirement.operator in ("Exists", "DoesNotExist") and requirement.values:
        return [forbidden(path.child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    return []


def _parsable_fields(selector: FieldSelectorAttributes) -> list[bool]:
    """Return one bool for each requirement of a field selector: True if it can be parsed.

    A selector that is raw text counts as one requirement.
    """
    if selector.requirements:
        return [r.operator in ("In", "NotIn") and len(r.values) == 1 for r in selector.requirements]
    try:
        fields.parse(selector.rawSelector)
    except ValueError:
        return [False]
    return [True]


def _parsable_labels(selector: LabelSelectorAttributes) -> list[bool]:
    if selector.requirements:
        return [_is_label_requirement(requirement) for requirement in selector.requirements]
    try:
        labels.parse(selector.rawSelector)
    except ValueError:
        return [False]
    return [True]


def _is_label_requirement(requirement: LabelSelectorRequirement) -> bool:
    operator = _LABEL_OPERATORS.get(requirement.operator)
    if operator is None:
        return False
    try:
        Requirement.checked(requirement.key, operator, requirement.values)
    except ValueError:
        return False
    return True
