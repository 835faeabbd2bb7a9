"""Validation of device attributes and capacities (``pkg/apis/resource/validation``)."""

import re
from itertools import pairwise
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required, too_long
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.resource.v1.device_rules import validate_each
from memkube.apis.resource.v1.resourceslices.types import (
    CapacityRequestPolicy,
    CapacityRequestPolicyRange,
    DeviceAttribute,
    DeviceCapacity,
)

_MOST_VALUE_BYTES: Final = 64
_MOST_VALID_VALUES: Final = 10
_NUMBER: Final = "(0|[1-9][0-9]*)"
_PRE_RELEASE: Final = "(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD: Final = "[0-9a-zA-Z-]+"
_semantic_version: Final = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRE_RELEASE}(\.{_PRE_RELEASE})*)?(\+{_BUILD}(\.{_BUILD})*)?"
).fullmatch


def validate_attribute(attribute: DeviceAttribute, path: FieldPath) -> list[FieldError]:
    """Validate an attribute of a device: exactly one value, of limited size.

    Lists are not looked at, because the feature gate DRAListTypeAttributes is off: no attribute has a list.
    """
    errors: list[FieldError] = []
    if attribute.string is not None:
        errors += _size(attribute.string, path.child("string"))
    version = attribute.version
    if version is not None:
        if _semantic_version(version) is None:
            detail = "must be a string compatible with semver.org spec 2.0.0"
            errors.append(invalid(path.child("version"), version, detail))
        errors += _size(version, path.child("version"))
    values = (attribute.int_, attribute.bool_, attribute.string, attribute.version)
    count = sum(value is not None for value in values)
    if count != 1:
        shown = InternalValue(attribute) if count else ""
        errors.append(invalid(path, shown, "exactly one value must be specified"))
    return errors


def _size(value: str, path: FieldPath) -> list[FieldError]:
    return [too_long(path, _MOST_VALUE_BYTES)] if len(value.encode()) > _MOST_VALUE_BYTES else []


def validate_whole_capacity(capacity: DeviceCapacity, path: FieldPath) -> list[FieldError]:
    """Validate a capacity of a device that only one request can use: it has no request policy."""
    if capacity.requestPolicy is None:
        return []
    return [forbidden(path.child("requestPolicy"), "allowMultipleAllocations must be true")]


def validate_shared_capacity(capacity: DeviceCapacity, path: FieldPath) -> list[FieldError]:
    """Validate a capacity of a device that several requests can share: its request policy is within the capacity."""
    policy, path = capacity.requestPolicy, path.child("requestPolicy")
    if policy is None:
        return []
    if policy.validValues and policy.validRange is not None:
        detail = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
        return [forbidden(path, detail)]
    if policy.validValues:
        return _values(policy, capacity.value, path)
    if policy.validRange is None:
        return []
    if policy.default is None:
        return [required(path.child("default"), "required when validRange is defined")]
    return _range(policy.default, capacity.value, policy.validRange, path.child("validRange"))


def _values(policy: CapacityRequestPolicy, capacity: Quantity, path: FieldPath) -> list[FieldError]:
    default, values = policy.default, policy.validValues
    if default is None:
        return [required(path.child("default"), "required when validValues is defined")]
    path = path.child("validValues")
    errors = [
        invalid(path.item(index), value, "values must be sorted in ascending order")
        for index, (before, value) in enumerate(pairwise(values), 1)
        if before.nano > value.nano
    ]

    def rule(value: Quantity, item: FieldPath) -> list[FieldError]:
        if value.nano <= capacity.nano:
            return []
        return [invalid(item, value, f"option is larger than capacity value: {capacity}")]

    errors += validate_each(values, _MOST_VALID_VALUES, rule, path, lambda value: str(value.value))
    is_checked = len(values) <= _MOST_VALID_VALUES
    if not (is_checked and any(value.nano == default.nano for value in values)):
        errors.append(invalid(path, default, "default value is not valid according to the requestPolicy"))
    return errors


def _range(
    default: Quantity, capacity: Quantity, limits: CapacityRequestPolicyRange, path: FieldPath
) -> list[FieldError]:
    least, most = limits.min, limits.max
    least_path, most_path = path.child("min"), path.child("max")
    if least is None:
        return [required(least_path, "required when validRange is defined")]
    errors: list[FieldError] = []
    if least.nano > capacity.nano:
        errors.append(invalid(least_path, least, f"min is larger than capacity value: {capacity}"))
    if default.nano < least.nano:
        errors.append(invalid(least_path, default, f"default is less than min: {least}"))
    if most is not None:
        if least.nano > most.nano:
            errors.append(invalid(most_path, least, f"min is larger than max: {most}"))
        if most.nano > capacity.nano:
            errors.append(invalid(most_path, most, f"max is larger than capacity value: {capacity}"))
        if default.nano > most.nano:
            errors.append(invalid(most_path, default, f"default is more than max: {most}"))
    if limits.step is not None:
        steps = [default] if most is None else [default, most]
        errors += _steps(steps, least, limits.step, capacity, path.child("step"))
    return errors


def _steps(
    values: list[Quantity], least: Quantity, step: Quantity, capacity: Quantity, path: FieldPath
) -> list[FieldError]:
    errors: list[FieldError] = []
    first = least.plus(step)
    if first.nano > capacity.nano:
        errors.append(invalid(path, step, f"one step {first} is larger than capacity value: {capacity}"))
    for value in values:
        # If the step is zero, kube-apiserver divides by zero and answers 500; memkube reports the value as invalid.
        if step.value == 0 or (value.value - least.value) % step.value != 0:
            detail = f"value is not a multiple of a given step ({step}) from ({least})"
            errors.append(invalid(path, str(value), detail))
    return errors
