"""Defaults of LimitRanges, and validation of their resource names, amounts and ratios (``pkg/apis/core``)."""

from collections.abc import Iterator
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    invalid_typed,
    required,
)
from memkube.apimachinery.names import is_qualified_name, subdomain_name
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import TypedString
from memkube.apis.core.v1.limitranges.types import LimitRange, LimitRangeItem
from memkube.apis.core.v1.metadata import validate_metadata
from memkube.apis.core.v1.podspec.defaults import default_resource_list
from memkube.apis.core.v1.podspec.validation.resources import (
    may_overcommit,
    validate_container_resource_name,
    validate_resource_name,
)

_LIMITS: Final = FieldPath("spec.limits")
_TYPES: Final = ("Pod", "Container", "PersistentVolumeClaim")
_LISTS: Final = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_OF_CONTAINERS: Final = ("default", "defaultRequest")
_ONE: Final = 10**9
_LARGEST_IN_MILLI: Final = (2**63 - 1) // 1000


def default_limit_range(limit_range: LimitRange) -> None:
    """Set the defaults of a LimitRange in place.

    `default` falls back to `max`, and `defaultRequest` falls back to `default`, then to `min`.
    """
    for item in limit_range.spec.limits:
        if item.type == "Container":
            item.default = {**item.max, **item.default}
            item.defaultRequest = {**item.min, **item.default, **item.defaultRequest}
        for name in _LISTS:
            default_resource_list(getattr(item, name))


def validate_limit_range(limit_range: LimitRange) -> list[FieldError]:
    """Validate a new or changed LimitRange: unique types, known resource names, and amounts in ascending order."""
    errors = validate_metadata(limit_range.metadata, subdomain_name, namespaced=True)
    seen: set[str] = set()
    for index, item in enumerate(limit_range.spec.limits):
        path = _LIMITS.item(index)
        errors += _type_errors(item.type, path.child("type"))
        if item.type in seen:
            errors.append(duplicate(path.child("type"), TypedString(item.type)))
        seen.add(item.type)
        errors += _name_errors(item, path)
        for name in sorted({name for each in _lists_of(item) for name in getattr(item, each)}):
            errors += _order_errors(item, name, path) + _ratio_errors(item, name, path)
            errors += _overcommit_errors(item, name, path)
    return errors


def _lists_of(item: LimitRangeItem) -> tuple[str, ...]:
    return tuple(name for name in _LISTS if item.type != "Pod" or name not in _OF_CONTAINERS)


def _type_errors(limit_type: str, path: FieldPath) -> list[FieldError]:
    errors = [invalid_typed(path, limit_type, message) for message in is_qualified_name(limit_type)]
    if not errors and "/" not in limit_type and limit_type not in _TYPES:
        errors.append(invalid_typed(path, limit_type, "must be a standard limit type or fully qualified"))
    return errors


def _name_errors(item: LimitRangeItem, path: FieldPath) -> list[FieldError]:
    rule = validate_container_resource_name if item.type in ("Pod", "Container") else validate_resource_name
    errors: list[FieldError] = []
    for each in _LISTS:
        if each == "maxLimitRequestRatio" and item.type == "PersistentVolumeClaim":
            errors += _storage_errors(item, path)
        if each not in _lists_of(item):
            if getattr(item, each):
                errors.append(forbidden(path.child(each), "may not be specified when `type` is 'Pod'"))
            continue
        for name in sorted(getattr(item, each)):
            errors += rule(name, path.child(each).key(name))
    return errors


def _storage_errors(item: LimitRangeItem, path: FieldPath) -> list[FieldError]:
    if "storage" in item.min or "storage" in item.max:
        return []
    why = "either minimum or maximum storage value is required, but neither was provided"
    return [required(path.child("limits"), why)]


def _order_errors(item: LimitRangeItem, name: str, path: FieldPath) -> list[FieldError]:
    """Return errors unless the amounts of the resource `name` in a limit are in order.

    The order is: min <= default request <= default limit <= max. Missing amounts are left out.
    """
    return [
        invalid(path.child(field).key(name), value, f"{low_name} value {low} is greater than {high_name} value {high}")
        for field, value, low_name, low, high_name, high in _ordered(item, name)
        if low is not None and high is not None and low.nano > high.nano
    ]


def _ordered(
    item: LimitRangeItem, name: str
) -> Iterator[tuple[str, Quantity | None, str, Quantity | None, str, Quantity | None]]:
    """Yield the pairs of amounts of one resource whose order must be checked, such as minimum and maximum.

    Each tuple has six items: the field and the value that an error about the pair prints, the name and the value of the
    amount that must not be greater, and the name and the value of the amount with which it is compared.
    """
    least, most = item.min.get(name), item.max.get(name)
    limit, request = (item.default.get(name), item.defaultRequest.get(name)) if item.type != "Pod" else (None, None)
    yield "min", least, "min", least, "max", most
    yield "defaultRequest", request, "min", least, "default request", request
    yield "defaultRequest", request, "default request", request, "max", most
    yield "defaultRequest", request, "default request", request, "default limit", limit
    yield "default", least, "min", least, "default", limit
    yield "default", most, "default", limit, "max", most


def _ratio_errors(item: LimitRangeItem, name: str, path: FieldPath) -> list[FieldError]:
    ratio, least, most = item.maxLimitRequestRatio.get(name), item.min.get(name), item.max.get(name)
    if ratio is None:
        return []
    path = path.child("maxLimitRequestRatio").key(name)
    errors = [invalid(path, ratio, f"ratio {ratio} is less than 1")] if ratio.nano < _ONE else []
    if least is None or most is None:
        return errors
    precise = all(quantity.value < _LARGEST_IN_MILLI for quantity in (ratio, least, most))
    low, high = (least.milli_value, most.milli_value) if precise else (least.value, most.value)
    largest = high / low if low else float("inf") * high if high else float("nan")
    if (ratio.milli_value / 1000 if precise else ratio.value) > largest:
        written = f"{largest:f}" if low else f"{'-' if high < 0 else '+'}Inf"
        errors.append(invalid(path, ratio, f"ratio {ratio} is greater than max/min = {written}"))
    return errors


def _overcommit_errors(item: LimitRangeItem, name: str, path: FieldPath) -> list[FieldError]:
    limit, request = item.default.get(name), item.defaultRequest.get(name)
    if item.type == "Pod" or may_overcommit(name) or limit is None or request is None or limit.nano == request.nano:
        return []
    why = f"default value {limit} must equal to defaultRequest value {request} in {name}"
    return [invalid(path.child("defaultRequest").key(name), request, why)]
