"""Warnings about deprecated node labels (``pkg/api/node``)."""

from collections.abc import Iterable, Mapping
from typing import Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.names import is_label_value
from memkube.apis.core.v1.podspec.types.scheduling import NodeSelectorTerm

RETIRED_NODE_LABELS: Final[Mapping[str, str]] = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
"""Warning text of each deprecated node label."""


def node_term_warnings(term: NodeSelectorTerm, path: FieldPath, *, check_values: bool) -> Iterable[str]:
    """Warn about deprecated node labels in a node selector term.

    With `check_values`, also warn about invalid label values.
    """
    for index, expression in enumerate(term.matchExpressions):
        item = path.child("matchExpressions").item(index)
        if expression.key in RETIRED_NODE_LABELS:
            yield f"{item.child('key')}: {expression.key} is {RETIRED_NODE_LABELS[expression.key]}"
        for number, value in enumerate(expression.values if check_values else []):
            for error in is_label_value(value):
                yield f"{item.child('values').item(number)}: {value} is invalid, {error}"


def node_selector_warnings(selector: LabelSelector, path: FieldPath) -> Iterable[str]:
    """Warn about deprecated node labels in a node selector."""
    for index, expression in enumerate(selector.matchExpressions):
        if expression.key in RETIRED_NODE_LABELS:
            key_path = path.child("matchExpressions").item(index).child("key")
            yield f"{key_path}: {expression.key} is {RETIRED_NODE_LABELS[expression.key]}"
    for label in selector.matchLabels:
        if label in RETIRED_NODE_LABELS:
            yield f"{path.child('matchLabels').child(label)}: {RETIRED_NODE_LABELS[label]}"
