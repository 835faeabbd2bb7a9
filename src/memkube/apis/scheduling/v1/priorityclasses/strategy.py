"""TODO."""

from memkube.apis.scheduling.v1.priorityclasses.types import PriorityClass
from memkube.registry.strategy import Strategy


class PriorityClassStrategy(Strategy[PriorityClass]):
    """TODO."""
