"""Validation of the requests, constraints and configurations in claims (``pkg/apis/resource/validation``)."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apis.resource.v1.device_rules import (
    MOST_CONFIGURATIONS,
    validate_class_name,
    validate_each,
    validate_fully_qualified_name,
    validate_label,
    validate_opaque,
    validate_toleration,
)
from memkube.apis.resource.v1.resourceclaims.types import (
    DeviceClaim,
    DeviceClaimConfiguration,
    DeviceConstraint,
    DeviceRequest,
    DeviceSubRequest,
    ExactDeviceRequest,
    ResourceClaimSpec,
)
from memkube.apis.resource.v1.selectors import validate_selectors

MOST_REQUESTS: Final = 32
_MOST_CONSTRAINTS: Final = 32
_MOST_CHOICES: Final = 8
_ALLOCATION_MODES: Final = ("All", "ExactCount")
_NO_REQUEST: Final = (
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
)

RequestNames: TypeAlias = Mapping[str, frozenset[str]]
"""Names of a claim's requests, and for each request the names of its subrequests."""


def request_names(claim: DeviceClaim) -> RequestNames:
    """Return the names of a claim's requests, and for each request the names of its subrequests."""
    return {request.name: frozenset(choice.name for choice in request.firstAvailable) for request in claim.requests}


def validate_request_reference(name: str, path: FieldPath, names: RequestNames) -> list[FieldError]:
    """Validate a reference to a request, or to a subrequest in the form ``request/subrequest``.

    `names` has the names of the claim's requests and subrequests, as returned by `request_names`.
    """
    request, *choice = parts = name.split("/")
    if len(parts) > 2:
        return [invalid(path, name, _NO_REQUEST)]
    errors = [error for part in parts for error in validate_label(part, path)]
    if request not in names or (choice and choice[0] not in names[request]):
        errors.append(invalid(path, name, _NO_REQUEST))
    return errors


def validate_request_references(requests: list[str], path: FieldPath, names: RequestNames) -> list[FieldError]:
    """Validate that references to requests and subrequests of a claim are valid and unique.

    `names` has the names of the claim's requests and subrequests, as returned by `request_names`.
    """

    def rule(name: str, item: FieldPath) -> list[FieldError]:
        return validate_request_reference(name, item, names)

    return validate_each(requests, MOST_REQUESTS, rule, path, str)


def validate_spec(spec: ResourceClaimSpec, path: FieldPath) -> list[FieldError]:
    """Validate the requests, constraints and configurations of a new claim or of a ResourceClaimTemplate."""
    claim, path = spec.devices, path.child("devices")
    names = request_names(claim)

    def constraint_rule(constraint: DeviceConstraint, item: FieldPath) -> list[FieldError]:
        return _constraint(constraint, item, names)

    def configuration_rule(config: DeviceClaimConfiguration, item: FieldPath) -> list[FieldError]:
        errors = validate_request_references(config.requests, item.child("requests"), names)
        return errors + validate_opaque(config.opaque, item)

    errors = validate_each(claim.requests, MOST_REQUESTS, _request, path.child("requests"), lambda each: each.name)
    errors += validate_each(claim.constraints, _MOST_CONSTRAINTS, constraint_rule, path.child("constraints"))
    return errors + validate_each(claim.config, MOST_CONFIGURATIONS, configuration_rule, path.child("config"))


def _request(request: DeviceRequest, path: FieldPath) -> list[FieldError]:
    errors = validate_label(request.name, path.child("name"))
    message = "exactly one of `exactly` or `firstAvailable` is required"
    if request.exactly is not None and request.firstAvailable:
        return [*errors, invalid(path, None, f"{message}, but multiple fields are set")]
    if request.exactly is not None:
        return errors + _exact_request(request.exactly, path.child("exactly"))
    if not request.firstAvailable:
        return [*errors, required(path, message)]
    choices = path.child("firstAvailable")
    return errors + validate_each(request.firstAvailable, _MOST_CHOICES, _choice, choices, lambda each: each.name)


def _choice(choice: DeviceSubRequest, path: FieldPath) -> list[FieldError]:
    return validate_label(choice.name, path.child("name")) + _exact_request(choice, path)


def _exact_request(request: ExactDeviceRequest | DeviceSubRequest, path: FieldPath) -> list[FieldError]:
    errors = validate_class_name(request.deviceClassName, path.child("deviceClassName"))
    errors += validate_selectors(request.selectors, path.child("selectors"))
    errors += _amount(request, path)
    return errors + validate_each(request.tolerations, None, validate_toleration, path.child("tolerations"))


def _amount(request: ExactDeviceRequest | DeviceSubRequest, path: FieldPath) -> list[FieldError]:
    mode, count = request.allocationMode, request.count
    if mode == "All" and count != 0:
        return [invalid(path.child("count"), count, f"must not be specified when allocationMode is '{mode}'")]
    if mode == "ExactCount" and count <= 0:
        return [invalid(path.child("count"), count, "must be greater than zero")]
    if mode not in _ALLOCATION_MODES:
        return [not_supported(path.child("allocationMode"), mode, _ALLOCATION_MODES)]
    return []


def _constraint(constraint: DeviceConstraint, path: FieldPath, names: RequestNames) -> list[FieldError]:
    errors = validate_request_references(constraint.requests, path.child("requests"), names)
    if constraint.matchAttribute is not None:
        return errors + validate_fully_qualified_name(constraint.matchAttribute, path.child("matchAttribute"))
    if constraint.distinctAttribute is not None:
        return errors + validate_fully_qualified_name(constraint.distinctAttribute, path.child("distinctAttribute"))
    # As in kube-apiserver, the message says that multiple fields are set, even if none is set.
    detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    return [*errors, required(path, detail)]
