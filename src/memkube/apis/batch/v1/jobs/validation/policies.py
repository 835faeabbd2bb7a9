"""Validation of pod failure policies and success policies, and parsing of index sets such as ``1,3-5``."""

from collections.abc import Collection, Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    OmittedValue,
    duplicate,
    invalid,
    invalid_typed,
    not_supported,
    required,
    too_long,
    too_many,
)
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.shown_values import given, quoted
from memkube.apis.batch.v1.jobs.types import (
    JobSpec,
    PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern,
    PodFailurePolicyRule,
    SuccessPolicyRule,
)

_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_STATUSES: Final = ("False", "True", "Unknown")
_MOST_RULES: Final = 20
_MOST_CODES: Final = 255
_MOST_PATTERNS: Final = 20
_LONGEST_INDEXES: Final = 64 * 1024


class BadIndexes(ValueError):
    """Raised if a text such as ``1,3-5`` is not a valid set of indexes; the message equals kube-apiserver's."""


def counted_indexes(text: str, completions: int) -> int:
    """Return the number of indexes in a set such as ``1,3-5``.

    Raises BadIndexes if the text is malformed or has an index that is not below `completions`.
    """
    total, last = 0, -1
    for interval in text.split(",") if text else []:
        first, end = _interval(interval, completions)
        if last >= first:
            raise BadIndexes(f"non-increasing order, previous: {last}, current: {first}")
        total, last = total + end - first + 1, end
    return total


def common_index(one: str, other: str, completions: int) -> int | None:
    """Return an index that is in both `one` and `other`, sets of indexes like ``1,3-5``; None if there is none.

    Malformed intervals, and those with an index that is not below `completions`, are ignored.
    """
    mine, theirs = _readable(one, completions), _readable(other, completions)
    overlaps = (max(a, c) for a, b in mine for c, d in theirs if a <= d and c <= b)
    return next(overlaps, None)


def _readable(text: str, completions: int) -> list[tuple[int, int]]:
    found = []
    for interval in text.split(",") if text else []:
        try:
            found.append(_interval(interval, completions))
        except BadIndexes:
            continue
    return found


def _interval(text: str, completions: int) -> tuple[int, int]:
    ends = text.split("-")
    if len(ends) > 2:
        why = "violates the requirement that an index interval can have at most two parts separated by '-'"
        raise BadIndexes(f"the fragment {quoted(text)} {why}")
    first = _index(ends[0], completions)
    if len(ends) == 1:
        return first, first
    last = _index(ends[1], completions)
    if first >= last:
        raise BadIndexes(f"non-increasing order, previous: {first}, current: {last}")
    return first, last


def _index(text: str, completions: int) -> int:
    if not (text.isascii() and text.lstrip("+").isdigit() and text.count("+") <= 1):
        raise BadIndexes(f"cannot convert string to integer for index: {quoted(text)}")
    if int(text) >= completions:
        raise BadIndexes(f"too large index: {quoted(text)}")
    return int(text)


def validate_failure_policy(spec: JobSpec, path: FieldPath) -> list[FieldError]:
    """Validate a pod failure policy: each rule is about exit codes or conditions, and names existing containers."""
    rules, path = spec.podFailurePolicy.rules if spec.podFailurePolicy else [], path.child("rules")
    errors = [too_many(path, len(rules), _MOST_RULES)] if len(rules) > _MOST_RULES else []
    pod = spec.template.spec
    containers = {container.name for container in (*pod.containers, *pod.initContainers)}
    for index, rule in enumerate(rules):
        errors += _failure_rule(spec, rule, path.item(index), containers)
    return errors


def validate_success_policy(spec: JobSpec, path: FieldPath) -> list[FieldError]:
    """Validate a success policy: each rule has valid indexes, a count or both."""
    rules, path = spec.successPolicy.rules if spec.successPolicy else [], path.child("rules")
    errors: list[FieldError] = []
    if not rules:
        errors.append(required(path, "at least one rules must be specified when the successPolicy is specified"))
    if len(rules) > _MOST_RULES:
        errors.append(too_many(path, len(rules), _MOST_RULES))
    for index, rule in enumerate(rules):
        errors += _success_rule(rule, spec.completions or 0, path.item(index))
    return errors


