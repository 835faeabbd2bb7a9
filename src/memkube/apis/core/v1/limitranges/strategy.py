"""TODO."""

from memkube.apis.core.v1.limitranges.types import LimitRange
from memkube.registry.strategy import Strategy


class LimitRangeStrategy(Strategy[LimitRange]):
    """TODO."""
