"""TODO."""

from memkube.apis.flowcontrol.v1.prioritylevelconfigurations.types import PriorityLevelConfiguration
from memkube.registry.strategy import Strategy


class PriorityLevelConfigurationStrategy(Strategy[PriorityLevelConfiguration]):
    """TODO."""


class PriorityLevelConfigurationStatusStrategy(PriorityLevelConfigurationStrategy):
    """TODO."""
