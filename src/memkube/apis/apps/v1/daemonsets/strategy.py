"""TODO."""

from memkube.apis.apps.v1.daemonsets.types import DaemonSet
from memkube.registry.strategy import Strategy


class DaemonSetStrategy(Strategy[DaemonSet]):
    """TODO."""


class DaemonSetStatusStrategy(DaemonSetStrategy):
    """TODO."""
