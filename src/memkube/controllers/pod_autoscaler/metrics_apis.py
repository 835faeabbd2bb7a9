"""Serves custom and external metrics as a metrics adapter does (``sigs.k8s.io/custom-metrics-apiserver``).

A metrics API is served while at least one value of its type is set, as if that installed an adapter.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from memkube.apimachinery import labels as label_selectors
from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import METRIC_VALUES
from memkube.controllers.pod_autoscaler.metric_values import metric_values
from memkube.registry.declarations.interface import CustomMetricQuery, MetricResource
from memkube.registry.declarations.request_options import ListOptions, Selection
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.time.clock import written_now

if TYPE_CHECKING:
    from memkube.controllers.pod_autoscaler.metric_values import MetricValue

CUSTOM: Final = "custom.metrics.k8s.io"
EXTERNAL: Final = "external.metrics.k8s.io"
_EVERYTHING: Final = "*"
_TYPES: Final = {CUSTOM: ("Pods", "Object"), EXTERNAL: ("External",)}
_VERSIONS: Final = {CUSTOM: ("v1beta2", "v1beta1"), EXTERNAL: ("v1beta1",)}

_EQUALS: Final = ("=", "==")
_OPERATORS: Final = {"in": "In", "notin": "NotIn", "!=": "NotIn", "exists": "Exists", "!": "DoesNotExist"}


class ServedMetrics:
    """Serves the metric values that users have set through the control API."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def versions(self) -> Mapping[str, Sequence[str]]:
        """Return the versions of each metrics API group that is served now."""
        saved = self._registry.shared_state.items(METRIC_VALUES)
        if not saved:
            return {}
        types = {value["type"] for value in saved.values()}
        return {group: _VERSIONS[group] for group, wanted in _TYPES.items() if not types.isdisjoint(wanted)}

    def resources(self, group: str) -> Sequence[MetricResource]:
        """Return the resources of a metrics API group, which are its metrics, sorted by name."""
        values = self._values(*_TYPES[group])
        if group == EXTERNAL:
            return [
                MetricResource(name, True, "ExternalMetricValueList") for name in sorted({v.metric for v in values})
            ]
        found = {
            MetricResource(f"{name}/{value.metric}", is_namespaced, "MetricValueList")
            for value in values
            for name, is_namespaced in [self._described(value)]
        }
        return sorted(found)

    async def custom(self, query: CustomMetricQuery) -> Document:
        """Return the values of a custom metric.

        Raises ApiError: 404 for an unknown metric, 400 for an invalid selector.
        """
        metric_labels, labels = _selector(query.metric_labels), _selector(query.labels)
        resource = self._resource(query.resource)
        values = [value for value in self._values("Pods", "Object") if value.metric == query.metric]
        values = [value for value in values if value.answers(_scope(query), metric_labels)]
        objects = [] if resource is None or not values else await self._objects(resource, query, labels)
        now = written_now(self._registry.clock)
        items = []
        for stored in objects:
            assert resource is not None
            value = next((each for each in values if _is_about(each, resource, stored)), None)
            if value is not None:
                measured = {"timestamp": now, "value": value.value}
                items.append({"describedObject": _reference(resource, stored), **_named(query, measured)})
        if not items:
            raise _unknown(query)
        return {"kind": "MetricValueList", "apiVersion": f"{CUSTOM}/{query.version}", "metadata": {}, "items": items}

    def external(self, namespace: str, metric: str, labels: str) -> Document:
        """Return the values of an external metric; empty for an unknown metric.

        Raises ApiError (400) for an invalid selector.
        """
        selector, now = _selector(labels), written_now(self._registry.clock)
        values = [each for each in self._values("External") if each.metric == metric]
        items = [
            {"metricName": metric, "metricLabels": each.labels, "timestamp": now, "value": each.value}
            for each in values
            if each.answers(namespace, selector)
        ]
        version = f"{EXTERNAL}/v1beta1"
        return {"kind": "ExternalMetricValueList", "apiVersion": version, "metadata": {}, "items": items}

    def _values(self, *types: str) -> "list[MetricValue]":

        return [value for value in metric_values(self._registry.shared_state).values() if value.type in types]

    def _described(self, value: "MetricValue") -> tuple[str, bool]:
        """Return the resource of the objects that a metric value is about, and whether they are namespaced."""
        if value.type == "Pods":
            return "pods", True
        of_kind = ((r.group, r.kind) == (value.group, value.kind) for r in self._registry.catalog)
        found = next((r for r, fits in zip(self._registry.catalog, of_kind, strict=True) if fits), None)
        return ("", False) if found is None else (_plural(found), found.namespaced)

    def _resource(self, name: str) -> Resource | None:
        return next((each for each in self._registry.catalog if _plural(each) == name and each.keeps_objects), None)

    async def _objects(
        self, resource: Resource, query: CustomMetricQuery, labels: LabelSelector
    ) -> Sequence[StoredObject]:
        store = self._registry.store(resource)
        if query.name != _EVERYTHING:
            try:
                return [await store.get(query.namespace, query.name)]
            except ApiError:
                return []
        return (await store.list(query.namespace, ListOptions(Selection(labels=labels)))).items


def _scope(query: CustomMetricQuery) -> str:
    """Return the namespace in which a custom metric is looked up.

    This is the namespace of the request. If the metric is about a Namespace, it is the name of this Namespace.
    """
    return query.name if query.resource == "namespaces" else query.namespace


def _selector(text: str) -> LabelSelector:
    try:
        return label_selectors.parse(text)
    except ValueError as error:
        raise bad_request(str(error)) from None


def _plural(resource: Resource) -> str:
    return f"{resource.plural}.{resource.group}" if resource.group else resource.plural


def _is_about(value: "MetricValue", resource: Resource, stored: StoredObject) -> bool:
    if value.type == "Pods":
        return resource.kind == "Pod" and not resource.group and value.pods.matches(stored.labels)
    return (value.group, value.kind, value.name) == (resource.group, resource.kind, stored.name)


def _reference(resource: Resource, stored: StoredObject) -> Document:
    namespace = {"namespace": stored.namespace} if stored.namespace else {}
    # For the core group, the result begins with a slash (``/v1``), as metrics adapters write it.
    version = f"{resource.group}/{resource.version}"
    return {"kind": resource.kind, **namespace, "name": stored.name, "apiVersion": version}


def _named(query: CustomMetricQuery, measured: Document) -> Document:
    selector = _written(query.metric_labels)
    if query.version == "v1beta1":
        return {"metricName": query.metric, **measured, "selector": selector}
    return {"metric": {"name": query.metric, "selector": selector}, **measured}


def _written(selector: str) -> Document | None:
    """Convert `selector`, a metric's label selector in the query of a request, to a LabelSelector; None if empty."""
    requirements = _selector(selector).requirements
    if not requirements:
        return None
    equal = {one.key: one.values[0] for one in requirements if one.operator in _EQUALS}
    others = [
        {"key": one.key, "operator": _OPERATORS[one.operator], **({"values": sorted(one.values)} if one.values else {})}
        for one in requirements
        if one.operator in _OPERATORS
    ]
    return {**({"matchLabels": equal} if equal else {}), **({"matchExpressions": others} if others else {})}


def _unknown(query: CustomMetricQuery) -> ApiError:
    about = query.resource if query.name == _EVERYTHING else f"{query.resource} {query.name}"
    return ApiError(404, "NotFound", f"the server could not find the metric {query.metric} for {about}")
