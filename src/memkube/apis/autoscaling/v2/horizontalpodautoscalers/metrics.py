"""Validation of metrics and of object references of HorizontalPodAutoscalers.

Source: ``pkg/apis/autoscaling/validation``.
"""

from collections.abc import Callable
from typing import Any, Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    invalid_typed,
    not_supported,
    required,
)
from memkube.apimachinery.names import is_dns1123_label, is_path_segment_name
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import (
    ContainerResourceMetricSource,
    CrossVersionObjectReference,
    ExternalMetricSource,
    HorizontalPodAutoscalerSpec,
    MetricIdentifier,
    MetricSpec,
    MetricTarget,
    ObjectMetricSource,
    PodsMetricSource,
    ResourceMetricSource,
)
from memkube.apis.core.v1.podspec.validation.resources import validate_container_resource_name

_TYPES: Final = ("ContainerResource", "External", "Object", "Pods", "Resource")
_TARGET_TYPES: Final = ("Utilization", "Value", "AverageValue")
_FIELDS: Final = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_UNSAID: Final = "must populate information for the given metric source"


def validate_metrics(spec: HorizontalPodAutoscalerSpec, path: FieldPath, *, any_api_version: bool) -> list[FieldError]:
    """Validate the metrics of an autoscaler: each has exactly one source.

    Scaling to zero requires an Object or External metric. If `any_api_version` is True, the objects that Object metrics
    refer to may have an invalid apiVersion.
    """
    errors: list[FieldError] = []
    for index, metric in enumerate(spec.metrics):
        errors += _metric_errors(metric, path.item(index), any_api_version=any_api_version)
    if spec.minReplicas == 0 and not any(metric.type in ("Object", "External") for metric in spec.metrics):
        why = "must specify at least one Object or External metric to support scaling to zero replicas"
        errors.append(forbidden(path, why))
    return errors


def has_invalid_references(spec: HorizontalPodAutoscalerSpec) -> bool:
    """True if an object metric refers to an object with an invalid apiVersion."""
    described = [m.object.describedObject for m in spec.metrics if m.type == "Object" and m.object is not None]
    return any(api_version_problem(reference.apiVersion) for reference in described)


def validate_reference(
    reference: CrossVersionObjectReference, path: FieldPath, problem: Callable[[str], str]
) -> list[FieldError]:
    """Validate that an object reference has a kind and a name, and a valid apiVersion.

    The function `problem` gets the apiVersion and returns the reason why it is invalid; "" if it is valid.
    """
    errors: list[FieldError] = []
    for name in ("kind", "name"):
        value = getattr(reference, name)
        errors += _name_errors(value, path.child(name))
    why = problem(reference.apiVersion)
    return errors + ([invalid(path.child("apiVersion"), reference.apiVersion, why)] if why else [])


def api_version_problem(api_version: str, *, needs_group: bool = False) -> str:
    """Return the reason why an apiVersion is invalid, or "". With `needs_group`, a valid apiVersion has a group."""
    if api_version.count("/") > 1:
        return f"unexpected GroupVersion string: {api_version}"
    group = api_version.partition("/")[0] if "/" in api_version else ""
    return "apiVersion must specify API group" if needs_group and not group else ""


def no_problem(api_version: str) -> str:
    """Return "", so that `validate_reference` with this function as `problem` accepts any apiVersion."""
    return ""


def _name_errors(name: str, path: FieldPath, detail: str = "") -> list[FieldError]:
    if not name:
        return [required(path, detail)]
    return [invalid(path, name, message) for message in is_path_segment_name(name)]


