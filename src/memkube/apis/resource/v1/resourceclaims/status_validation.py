"""Validation of allocations, consumers and device states in claims' status (``pkg/apis/resource/validation``)."""

from collections.abc import Collection
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from memkube.apimachinery.ip_addresses import parse_cidr
from memkube.apimachinery.meta.validation.conditions import validate_conditions
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE
from memkube.apimachinery.shown_values import InternalStruct, InternalValue, quoted
from memkube.apis.core.v1.podspec.validation.scheduling import validate_node_selector
from memkube.apis.core.v1.podspec.validation.volume_sources import validate_driver_name
from memkube.apis.resource.v1.device_rules import (
    MOST_CONFIGURATIONS,
    validate_binding_conditions,
    validate_each,
    validate_label,
    validate_object_data,
    validate_opaque,
    validate_pool_name,
    validate_uuid,
)
from memkube.apis.resource.v1.resourceclaims.status_types import (
    AllocatedDeviceStatus,
    AllocationResult,
    DeviceAllocationConfiguration,
    DeviceRequestAllocationResult,
    NetworkDeviceData,
    ResourceClaimConsumerReference,
)
from memkube.apis.resource.v1.resourceclaims.types import ResourceClaim
from memkube.apis.resource.v1.resourceclaims.validation import (
    RequestNames,
    request_names,
    validate_request_reference,
    validate_request_references,
)

_STATUS: Final = FieldPath("status")
_MOST_CONSUMERS: Final = 256
_MOST_RESULTS: Final = 32
_MOST_CONDITIONS: Final = 8
_MOST_ADDRESSES: Final = 16
_MOST_INTERFACE_BYTES: Final = 256
_MOST_HARDWARE_BYTES: Final = 128
_SOURCES: Final = ("FromClaim", "FromClass")


def device_id(device: DeviceRequestAllocationResult | AllocatedDeviceStatus) -> InternalStruct:
    """Return the identity of an allocated device, or of a share of it, as error messages print it."""
    return InternalStruct(
        (
            ("Driver", device.driver),
            ("Pool", device.pool),
            ("Device", device.device),
            ("ShareID", device.shareID or ""),
        )
    )


def allocated_devices(allocation: AllocationResult | None) -> frozenset[InternalStruct]:
    """Return the identities of the devices in the allocation of a claim: driver, pool, device name and share ID."""
    return frozenset(map(device_id, allocation.devices.results)) if allocation else frozenset()


def validate_status(new: ResourceClaim, old: ResourceClaim) -> list[FieldError]:
    """Validate an update of a ResourceClaim's status: its allocation, consumers and device states."""
    status, before = new.status, old.status
    allocated = allocated_devices(status.allocation)

    def device_rule(device: AllocatedDeviceStatus, path: FieldPath) -> list[FieldError]:
        return _device_status(device, path, allocated)

    consumers = _STATUS.child("reservedFor")
    errors = validate_each(status.reservedFor, _MOST_CONSUMERS, _consumer, consumers, lambda each: each.uid)
    errors += validate_each(status.devices, None, device_rule, _STATUS.child("devices"), device_id)
    if status.reservedFor and status.allocation is None:
        errors.append(forbidden(consumers, "may not be specified when `allocated` is not set"))
    elif new.metadata.deletionTimestamp is not None and any(c not in before.reservedFor for c in status.reservedFor):
        detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
        errors.append(forbidden(consumers, detail))
    path = _STATUS.child("allocation")
    if status.allocation is not None and before.allocation is not None:
        if status.allocation != before.allocation:
            errors.append(invalid(path, InternalValue(status.allocation), FIELD_IMMUTABLE))
    elif status.allocation is not None:
        errors += _allocation(status.allocation, path, request_names(new.spec.devices))
    return errors


def _consumer(consumer: ResourceClaimConsumerReference, path: FieldPath) -> list[FieldError]:
    return [required(path.child(name)) for name in ("resource", "name", "uid") if not getattr(consumer, name)]


