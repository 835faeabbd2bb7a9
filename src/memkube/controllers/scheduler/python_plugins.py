"""Scheduler plugins in Python, which a program adds to the server that it runs."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Final

import orjson

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.framework import (
    FilterPlugin,
    PreparedFilter,
    Profile,
    Rejection,
    SchedulingContext,
    ScorePlugin,
)
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.registry.objects.stored import StoredObject

_HIGHEST: Final = 100


class SchedulerPlugin:
    """Base class of filter and score plugins of the scheduler. Override `filter`, `score` or both.

    The methods run in the thread of the server, for one pod and node at a time. They get copies of the pod and of the
    node as JSON. A pod for which a method raises an exception is not scheduled: its condition has the reason
    SchedulerError, and the scheduler tries again.
    """

    name: ClassVar[str] = ""
    """Name of the plugin in explanations and errors."""
    weight: ClassVar[int] = 1
    """Factor of the plugin's scores in the total score of a node."""

    def filter(self, pod: Document, node: Document) -> str | None:
        """Return why the pod may not run on the node, for example ``node(s) had no licence``; None if it may."""

    def score(self, pod: Document, node: Document) -> int:
        """Return the score of the node for the pod, from 0 to 100. Nodes with higher scores are preferred."""
        return 0


def with_plugins(profile: Profile, plugins: Sequence[SchedulerPlugin]) -> Profile:
    """Return a profile with additional plugins, which run after the profile's own plugins.

    Raises ValueError for a plugin that is not a SchedulerPlugin, has no name, or has the name of another plugin.
    """
    names = [*(rule.name for rule in profile.rules), *(score.name for score in profile.scores)]
    for plugin in plugins:
        if not isinstance(plugin, SchedulerPlugin):
            raise ValueError(f"a scheduler plugin must be a memkube.SchedulerPlugin, not {plugin!r}")
        if not plugin.name:
            raise ValueError(f"the scheduler plugin {type(plugin).__name__} has no name")
        if plugin.name in names:
            raise ValueError(f"there is already a scheduler plugin with the name {plugin.name!r}")
        names.append(plugin.name)
    rules = [FilterPlugin(plugin.name, partial(_PreparedPlugin, plugin)) for plugin in plugins]
    scores = [ScorePlugin(plugin.name, plugin.weight, partial(_scores, plugin)) for plugin in plugins]
    return profile._replace(rules=[*profile.rules, *rules], scores=[*profile.scores, *scores])


class _PreparedPlugin(PreparedFilter):
    def __init__(self, plugin: SchedulerPlugin, context: SchedulingContext) -> None:
        self._plugin = plugin
        self._context = context

    def rejects(self, node: NodeInfo) -> Rejection | None:
        reason = self._plugin.filter(_copy(self._context.pod.stored), _node(self._context, node))
        return None if reason is None else Rejection(self._plugin.name, (reason,), resolvable=False)


def _scores(plugin: SchedulerPlugin, context: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int]:
    scores = [plugin.score(_copy(context.pod.stored), _node(context, node)) for node in nodes]
    for score in scores:
        if not 0 <= score <= _HIGHEST:
            # The wording of the message is kube-scheduler's.
            raise ValueError(
                f'plugin "{plugin.name}" returns an invalid score {score}, it should in the range of [0, {_HIGHEST}] '
                "after normalizing"
            )
    return scores


def _node(context: SchedulingContext, node: NodeInfo) -> Document:
    stored = context.listers.nodes.get("", node.name)
    assert stored is not None, node.name
    return _copy(stored)


def _copy(stored: StoredObject) -> Document:
    document: Document = orjson.loads(stored.data)
    return document
