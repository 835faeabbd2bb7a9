"""Conversion of HorizontalPodAutoscalers between autoscaling/v1 and v2, the version in which they are stored.

In v1, annotations hold the fields that exist only in v2 (``pkg/apis/autoscaling/v1/conversion.go``). Unreadable
annotations are ignored.
"""

from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

import orjson
from pydantic import Field

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.managed_fields import OtherVersion, UnfitForVersionError
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.schema import ListSchema, Schema, StructSchema, struct_of
from memkube.apimachinery.shown_values import internal_form, versioned_form
from memkube.apis.autoscaling.v1.horizontalpodautoscalers.metric_statuses import MetricStatus
from memkube.apis.autoscaling.v1.horizontalpodautoscalers.metrics import MetricSpec
from memkube.apis.autoscaling.v1.horizontalpodautoscalers.types import (
    CrossVersionObjectReference,
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerSpec,
    HorizontalPodAutoscalerStatus,
)
from memkube.apis.autoscaling.v2.horizontalpodautoscalers import types as newer
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.columns import PRINTER as NEWER_PRINTER
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.defaults import (
    CPU_UTILIZATION,
    cpu_utilization,
    default_autoscaler,
)
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.resource import (
    BEHAVIOR,
    CONDITIONS,
    CURRENT_METRICS,
    METRICS,
    ROUND_TRIP,
)
from memkube.registry.declarations.table import CellPrinter, Cells
from memkube.registry.objects.conversion import each

API_VERSION: Final = "autoscaling/v1"
_NEWER_API_VERSION: Final = "autoscaling/v2"
_SAME: Final = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")
M = TypeVar("M", bound=ApiModel)


class _Metrics(ApiModel):
    items: list[MetricSpec] = Field(default_factory=list)


class _MetricStatuses(ApiModel):
    items: list[MetricStatus] = Field(default_factory=list)


class _Conditions(ApiModel):
    items: list[newer.HorizontalPodAutoscalerCondition] = Field(default_factory=list)


class _Annotation(Generic[M]):
    """Reads one annotation of an autoscaler, whose value is JSON, as an instance of `model`.

    With `is_list`, the JSON value is a list, which becomes the field `items` of the instance.
    """

    def __init__(self, name: str, model: type[M], *, is_list: bool = True) -> None:
        self._name = name
        self._form = ModelForm(model)
        self._is_list = is_list

    def read(self, annotations: dict[str, str]) -> M | None:
        """Parse the value of this annotation in an autoscaler's annotations.

        Returns None if the annotation is missing or malformed.
        """
        if self._name not in annotations:
            return None
        try:
            data = orjson.loads(annotations[self._name])
            document = {"items": data} if self._is_list else data
            return self._form.decode(_with_exact_names(self._form.struct, document)).value
        except (ValueError, DecodeError):
            return None


_METRICS: Final = _Annotation(METRICS, _Metrics)
_SEEN: Final = _Annotation(CURRENT_METRICS, _MetricStatuses)
_CONDITIONS: Final = _Annotation(CONDITIONS, _Conditions)
_BEHAVIOR: Final = _Annotation(BEHAVIOR, newer.HorizontalPodAutoscalerBehavior, is_list=False)


def _with_exact_names(schema: Schema, value: Any) -> Any:
    """Return a JSON value with the field names spelled as in `schema`, because Go ignores the case of names.

    Fields that the schema does not have are dropped.
    """
    if isinstance(schema, ListSchema) and isinstance(value, list):
        return [_with_exact_names(schema.items, item) for item in value]
    if not isinstance(schema, StructSchema) or not isinstance(value, dict):
        return value
    names = {name.lower(): name for name in schema.fields}
    known = ((names[key.lower()], item) for key, item in value.items() if key.lower() in names)
    return {name: _with_exact_names(schema.fields[name].schema, item) for name, item in known}


def to_newer(autoscaler: HorizontalPodAutoscaler) -> newer.HorizontalPodAutoscaler:
    """Convert an autoscaler from autoscaling/v1 to v2.

    The result shares no mutable value with the original.
    """
    spec, annotations = autoscaler.spec, autoscaler.metadata.annotations
    written, behavior = _METRICS.read(annotations), _BEHAVIOR.read(annotations)
    metrics = [metric.converted() for metric in written.items] if written is not None else []
    if spec.targetCPUUtilizationPercentage is not None:
        metrics.append(cpu_utilization(spec.targetCPUUtilizationPercentage))
    has_behavior = behavior is not None and behavior != newer.HorizontalPodAutoscalerBehavior()
    metadata = autoscaler.metadata.model_copy()
    metadata.annotations = {name: text for name, text in annotations.items() if name not in ROUND_TRIP}
    target = spec.scaleTargetRef
    return newer.HorizontalPodAutoscaler(
        kind=autoscaler.kind,
        apiVersion=_NEWER_API_VERSION,
        metadata=metadata,
        spec=newer.HorizontalPodAutoscalerSpec(
            scaleTargetRef=newer.CrossVersionObjectReference(**target.__dict__),
            minReplicas=spec.minReplicas,
            maxReplicas=spec.maxReplicas,
            metrics=metrics or [cpu_utilization(CPU_UTILIZATION)],
            behavior=behavior if has_behavior else None,
        ),
        status=_newer_status(autoscaler.status, annotations),
    )


