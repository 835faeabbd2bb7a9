"""The default profile of the scheduler (``apis/config/v1/default_plugins.go``)."""

from collections.abc import Sequence
from typing import Final

from memkube.controllers.scheduler.framework import FilterPlugin, Profile, ScorePlugin
from memkube.controllers.scheduler.plugins import (
    declared_features,
    dynamic_resources,
    inter_pod_affinity,
    node_affinity,
    node_contents,
    resources,
    taints,
    topology_spread,
    volume_binding,
    volume_limits,
    volume_restrictions,
    volume_zone,
)

DEFAULT_NAME: Final = "default-scheduler"
_RULES: Final[Sequence[FilterPlugin]] = (
    taints.UNSCHEDULABLE_RULE,
    taints.RULE,
    node_affinity.RULE,
    node_contents.HOST_PORTS_RULE,
    resources.RULE,
    volume_restrictions.RULE,
    volume_limits.RULE,
    volume_binding.RULE,
    volume_zone.RULE,
    topology_spread.RULE,
    inter_pod_affinity.RULE,
    dynamic_resources.RULE,
    declared_features.RULE,
)
"""Filter plugins in kube-scheduler's order. An Event names only the first plugin that rejects a node."""
_SCORES: Final[Sequence[ScorePlugin]] = (
    taints.SCORE,
    node_affinity.SCORE,
    resources.LEAST_ALLOCATED,
    topology_spread.SCORE,
    inter_pod_affinity.SCORE,
    resources.BALANCED_ALLOCATION,
    node_contents.IMAGE_LOCALITY,
    dynamic_resources.SCORE,
)
DEFAULT_PROFILE: Final = Profile(DEFAULT_NAME, _RULES, _SCORES)
