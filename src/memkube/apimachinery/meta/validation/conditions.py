"""Validation of status conditions: type, status, reason, message and times (``apis/meta/v1/validation``)."""

import re
from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
)
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.names import regex_error

_STATUSES: Final = ("False", "True", "Unknown")
_REASON: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_REASON_LIMIT: Final = 1024
_MESSAGE_LIMIT: Final = 32 * 1024


def validate_conditions(conditions: Sequence[Condition], path: FieldPath) -> list[FieldError]:
    """Validate that each condition is complete and that condition types are unique."""
    errors: list[FieldError] = []
    types: set[str] = set()
    for index, condition in enumerate(conditions):
        item = path.item(index)
        if condition.type in types:
            errors.append(duplicate(item.child("type"), condition.type))
        types.add(condition.type)
        errors += _condition(condition, item)
    return errors


def _condition(condition: Condition, path: FieldPath) -> list[FieldError]:
    errors = validate_label_name(condition.type, path.child("type"))
    if condition.status not in _STATUSES:
        errors.append(not_supported(path.child("status"), condition.status, _STATUSES))
    if condition.observedGeneration < 0:
        detail = "must be greater than or equal to zero"
        errors.append(invalid(path.child("observedGeneration"), condition.observedGeneration, detail))
    if condition.lastTransitionTime is None:
        errors.append(required(path.child("lastTransitionTime")))
    errors += _reason(condition.reason, path.child("reason"))
    if len(condition.message.encode()) > _MESSAGE_LIMIT:
        errors.append(too_long(path.child("message"), _MESSAGE_LIMIT))
    return errors


def _reason(reason: str, path: FieldPath) -> list[FieldError]:
    if not reason:
        return [required(path)]
    errors: list[FieldError] = []
    if re.fullmatch(_REASON, reason) is None:
        prose = (
            "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "
            "characters or '_,:', and must end with an alphanumeric character or '_'"
        )
        examples = ("my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB")
        errors.append(invalid(path, reason, regex_error(prose, _REASON, *examples)))
    if len(reason.encode()) > _REASON_LIMIT:
        errors.append(too_long(path, _REASON_LIMIT))
    return errors
