"""Validation shared by ResourceClaims, DeviceClasses and ResourceSlices (``pkg/apis/resource/validation``)."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    invalid,
    invalid_typed,
    not_supported,
    required,
    too_long,
    too_many,
)
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.names import is_c_identifier, is_dns1123_label, is_dns1123_subdomain, is_label_value
from memkube.apimachinery.scalars import InvalidJson
from memkube.apimachinery.shown_values import InternalStruct, InternalValue, given
from memkube.apis.core.v1.podspec.validation.volume_sources import validate_driver_name
from memkube.apis.resource.v1.devices import DeviceToleration, OpaqueDeviceConfiguration
from memkube.apis.resource.v1.resourceclaims.status_types import DeviceRequestAllocationResult
from memkube.apis.resource.v1.resourceslices.types import Device

T = TypeVar("T")

TAINT_EFFECTS: Final = ("NoExecute", "NoSchedule", "None")
MOST_CONFIGURATIONS: Final = 32
MOST_OPAQUE_BYTES: Final = 10 * 1024
_TOLERATION_OPERATORS: Final = ("Equal", "Exists")
_MOST_BINDING_CONDITIONS: Final = 4
_MOST_POOL_BYTES: Final = 253
_MOST_IDENTIFIER_BYTES: Final = 32
_uuid: Final = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch
_UUID_LENGTHS: Final = (32, 36, 38, 45)


def validate_each(
    items: Sequence[T],
    most: int | None,
    rule: Callable[[T, FieldPath], list[FieldError]],
    path: FieldPath,
    key: Callable[[T], Any] | None = None,
) -> list[FieldError]:
    """Validate each item of the list at `path` by the function `rule`, and that the items' keys are unique.

    `rule` gets an item and its path, and returns the errors. `key` returns the key of an item; without it, the keys are
    not checked. If there are more than `most` items, the only error is about their number.
    """
    if most is not None and len(items) > most:
        return [too_many(path, len(items), most)]
    errors = [error for index, item in enumerate(items) for error in rule(item, path.item(index))]
    return errors if key is None else errors + _duplicates([key(item) for item in items], path)


def _duplicates(keys: Sequence[Any], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[Any] = set()
    for index, key in enumerate(keys):
        if key in seen:
            errors.append(duplicate(path.item(index), InternalValue(key) if isinstance(key, InternalStruct) else key))
        seen.add(key)
    return errors


def validate_label(name: str, path: FieldPath) -> list[FieldError]:
    """Validate that the name of a device, request, counter set or counter is a DNS label."""
    return [invalid(path, name, error) for error in is_dns1123_label(name)]


def validate_class_name(name: str, path: FieldPath) -> list[FieldError]:
    """Validate the name of a DeviceClass. An empty name is an error."""
    if not name:
        return [required(path)]
    return [invalid(path, name, error) for error in is_dns1123_subdomain(name)]


def validate_pool_name(name: str, path: FieldPath) -> list[FieldError]:
    """Validate the name of a pool: DNS subdomains separated by slashes."""
    if not name:
        return [required(path)]
    errors = [too_long(path, _MOST_POOL_BYTES)] if len(name.encode()) > _MOST_POOL_BYTES else []
    return errors + [invalid(path, part, error) for part in name.split("/") for error in is_dns1123_subdomain(part)]


def validate_uuid(text: str, path: FieldPath) -> list[FieldError]:
    """Validate a UUID in normalized form (RFC 9562), in lower case."""
    if _uuid(text):
        return []
    why = _malformed_uuid(text)
    if why:
        return [invalid(path, text, f"error validating uid: {why}")]
    form = "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`"
    detail = f"uid must be in RFC 4122 normalized form, {form} with lowercase hexadecimal characters"
    return [invalid(path, text, detail)]


def _malformed_uuid(text: str) -> str:
    """Return the error of kube-apiserver's parser for a UUID; empty if the parser accepts the UUID."""
    length = len(text.encode())
    if length not in _UUID_LENGTHS:
        return f"invalid UUID length: {length}"
    if length == 45 and text[:9].lower() != "urn:uuid:":
        return f'invalid urn prefix: "{text[:9]}"'
    if length == 38 and not (text.startswith("{") and text.endswith("}")):
        return "invalid bracketed UUID format"
    inner = {45: text[9:], 38: text[1:-1]}.get(length, text)
    if length != 32:
        if [inner[position] for position in (8, 13, 18, 23)] != ["-"] * 4:
            return "invalid UUID format"
        inner = inner.replace("-", "")
    return "" if re.fullmatch("[0-9a-fA-F]{32}", inner) else "invalid UUID format"


def validate_label_value(value: str, path: FieldPath) -> list[FieldError]:
    """Validate the value of a taint or toleration, which must have the form of a label value."""
    return [invalid(path, value, error) for error in is_label_value(value)]


