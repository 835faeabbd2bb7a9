"""Rules for label keys whose values a pod takes from its own labels."""

from collections.abc import Sequence

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.meta.validation.labels import validate_label_name


def validate_match_label_keys(
    selector: LabelSelector | None, matching: Sequence[str], mismatching: Sequence[str], path: FieldPath
) -> list[FieldError]:
    """Keys are label names that complete a selector, and none is used twice."""
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


def _validate_keys(selector: LabelSelector | None, keys: Sequence[str], path: FieldPath) -> list[FieldError]:
    if not keys:
        return []
    if selector is None:
        return [forbidden(path, "must not be specified when labelSelector is not set")]
    errors: list[FieldError] = []
    for index, key in enumerate(keys):
        errors += validate_label_name(key, path.item(index))
    return errors


def _validate_unused(selector: LabelSelector, keys: Sequence[str], path: FieldPath) -> list[FieldError]:
    """The selector names no key besides the requirement that the server itself added for it."""
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