def _newer_status(
    status: HorizontalPodAutoscalerStatus, annotations: dict[str, str]
) -> newer.HorizontalPodAutoscalerStatus:
    seen, conditions = _SEEN.read(annotations), _CONDITIONS.read(annotations)
    utilization, metrics = status.currentCPUUtilizationPercentage, []
    if seen is not None:
        metrics = [metric.converted() for metric in seen.items]
    elif utilization is not None:
        current = newer.MetricValueStatus(averageUtilization=utilization)
        resource = newer.ResourceMetricStatus(name="cpu", current=current)
        metrics = [newer.MetricStatus(type="Resource", resource=resource)]
    return newer.HorizontalPodAutoscalerStatus(
        **{name: getattr(status, name) for name in _SAME},
        currentMetrics=metrics,
        conditions=[] if conditions is None else conditions.items,
    )


def from_newer(autoscaler: newer.HorizontalPodAutoscaler) -> HorizontalPodAutoscaler:
    """Convert an autoscaler from autoscaling/v2 to v1."""
    spec, status = autoscaler.spec, autoscaler.status
    cpu = [metric.resource.target for metric in spec.metrics if metric.resource is not None and _is_cpu(metric)]
    seen = [
        metric.resource.current.averageUtilization
        for metric in status.currentMetrics
        if metric.type == "Resource" and metric.resource is not None and metric.resource.name == "cpu"
    ]
    metadata = autoscaler.metadata.model_copy()
    metadata.annotations = _annotations(autoscaler)
    return HorizontalPodAutoscaler(
        kind=autoscaler.kind,
        apiVersion=API_VERSION,
        metadata=metadata,
        spec=HorizontalPodAutoscalerSpec(
            scaleTargetRef=CrossVersionObjectReference(**spec.scaleTargetRef.__dict__),
            minReplicas=spec.minReplicas,
            maxReplicas=spec.maxReplicas,
            targetCPUUtilizationPercentage=cpu[0].averageUtilization if cpu else None,
        ),
        status=HorizontalPodAutoscalerStatus(
            **{name: getattr(status, name) for name in _SAME},
            currentCPUUtilizationPercentage=next((u for u in reversed(seen) if u is not None), None),
        ),
    )


def _is_cpu(metric: newer.MetricSpec) -> bool:
    resource = metric.resource
    if metric.type != "Resource" or resource is None or resource.name != "cpu":
        return False
    return resource.target.averageUtilization is not None


def _annotations(autoscaler: newer.HorizontalPodAutoscaler) -> dict[str, str]:
    """Return the annotations of an autoscaler in v1, including those that hold fields which only v2 has."""
    spec, status = autoscaler.spec, autoscaler.status
    annotations = {name: text for name, text in autoscaler.metadata.annotations.items() if name not in ROUND_TRIP}
    others = [MetricSpec.of(metric) for metric in spec.metrics if not _is_cpu(metric)]
    values = (
        (METRICS, others),
        (CURRENT_METRICS, [MetricStatus.of(metric) for metric in status.currentMetrics]),
        (CONDITIONS, status.conditions),
    )
    annotations |= {name: _written(models) for name, models in values if models}
    if spec.behavior is not None:
        annotations[BEHAVIOR] = to_json(internal_form(spec.behavior)).decode()
    return annotations


def _written(models: Sequence[ApiModel]) -> str:
    return to_json([versioned_form(model) for model in models]).decode()


def _newer_of_merged(document: Document) -> Document:
    return to_newer(_fitted(HorizontalPodAutoscaler, document)).to_document()


def _older_of_merged(document: Document) -> Document:
    return from_newer(_fitted(newer.HorizontalPodAutoscaler, document)).to_document()


def _fitted(model: type[M], document: Document) -> M:
    """Decode an autoscaler that server-side apply has merged, and return it as an instance of `model`.

    The merged `document` may contain null, and values in other notations than the stored form. Raises
    UnfitForVersionError for a value that does not have the type of its field.
    """
    try:
        return ModelForm(model).convert(document).value
    except DecodeError as error:
        raise UnfitForVersionError(error.message) from None


def _stored(document: Document) -> Document:
    autoscaler = to_newer(HorizontalPodAutoscaler.from_document(document))
    default_autoscaler(autoscaler)
    return autoscaler.to_document()


def _served(document: Document) -> Document:
    return from_newer(newer.HorizontalPodAutoscaler.from_document(document)).to_document()


def _cells(document: Document) -> Cells:
    return list(NEWER_PRINTER.cells(document if document["apiVersion"] == _NEWER_VERSION else _stored(document)))


_NEWER_VERSION: Final = "autoscaling/v2"
NEWER: Final = OtherVersion(struct_of(newer.HorizontalPodAutoscaler), _newer_of_merged, _older_of_merged)
OLDER: Final = OtherVersion(struct_of(HorizontalPodAutoscaler), _older_of_merged, _newer_of_merged)
TO_NEWER: Final = each(_stored)
FROM_NEWER: Final = each(_served)
PRINTER: Final = CellPrinter(NEWER_PRINTER.columns, _cells)