def validate_qualified_name(name: str, path: FieldPath) -> list[FieldError]:
    """Validate the name of an attribute or capacity: an identifier with an optional domain."""
    parts = name.split("/")
    if len(parts) == 1:
        return _identifier(name, path)
    if len(parts) > 2:
        # As in kube-apiserver, any attribute name with several slashes is accepted.
        return []
    domain, identifier = parts
    errors = validate_driver_name(domain, path) if domain else [invalid(path, "", "the domain must not be empty")]
    return errors + (_identifier(identifier, path) if identifier else [invalid(path, "", "the name must not be empty")])


def validate_fully_qualified_name(name: str, path: FieldPath) -> list[FieldError]:
    """Validate the name of an attribute, which must have a domain."""
    errors = validate_qualified_name(name, path)
    if "/" not in name:
        detail = "a fully qualified name must be a domain and a name separated by a slash"
        errors.append(invalid_typed(path, name, detail))
    return errors


def _identifier(name: str, path: FieldPath) -> list[FieldError]:
    errors = [too_long(path, _MOST_IDENTIFIER_BYTES)] if len(name.encode()) > _MOST_IDENTIFIER_BYTES else []
    return errors + [invalid(path, name, error) for error in is_c_identifier(name)]


def validate_opaque(
    config: OpaqueDeviceConfiguration | None, path: FieldPath, *, stored: bool = False
) -> list[FieldError]:
    """Validate the driver-specific configuration of devices: the name of the driver, and its parameters.

    If `stored` is True, parameters of any size are accepted, because the stored object has the same parameters.
    """
    if config is None:
        return [required(path.child("opaque"))]
    path = path.child("opaque")
    errors = validate_driver_name(config.driver, path.child("driver"))
    return errors + validate_object_data(config.parameters, path.child("parameters"), stored=stored)


def validate_object_data(data: Any, path: FieldPath, *, stored: bool = False) -> list[FieldError]:
    """Validate that parameters or data of a driver are a JSON object of limited size.

    If `stored` is True, any size is accepted, because the stored object has the same data.
    """
    if data is None or (isinstance(data, InvalidJson) and not data):
        return [required(path)]
    if not stored and len(to_json(data)) > MOST_OPAQUE_BYTES:
        return [too_long(path, MOST_OPAQUE_BYTES)]
    if isinstance(data, InvalidJson):
        return [invalid(path, "<value omitted>", f"error parsing data as JSON: {data.error}")]
    return [] if isinstance(data, dict) else [invalid(path, "<value omitted>", "must be a valid JSON object")]


def validate_toleration(toleration: DeviceToleration, path: FieldPath) -> list[FieldError]:
    """Return errors unless the toleration has a valid key, operator and effect, and a value that fits the operator."""
    errors = validate_label_name(toleration.key, path.child("key")) if toleration.key else []
    operator = toleration.operator
    if operator == "Exists":
        if toleration.value:
            errors.append(invalid(path.child("value"), toleration.value, "must be empty for operator `Exists`"))
    elif operator == "Equal":
        errors += validate_label_value(toleration.value, path.child("value"))
    elif operator:
        errors.append(not_supported(path.child("operator"), operator, _TOLERATION_OPERATORS))
    else:
        errors.append(required(path.child("operator")))
    if toleration.effect and toleration.effect not in TAINT_EFFECTS:
        errors.append(not_supported(path.child("effect"), toleration.effect, TAINT_EFFECTS))
    return errors


def validate_binding_conditions(bound: Device | DeviceRequestAllocationResult, path: FieldPath) -> list[FieldError]:
    """Validate binding conditions and binding failure conditions of `bound`, a device or an allocated device.

    Both lists are set, or both are empty. No condition may be in a list twice, or in both lists.
    """
    conditions, failures = bound.bindingConditions, bound.bindingFailureConditions
    ready_path, failure_path = path.child("bindingConditions"), path.child("bindingFailureConditions")
    errors = validate_each(conditions, _MOST_BINDING_CONDITIONS, validate_label_name, ready_path)
    errors += validate_each(failures, _MOST_BINDING_CONDITIONS, validate_label_name, failure_path)
    errors += _duplicates(conditions, ready_path)
    seen: set[str] = set()
    for index, condition in enumerate(failures):
        item = failure_path.item(index)
        if condition in seen:
            errors.append(duplicate(item, condition))
        seen.add(condition)
        if condition in conditions:
            errors.append(invalid(item, condition, "bindingFailureConditions must not overlap with bindingConditions"))
    if failures and not conditions:
        detail = "bindingConditions are required to use bindingFailureConditions"
        errors.append(invalid(ready_path, given(bound, "bindingConditions"), detail))
    if conditions and not failures:
        detail = "bindingFailureConditions are required to use bindingConditions"
        errors.append(invalid(failure_path, given(bound, "bindingFailureConditions"), detail))
    return errors