def _metric_errors(metric: MetricSpec, path: FieldPath, *, any_api_version: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    unsupported = not_supported(path.child("type"), metric.type, _TYPES)
    if not metric.type:
        errors.append(required(path.child("type"), "must specify a metric source type"))
    if metric.type not in _TYPES:
        errors.append(unsupported)
    present = [name for name in _FIELDS.values() if getattr(metric, name) is not None]
    if present:
        problem = no_problem if any_api_version else api_version_problem
        errors += _source_errors(getattr(metric, present[0]), path.child(present[0]), problem)
    expected = _FIELDS.get(metric.type)
    if expected is None:
        errors.append(unsupported)
    elif expected not in present:
        errors.append(required(path.child(expected), _UNSAID))
    if len(present) > 1:
        others = (name for name in present if name != expected)
        errors += [forbidden(path.child(name), "must populate the given metric source only") for name in others]
    return errors


def _source_errors(source: Any, path: FieldPath, problem: Callable[[str], str]) -> list[FieldError]:
    errors: list[FieldError] = []
    match source:
        case ObjectMetricSource():
            errors += validate_reference(source.describedObject, path.child("describedObject"), problem)
            errors += _identifier_errors(source.metric, path.child("metric"))
        case ExternalMetricSource() | PodsMetricSource():
            errors += _identifier_errors(source.metric, path.child("metric"))
        case ContainerResourceMetricSource():
            errors += _container_errors(source, path)
        case ResourceMetricSource() if not source.name:
            errors.append(required(path.child("name"), "must specify a resource name"))
    errors += _target_errors(source.target, path.child("target"))
    return errors + _value_errors(source, source.target, path.child("target"))


def _identifier_errors(metric: MetricIdentifier, path: FieldPath) -> list[FieldError]:
    return _name_errors(metric.name, path.child("name"), "must specify a metric name")


def _container_errors(source: ContainerResourceMetricSource, path: FieldPath) -> list[FieldError]:
    name, container = path.child("name"), path.child("container")
    if source.name:
        errors = validate_container_resource_name(source.name, name)
    else:
        errors = [required(name, "must specify a resource name")]
    if not source.container:
        return [*errors, required(container, "must specify a container")]
    return errors + [invalid(container, source.container, message) for message in is_dns1123_label(source.container)]


def _target_errors(target: MetricTarget, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if not target.type:
        errors.append(required(path.child("type"), "must specify a metric target type"))
    if target.type not in _TARGET_TYPES:
        errors.append(
            invalid_typed(path.child("type"), target.type, "must be either Utilization, Value, or AverageValue")
        )
    for name in ("value", "averageValue"):
        quantity = getattr(target, name)
        if quantity is not None and quantity.nano <= 0:
            errors.append(invalid(path.child(name), quantity, "must be positive"))
    if target.averageUtilization is not None and target.averageUtilization < 1:
        errors.append(invalid(path.child("averageUtilization"), target.averageUtilization, "must be greater than 0"))
    return errors


def _value_errors(source: Any, target: MetricTarget, path: FieldPath) -> list[FieldError]:
    """Return errors if the target of a metric does not have the values that the metric's source requires.

    For example, the target of a Pods metric needs an averageValue, and the target of an External metric needs either a
    value or an averageValue. `path` is the field path of the target.
    """
    average, errors = path.child("averageValue"), []
    has_average, has_value = target.averageValue is not None, target.value is not None
    match source:
        case ObjectMetricSource() if not has_value and not has_average:
            errors.append(required(average, "must set either a target value or averageValue"))
        case ExternalMetricSource() if not has_value and not has_average:
            errors.append(required(average, "must set either a target value for metric or a per-pod target"))
        case ExternalMetricSource() if has_value and has_average:
            why = "may not set both a target value for metric and a per-pod target"
            errors.append(forbidden(path.child("value"), why))
        case PodsMetricSource() if not has_average:
            errors.append(required(average, "must specify a positive target averageValue"))
        case ResourceMetricSource() | ContainerResourceMetricSource():
            utilization = path.child("averageUtilization")
            if target.averageUtilization is None and not has_average:
                errors.append(required(utilization, "must set either a target raw value or a target utilization"))
            if target.averageUtilization is not None and has_average:
                errors.append(forbidden(average, "may not set both a target raw value and a target utilization"))
    return errors
