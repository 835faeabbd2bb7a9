"""Completing selectors with the values that the pod's own labels have (KEP-3243, KEP-3633)."""

from collections.abc import Iterable, Mapping

from memkube.apimachinery.meta.v1.selectors import LabelSelector, LabelSelectorRequirement
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.apis.core.v1.podspec.types.affinity import Affinity, PodAffinityTerm


def complete_selectors(pod: Pod) -> None:
    """Adds to each selector a requirement for each label key that it is to take from the pod."""
    labels = pod.metadata.labels
    if pod.spec.affinity is not None:
        for term in _terms(pod.spec.affinity):
            if term.labelSelector is not None:
                _require(term.labelSelector, term.matchLabelKeys, "In", labels)
                _require(term.labelSelector, term.mismatchLabelKeys, "NotIn", labels)
    for constraint in pod.spec.topologySpreadConstraints:
        if constraint.labelSelector is not None:
            _require(constraint.labelSelector, constraint.matchLabelKeys, "In", labels)


def _terms(affinity: Affinity) -> Iterable[PodAffinityTerm]:
    for pods in (affinity.podAffinity, affinity.podAntiAffinity):
        if pods is not None:
            yield from (weighted.podAffinityTerm for weighted in pods.preferredDuringSchedulingIgnoredDuringExecution)
            yield from pods.requiredDuringSchedulingIgnoredDuringExecution


def _require(selector: LabelSelector, keys: Iterable[str], operator: str, labels: Mapping[str, str]) -> None:
    selector.matchExpressions += [
        LabelSelectorRequirement(key=key, operator=operator, values=[labels[key]]) for key in keys if key in labels
    ]
