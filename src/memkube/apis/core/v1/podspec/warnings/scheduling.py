"""Warnings about labels of nodes that have newer names, and about selectors that select nothing."""

from collections.abc import Iterable, Mapping
from typing import Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.names import is_label_value
from memkube.apis.core.v1.podspec.types.affinity import (
    Affinity,
    NodeSelectorTerm,
    PodAffinity,
    PodAntiAffinity,
)
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.affinity import PREFERRED, REQUIRED

_NULL_SELECTOR: Final = "a null labelSelector results in matching no pod"
_RETIRED_LABELS: Final[Mapping[str, str]] = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}


def node_warnings(spec: PodSpec, path: FieldPath) -> Iterable[str]:
    """About how the spec chooses nodes and topologies."""
    for label in spec.nodeSelector:
        if label in _RETIRED_LABELS:
            yield f"{path.child('nodeSelector').key(label)}: {_RETIRED_LABELS[label]}"
    if spec.affinity is not None:
        yield from _node_affinity_warnings(spec.affinity, path.child("affinity").child("nodeAffinity"))
    for index, constraint in enumerate(spec.topologySpreadConstraints):
        item = path.child("topologySpreadConstraints").item(index)
        if constraint.topologyKey in _RETIRED_LABELS:
            retired = _RETIRED_LABELS[constraint.topologyKey]
            yield f"{item.child('topologyKey')}: {constraint.topologyKey} is {retired}"
        if constraint.labelSelector is None:
            yield f"{item.child('labelSelector')}: {_NULL_SELECTOR}"


def pod_affinity_warnings(affinity: Affinity | None, path: FieldPath) -> Iterable[str]:
    """About how the spec chooses the company of other pods."""
    if affinity is None:
        return
    if affinity.podAffinity is not None:
        yield from _null_selectors(affinity.podAffinity, path.child("podAffinity"))
    if affinity.podAntiAffinity is not None:
        yield from _null_selectors(affinity.podAntiAffinity, path.child("podAntiAffinity"))


def _node_affinity_warnings(affinity: Affinity, path: FieldPath) -> Iterable[str]:
    nodes = affinity.nodeAffinity
    if nodes is None:
        return
    if nodes.requiredDuringSchedulingIgnoredDuringExecution is not None:
        terms_path = path.child(REQUIRED).child("nodeSelectorTerms")
        for index, term in enumerate(nodes.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms):
            yield from _term_warnings(term, terms_path.item(index), check_values=False)
    for index, preferred in enumerate(nodes.preferredDuringSchedulingIgnoredDuringExecution):
        preference_path = path.child(PREFERRED).item(index).child("preference")
        yield from _term_warnings(preferred.preference, preference_path, check_values=True)


def _term_warnings(term: NodeSelectorTerm, path: FieldPath, *, check_values: bool) -> Iterable[str]:
    for index, expression in enumerate(term.matchExpressions):
        item = path.child("matchExpressions").item(index)
        if expression.key in _RETIRED_LABELS:
            yield f"{item.child('key')}: {expression.key} is {_RETIRED_LABELS[expression.key]}"
        for number, value in enumerate(expression.values if check_values else []):
            for error in is_label_value(value):
                yield f"{item.child('values').item(number)}: {value} is invalid, {error}"


def _null_selectors(affinity: PodAffinity | PodAntiAffinity, path: FieldPath) -> Iterable[str]:
    for index, term in enumerate(affinity.requiredDuringSchedulingIgnoredDuringExecution):
        if term.labelSelector is None:
            yield f"{path.child(REQUIRED).item(index).child('labelSelector')}: {_NULL_SELECTOR}"
    for index, weighted in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        if weighted.podAffinityTerm.labelSelector is None:
            term_path = path.child(PREFERRED).item(index).child("podAffinityTerm")
            yield f"{term_path.child('labelSelector')}: {_NULL_SELECTOR}"