def _failure_rule(
    spec: JobSpec, rule: PodFailurePolicyRule, path: FieldPath, containers: Collection[str]
) -> list[FieldError]:
    errors = _one_of(rule.action, _ACTIONS, path.child("action"))
    if rule.action == "FailIndex" and spec.backoffLimitPerIndex is None:
        errors.append(invalid_typed(path.child("action"), rule.action, "requires the backoffLimitPerIndex to be set"))
    codes, conditions = rule.onExitCodes, rule.onPodConditions
    if codes is not None:
        errors += _exit_codes(codes, path.child("onExitCodes"), containers)
    if conditions:
        errors += _conditions(conditions, path.child("onPodConditions"))
    if codes is not None and conditions:
        why = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.append(invalid(path, OmittedValue(), why))
    if codes is None and not conditions:
        errors.append(invalid(path, OmittedValue(), "specifying one of OnExitCodes and OnPodConditions is required"))
    return errors


def _conditions(patterns: Sequence[PodFailurePolicyOnPodConditionsPattern], path: FieldPath) -> list[FieldError]:
    errors = [too_many(path, len(patterns), _MOST_PATTERNS)] if len(patterns) > _MOST_PATTERNS else []
    for index, pattern in enumerate(patterns):
        errors += validate_label_name(pattern.type, path.item(index).child("type"))
        errors += _one_of(pattern.status, _STATUSES, path.item(index).child("status"))
    return errors


def _exit_codes(
    codes: PodFailurePolicyOnExitCodesRequirement, path: FieldPath, containers: Collection[str]
) -> list[FieldError]:
    errors = _one_of(codes.operator, _OPERATORS, path.child("operator"))
    if codes.containerName is not None and codes.containerName not in containers:
        why = "must be one of the container or initContainer names in the pod template"
        errors.append(invalid(path.child("containerName"), codes.containerName, why))
    values, path = codes.values, path.child("values")
    if not values:
        errors.append(invalid(path, given(codes, "values"), "at least one value is required"))
    elif len(values) > _MOST_CODES:
        errors.append(too_many(path, len(values), _MOST_CODES))
    for index, value in enumerate(values):
        if codes.operator == "In" and value == 0:
            errors.append(invalid(path.item(index), value, "must not be 0 for the In operator"))
        if value in values[:index]:
            errors.append(duplicate(path.item(index), value))
    if values != sorted(values):
        errors.append(invalid(path, values, "must be ordered"))
    return errors


def _success_rule(rule: SuccessPolicyRule, completions: int, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if rule.succeededCount is None and rule.succeededIndexes is None:
        errors.append(required(path, "at least one of succeededCount or succeededIndexes must be specified"))
    total = 0
    if rule.succeededIndexes is not None:
        indexes_path = path.child("succeededIndexes")
        if len(rule.succeededIndexes) > _LONGEST_INDEXES:
            errors.append(too_long(indexes_path, _LONGEST_INDEXES))
        try:
            total = counted_indexes(rule.succeededIndexes, completions)
        except BadIndexes as error:
            errors.append(invalid(indexes_path, rule.succeededIndexes, f"error parsing succeededIndexes: {error}"))
    if rule.succeededCount is not None:
        count, path = rule.succeededCount, path.child("succeededCount")
        errors += validate_nonnegative(count, path)
        limits = [(completions, "the number of specified completions")]
        if rule.succeededIndexes is not None:
            limits.append((total, "the number of indexes in the specified succeededIndexes field"))
        for limit, what in limits:
            if count > limit:
                errors.append(invalid(path, count, f"must be less than or equal to {limit} ({what})"))
    return errors


def _one_of(value: str, values: Sequence[str], path: FieldPath) -> list[FieldError]:
    if not value:
        return [required(path, f"valid values: [{' '.join(map(quoted, values))}]")]
    return [] if value in values else [not_supported(path, value, values)]
