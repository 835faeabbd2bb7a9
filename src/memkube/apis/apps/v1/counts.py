"""Rules for the numbers in specs and statuses (``pkg/apis/apps/validation``)."""

import re
from collections.abc import Iterable

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.names import is_percent


def validate_counts(model: ApiModel, names: Iterable[str], path: FieldPath) -> list[FieldError]:
    """None of these fields, where it is set, is negative."""
    errors: list[FieldError] = []
    for name in names:
        value = getattr(model, name)
        if value is not None:
            errors += validate_nonnegative(value, path.child(name))
    return errors


def validate_at_most(model: ApiModel, names: Iterable[str], limit: int, path: FieldPath, why: str) -> list[FieldError]:
    """None of these fields is above a limit."""
    return [invalid(path.child(n), getattr(model, n), why) for n in names if getattr(model, n) > limit]


def validate_not_decremented(new: int | None, old: int | None, path: FieldPath) -> list[FieldError]:
    """A count that may be missing, which is below any other, has not become smaller."""
    if old is None or (new is not None and new >= old):
        return []
    return [invalid(path, new or 0, "cannot be decremented")]


def validate_count_or_percentage(value: int | str, path: FieldPath) -> list[FieldError]:
    """A number of pods, or a percentage of them."""
    if isinstance(value, int):
        return validate_nonnegative(value, path)
    return [invalid(path, value, message) for message in is_percent(value)]


def validate_at_most_all(value: int | str, path: FieldPath) -> list[FieldError]:
    """A percentage is no more than a hundred."""
    if isinstance(value, int) or is_percent(value) or int(value[:-1]) <= 100:
        return []
    return [invalid(path, value, "must not be greater than 100%")]


def plain_number(value: int | str) -> int:
    """The number before the percent sign, or the number; zero for what is none."""
    if isinstance(value, int):
        return value
    return int(value.removesuffix("%")) if re.fullmatch(r"[+-]?[0-9]+|[0-9]+%", value) else 0
