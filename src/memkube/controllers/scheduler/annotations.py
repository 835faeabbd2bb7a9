"""Annotations of pods with the results of scheduling, as kube-scheduler-simulator writes them."""

from collections.abc import Mapping, Sequence
from typing import Final

import orjson

from memkube.controllers.scheduler.explanation import Explanation

_PREFIX: Final = "kube-scheduler-simulator.sigs.k8s.io/"
FILTER_RESULT: Final = f"{_PREFIX}filter-result"
"""Name of the pod annotation with the results of filter plugins.

The value is JSON: by node and plugin, ``passed`` or the reasons for which the plugin rejects the node.
"""
SCORE_RESULT: Final = f"{_PREFIX}finalscore-result"
"""Name of the pod annotation with the results of score plugins.

The value is JSON: by node and plugin, the score times the plugin's weight. Plugins that rate all nodes equal are left
out.
"""
SELECTED_NODE: Final = f"{_PREFIX}selected-node"
"""Name of the pod annotation with the name of the chosen node, which is empty if the pod fits on no node."""
_PASSED: Final = "passed"


def result_annotations(explanation: Explanation, filters: Sequence[str]) -> Mapping[str, str]:
    """Return the pod's annotations about the scheduling decision `explanation`.

    `filters` are the names of the profile's filter plugins. Unlike in kube-scheduler-simulator, a rejected node has
    results of all filter plugins, and not only those up to the first plugin that rejects it.
    """
    filtered: dict[str, dict[str, str]] = {}
    scored: dict[str, dict[str, str]] = {}
    for verdict in explanation.nodes:
        rejections = {one.plugin: ", ".join(one.reasons) for one in verdict.rejections}
        filtered[verdict.node] = {name: rejections.get(name, _PASSED) for name in sorted({*filters, *rejections})}
        if not rejections:
            scored[verdict.node] = {one.plugin: f"{one.score}" for one in verdict.scores}
    return {
        FILTER_RESULT: orjson.dumps(filtered).decode(),
        SCORE_RESULT: orjson.dumps(scored).decode(),
        SELECTED_NODE: explanation.chosen,
    }
