"""Table columns of HorizontalPodAutoscalers, of both API versions."""

from collections.abc import Callable, Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

_UNKNOWN: Final = "<unknown>"
_SHOWN: Final = 2
_FIELDS: Final = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def _cells(autoscaler: Document) -> Cells:
    spec, status = autoscaler["spec"], autoscaler["status"]
    reference, least = spec["scaleTargetRef"], spec.get("minReplicas")
    return [
        autoscaler["metadata"].get("name", ""),
        f"{reference['kind']}/{reference['name']}",
        _metrics(spec.get("metrics") or [], status.get("currentMetrics") or []),
        "<unset>" if least is None else str(least),
        spec["maxReplicas"],
        status.get("currentReplicas", 0),
        age(autoscaler),
    ]


def _metrics(specs: list[Document], statuses: list[Document]) -> str:
    """Return the table cell ``TARGETS``: current/target of the first two metrics, and the number of further metrics.

    `specs` are the metrics of the autoscaler's spec, and `statuses` are the metrics of its status.
    """
    if not specs:
        return "<none>"
    texts = [_metric(spec, statuses[i] if i < len(statuses) else {}) for i, spec in enumerate(specs)]
    shown = ", ".join(texts[:_SHOWN])
    return f"{shown} + {len(texts) - _SHOWN} more..." if len(texts) > _SHOWN else shown


def _metric(spec: Document, status: Document) -> str:
    source = _FIELDS.get(spec["type"])
    if source is None:
        return "<unknown type>"
    target = spec[source]["target"]
    seen = status.get(source)
    current = None if seen is None else seen.get("current", {})
    return _TEXTS[source](target, current, spec[source].get("name", ""))


_Values = Mapping[str, str | int]


def _of_one(target: _Values, current: _Values | None, name: str) -> str:
    """Return the current and the target value of an object or external metric, as ``current/target``.

    If the target is an average over the pods, the current value is an average too. `name` is ignored; it is a parameter
    because the functions in `_TEXTS` have the same parameters.
    """
    if "averageValue" in target:
        return f"{(current or {}).get('averageValue', _UNKNOWN)}/{target['averageValue']} (avg)"
    return f"{_quantity(current, 'value')}/{target.get('value', '<nil>')}"


def _of_pods(target: _Values, current: _Values | None, name: str) -> str:
    return f"{_quantity(current, 'averageValue')}/{target.get('averageValue', '<nil>')}"


def _of_resource(target: _Values, current: _Values | None, name: str) -> str:
    if "averageValue" in target:
        return f"{name}: {_quantity(current, 'averageValue')}/{target['averageValue']}"
    used, wanted = (current or {}).get("averageUtilization"), target.get("averageUtilization")
    return f"{name}: {_UNKNOWN if used is None else f'{used}%'}/{'<auto>' if wanted is None else f'{wanted}%'}"


def _quantity(current: _Values | None, name: str) -> str | int:
    return _UNKNOWN if current is None else current.get(name, "<nil>")


_TEXTS: Final[Mapping[str, Callable[[_Values, _Values | None, str], str]]] = {
    "external": _of_one,
    "object": _of_one,
    "pods": _of_pods,
    "resource": _of_resource,
    "containerResource": _of_resource,
}

PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Reference", "Kind and name of the scaled object."),
        column("Targets", "Current and target values of the metrics."),
        column("MinPods", "Minimum number of pods."),
        column("MaxPods", "Maximum number of pods."),
        column("Replicas", "Number of pods."),
        AGE,
    ),
    _cells,
)