def _allocation(allocation: AllocationResult, path: FieldPath, names: RequestNames) -> list[FieldError]:
    def result_rule(result: DeviceRequestAllocationResult, item: FieldPath) -> list[FieldError]:
        return _result(result, item, names)

    def configuration_rule(config: DeviceAllocationConfiguration, item: FieldPath) -> list[FieldError]:
        return _configuration(config, item, names)

    devices = path.child("devices")
    errors = validate_each(allocation.devices.results, _MOST_RESULTS, result_rule, devices.child("results"))
    # A status may have twice as many configurations as a claim, because it lists those of the device class too.
    most = 2 * MOST_CONFIGURATIONS
    errors += validate_each(allocation.devices.config, most, configuration_rule, devices.child("config"))
    if allocation.nodeSelector is not None:
        errors += validate_node_selector(allocation.nodeSelector, path.child("nodeSelector"))
    return errors


def _result(result: DeviceRequestAllocationResult, path: FieldPath, names: RequestNames) -> list[FieldError]:
    errors = validate_request_reference(result.request, path.child("request"), names)
    errors += _device_name(result, path)
    errors += validate_binding_conditions(result, path)
    return errors + (validate_uuid(result.shareID, path.child("shareID")) if result.shareID is not None else [])


def _device_name(device: DeviceRequestAllocationResult | AllocatedDeviceStatus, path: FieldPath) -> list[FieldError]:
    errors = validate_driver_name(device.driver, path.child("driver"))
    errors += validate_pool_name(device.pool, path.child("pool"))
    return errors + validate_label(device.device, path.child("device"))


def _configuration(config: DeviceAllocationConfiguration, path: FieldPath, names: RequestNames) -> list[FieldError]:
    errors: list[FieldError] = []
    if not config.source:
        errors.append(required(path.child("source")))
    elif config.source not in _SOURCES:
        errors.append(not_supported(path.child("source"), config.source, _SOURCES))
    errors += validate_request_references(config.requests, path.child("requests"), names)
    return errors + validate_opaque(config.opaque, path)


def _device_status(
    device: AllocatedDeviceStatus, path: FieldPath, allocated: Collection[InternalStruct]
) -> list[FieldError]:
    errors = _device_name(device, path)
    if device.shareID is not None:
        errors += validate_uuid(device.shareID, path.child("shareID"))
    if device_id(device) not in allocated:
        errors.append(invalid(path, InternalValue(device_id(device)), "must be an allocated device in the claim"))
    conditions = path.child("conditions")
    if len(device.conditions) > _MOST_CONDITIONS:
        errors.append(too_many(conditions, len(device.conditions), _MOST_CONDITIONS))
    errors += validate_conditions(device.conditions, conditions)
    if device.data is not None:
        errors += validate_object_data(device.data, path.child("data"))
    return errors + (_network(device.networkData, path.child("networkData")) if device.networkData else [])


def _network(data: NetworkDeviceData, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if len(data.interfaceName.encode()) > _MOST_INTERFACE_BYTES:
        errors.append(too_long(path.child("interfaceName"), _MOST_INTERFACE_BYTES))
    if len(data.hardwareAddress.encode()) > _MOST_HARDWARE_BYTES:
        errors.append(too_long(path.child("hardwareAddress"), _MOST_HARDWARE_BYTES))
    return errors + validate_each(data.ips, _MOST_ADDRESSES, _interface_address, path.child("ips"), str)


def _interface_address(text: str, path: FieldPath) -> list[FieldError]:
    """Return errors unless `text` is a canonical IP address with prefix length (``IsValidInterfaceAddress``)."""
    block = parse_cidr(text)
    if block is None:
        detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"
        return [invalid(path, text, detail)]
    usual = block.interface
    return [] if text == usual else [invalid(path, text, f"must be in canonical form ({quoted(usual)})")]
