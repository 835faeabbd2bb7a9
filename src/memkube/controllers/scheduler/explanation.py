"""Explains the scheduling of one pod: the result of each scheduler plugin for each node."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.controllers.scheduler.decision import best_of
from memkube.controllers.scheduler.filtering import Filtering, FitError
from memkube.controllers.scheduler.framework import Impossible, PluginError, Rejection, SchedulingContext
from memkube.controllers.scheduler.node_info import NodeInfo

_WITH_NOMINATED: Final = " (if the pods that are nominated to the node run there)"


class PluginRejection(NamedTuple):
    """Reasons for which one filter plugin rejects a node, as kube-scheduler writes them."""

    plugin: str
    reasons: Sequence[str]


class PluginScore(NamedTuple):
    """Score that one score plugin gives to a node, multiplied by the weight of the plugin."""

    plugin: str
    score: int


class NodeVerdict(NamedTuple):
    """Results of all scheduler plugins for one node."""

    node: str
    rejections: Sequence[PluginRejection]
    """Rejections by all filter plugins; empty if the pod fits. The pod's Event names only the first one."""
    scores: Sequence[PluginScore]
    """Scores of the plugins that do not rate all nodes equal; empty if the pod does not fit on the node."""
    total: int
    """Sum of the score plugins' scores for the node."""


class Explanation(NamedTuple):
    """The decision that the scheduler would make about a pod in the present state of the cluster."""

    chosen: str
    """Name of the node that the scheduler would choose; empty if the pod fits on no node."""
    message: str
    """Message of the Event FailedScheduling, without the result of preemption; empty if the pod fits on a node."""
    nodes: Sequence[NodeVerdict]


def explain(context: SchedulingContext) -> Explanation:
    """Return which node the scheduler would choose for a pod, and the results of its plugins for all nodes.

    `context` has the pod and the present state of the cluster. All nodes are examined here, whereas the scheduler
    itself stops as soon as it has found enough suitable nodes.
    """
    nodes = context.cluster.nodes
    if not nodes:
        return Explanation("", FitError(0).message(), ())
    try:
        return _explained(context, nodes, Filtering(context))
    except Impossible as error:
        return _fits_nowhere(nodes, error)
    except PluginError as error:
        return Explanation("", str(error), ())


def _explained(context: SchedulingContext, nodes: Sequence[NodeInfo], filtering: Filtering) -> Explanation:
    rejections = {node.name: _rejections(filtering, node) for node in nodes}
    fitting = [node for node in nodes if not rejections[node.name]]
    if not fitting:
        message = filtering.find(0)[1].message()
        return Explanation("", message, [NodeVerdict(name, found, (), 0) for name, found in rejections.items()])
    scores = _scores(context, fitting)
    totals = {name: sum(one.score for one in given) for name, given in scores.items()}
    promised = context.cluster.nominations.node_of(context.pod.uid)
    chosen = promised if promised in totals else best_of(fitting, list(totals.values())).name
    verdicts = [
        NodeVerdict(name, found, scores.get(name, ()), totals.get(name, 0)) for name, found in rejections.items()
    ]
    return Explanation(chosen, "", verdicts)


def _fits_nowhere(nodes: Sequence[NodeInfo], why: Impossible) -> Explanation:
    rejection = Rejection(why.rule, (why.message,), resolvable=False)
    message = FitError(len(nodes), impossible=rejection).message()
    by_plugin = [PluginRejection(why.rule, rejection.reasons)]
    return Explanation("", message, [NodeVerdict(node.name, by_plugin, (), 0) for node in nodes])


def _rejections(filtering: Filtering, node: NodeInfo) -> list[PluginRejection]:
    found = [rejection for check in filtering.checks if (rejection := check.rejects(node)) is not None]
    if not found and (rejection := filtering.rejects(node)) is not None:
        reasons = [reason + _WITH_NOMINATED for reason in rejection.reasons]
        return [PluginRejection(rejection.rule, reasons)]
    return [PluginRejection(rejection.rule, rejection.reasons) for rejection in found]


def _scores(context: SchedulingContext, fitting: Sequence[NodeInfo]) -> dict[str, list[PluginScore]]:
    by_node: dict[str, list[PluginScore]] = {node.name: [] for node in fitting}
    for plugin, weight, score in context.profile.scores:
        scores = score(context, fitting)
        if scores is not None:
            for node, points in zip(fitting, scores, strict=True):
                by_node[node.name].append(PluginScore(plugin, weight * points))
    return by_node
