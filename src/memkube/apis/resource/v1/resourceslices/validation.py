"""Validation of ResourceSlices and their devices (``pkg/apis/resource/validation``)."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    invalid,
    not_supported,
    required,
    too_many,
)
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue, given
from memkube.apis.core.v1.podspec.types.scheduling import NodeSelector
from memkube.apis.core.v1.podspec.validation.scheduling import validate_node_selector
from memkube.apis.core.v1.podspec.validation.volume_sources import validate_driver_name
from memkube.apis.resource.v1.device_rules import (
    TAINT_EFFECTS,
    validate_binding_conditions,
    validate_each,
    validate_label,
    validate_label_value,
    validate_pool_name,
    validate_qualified_name,
)
from memkube.apis.resource.v1.resourceslices.amounts import (
    validate_attribute,
    validate_shared_capacity,
    validate_whole_capacity,
)
from memkube.apis.resource.v1.resourceslices.types import (
    Counter,
    CounterSet,
    Device,
    DeviceCounterConsumption,
    DeviceTaint,
    ResourcePool,
    ResourceSliceSpec,
)

V = TypeVar("V")

_MOST_DEVICES: Final = 128
_MOST_ADVANCED_DEVICES: Final = 64
_MOST_COUNTER_SETS: Final = 8
_MOST_COUNTERS: Final = 32
_MOST_CONSUMPTIONS: Final = 2
_MOST_NAMES: Final = 32
_MOST_ATTRIBUTE_VALUES: Final = 48
_MOST_TAINTS: Final = 16
_LONGEST_NAME: Final = 96
_LONGEST_COUNTER: Final = 63
_UNSET_OR_TRUE: Final = "must be either unset or set to true"


def validate_spec(spec: ResourceSliceSpec, old: ResourceSliceSpec | None) -> list[FieldError]:
    """Validate the spec of a ResourceSlice: driver, pool, nodes, and the devices or shared counters.

    `old` is the spec before an update; None for a new ResourceSlice. Driver, pool name and node name are immutable.
    """
    path = FieldPath("spec")
    errors = validate_driver_name(spec.driver, path.child("driver")) + _pool(spec.pool, path.child("pool"))
    if old is not None:
        errors += validate_immutable(spec.pool.name, old.pool.name, path.child("pool").child("name"))
        errors += validate_immutable(spec.driver, old.driver, path.child("driver"))
        errors += validate_immutable(spec.nodeName, old.nodeName, path.child("nodeName"))
    errors += _slice_nodes(spec, path)
    if given(spec, "sharedCounters") is not None and given(spec, "devices") is not None:
        errors.append(invalid(path, "", "only one of `sharedCounters` or `devices` is allowed"))
    before = {device.name: device for device in reversed(old.devices)} if old is not None else {}

    def device_rule(device: Device, item: FieldPath) -> list[FieldError]:
        return _device(device, before.get(device.name), item, placed=bool(spec.perDeviceNodeSelection))

    is_advanced = any(device.taints or device.consumesCounters for device in spec.devices)
    most = _MOST_ADVANCED_DEVICES if is_advanced else _MOST_DEVICES
    errors += validate_each(spec.devices, most, device_rule, path.child("devices"), lambda device: device.name)
    sets = path.child("sharedCounters")
    return errors + validate_each(spec.sharedCounters, _MOST_COUNTER_SETS, _counter_set, sets, lambda each: each.name)


def _pool(pool: ResourcePool, path: FieldPath) -> list[FieldError]:
    errors = validate_pool_name(pool.name, path.child("name"))
    if pool.resourceSliceCount <= 0:
        errors.append(invalid(path.child("resourceSliceCount"), pool.resourceSliceCount, "must be greater than zero"))
    if pool.generation < 0:
        detail = "must be greater than or equal to zero"
        errors.append(invalid(path.child("generation"), pool.generation, detail))
    return errors


def _slice_nodes(spec: ResourceSliceSpec, path: FieldPath) -> list[FieldError]:
    """Return the errors in the fields of a slice that say on which nodes its devices are available.

    Exactly one of them must be set; `perDeviceNodeSelection` leaves the choice to each device.
    """
    places, errors = _node_fields(spec, path, "must be either unset or set to a non-empty string", single_term=True)
    if spec.perDeviceNodeSelection:
        places.append("`perDeviceNodeSelection`")
    elif spec.perDeviceNodeSelection is not None:
        errors.append(invalid(path.child("perDeviceNodeSelection"), False, _UNSET_OR_TRUE))
    rule = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
    return errors + _exactly_one(places, path, rule, f"{rule}, but multiple fields are set")


def _node_fields(
    owner: ResourceSliceSpec | Device, path: FieldPath, nameless: str, *, single_term: bool = False
) -> tuple[list[str], list[FieldError]]:
    """Validate nodeName, nodeSelector and allNodes of a slice or device.

    Returns the names of those fields that are set, and the errors. `nameless` is the error message for an empty
    nodeName. If `single_term` is True, the selector must have exactly one term.
    """
    places: list[str] = []
    errors: list[FieldError] = []
    if owner.nodeName:
        places.append("`nodeName`")
        errors += [invalid(path.child("nodeName"), owner.nodeName, error) for error in subdomain_name(owner.nodeName)]
    elif owner.nodeName is not None:
        errors.append(invalid(path.child("nodeName"), "", nameless))
    if owner.nodeSelector is not None:
        places.append("`nodeSelector`")
        errors += validate_node_selector(owner.nodeSelector, path.child("nodeSelector"))
        errors += _single_term(owner.nodeSelector, path.child("nodeSelector")) if single_term else []
    if owner.allNodes:
        places.append("`allNodes`")
    elif owner.allNodes is not None:
        errors.append(invalid(path.child("allNodes"), False, _UNSET_OR_TRUE))
    return places, errors


def _single_term(selector: NodeSelector, path: FieldPath) -> list[FieldError]:
    if len(selector.nodeSelectorTerms) == 1:
        return []
    terms = given(selector, "nodeSelectorTerms")
    shown_terms = InternalValue(terms) if terms else terms
    return [invalid(path.child("nodeSelectorTerms"), shown_terms, "must have exactly one node selector term")]


def _exactly_one(places: list[str], path: FieldPath, none: str, several: str) -> list[FieldError]:
    if not places:
        return [required(path, none)]
    return [invalid(path, f"{{{', '.join(places)}}}", several)] if len(places) > 1 else []


def _device(device: Device, old: Device | None, path: FieldPath, *, placed: bool) -> list[FieldError]:
    errors = validate_label(device.name, path.child("name"))
    count = len(device.attributes) + len(device.capacity)
    if count > _MOST_NAMES:
        detail = f"the total number of attributes and capacities must not exceed {_MOST_NAMES}"
        errors.append(invalid(path, count, detail))
    if len(device.attributes) > _MOST_ATTRIBUTE_VALUES:
        detail = f"the total number of attribute values must not exceed {_MOST_ATTRIBUTE_VALUES}"
        errors.append(invalid(path, len(device.attributes), detail))
    errors += _each_named(
        device.attributes, validate_qualified_name, validate_attribute, path.child("attributes"), _LONGEST_NAME
    )
    rule = validate_shared_capacity if device.allowMultipleAllocations else validate_whole_capacity
    errors += _each_named(device.capacity, validate_qualified_name, rule, path.child("capacity"), _LONGEST_NAME)
    if old is None or device.taints != old.taints:
        errors += validate_each(device.taints, _MOST_TAINTS, _taint, path.child("taints"))
    consumptions = path.child("consumesCounters")
    errors += validate_each(
        device.consumesCounters, _MOST_CONSUMPTIONS, _consumption, consumptions, lambda each: each.counterSet
    )
    errors += _device_nodes(device, path, placed=placed)
    return errors + validate_binding_conditions(device, path)


def _device_nodes(device: Device, path: FieldPath, *, placed: bool) -> list[FieldError]:
    """Return the errors in the fields of a device that say on which nodes it is available.

    Exactly one of them must be set if `placed` is True; otherwise, none may be set.
    """
    if placed:
        places, errors = _node_fields(device, path, "must not be empty")
        rule = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is "
        rule += "set to true in the ResourceSlice spec"
        return errors + _exactly_one(places, path, rule, rule)
    if device.nodeName is None and device.nodeSelector is None and device.allNodes is None:
        return []
    detail = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in "
    return [invalid(path, None, detail + "the ResourceSlice spec")]


def _taint(taint: DeviceTaint, path: FieldPath) -> list[FieldError]:
    errors = validate_label_name(taint.key, path.child("key"))
    errors += validate_label_value(taint.value, path.child("value"))
    if not taint.effect:
        errors.append(required(path.child("effect")))
    elif taint.effect not in TAINT_EFFECTS:
        errors.append(not_supported(path.child("effect"), taint.effect, TAINT_EFFECTS))
    return errors


def _counter_set(counters: CounterSet, path: FieldPath) -> list[FieldError]:
    return _counters(counters.name, path.child("name"), counters.counters, path)


def _consumption(consumption: DeviceCounterConsumption, path: FieldPath) -> list[FieldError]:
    return _counters(consumption.counterSet, path.child("counterSet"), consumption.counters, path)


def _counters(name: str, name_path: FieldPath, counters: Mapping[str, Counter], path: FieldPath) -> list[FieldError]:
    errors = validate_label(name, name_path) if name else [required(name_path)]
    path = path.child("counters")
    if not counters:
        return [*errors, required(path)]
    if len(counters) > _MOST_COUNTERS:
        return [*errors, too_many(path, len(counters), _MOST_COUNTERS)]
    return errors + _each_named(counters, validate_label, lambda counter, item: [], path, _LONGEST_COUNTER)


def _each_named(
    values: Mapping[str, V],
    name_rule: Callable[[str, FieldPath], list[FieldError]],
    rule: Callable[[V, FieldPath], list[FieldError]],
    path: FieldPath,
    longest: int,
) -> list[FieldError]:
    """Return the errors in the names and in the values of the map `values`, which is at `path`.

    `name_rule` gets a name and the path of the map. `rule` gets a value and the value's path; in this path, the middle
    of a name that is longer than `longest` is replaced by dots. Both functions return the errors. The errors are in the
    order of the map, whereas kube-apiserver's order is random.
    """
    errors: list[FieldError] = []
    for name, value in values.items():
        errors += name_rule(name, path)
        errors += rule(value, path.key(_shortened(name, longest)))
    return errors


def _shortened(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    kept = longest - len("...")
    return f"{name[: (kept + 1) // 2]}...{name[len(name) - kept // 2 :]}"
