"""TODO."""

from memkube.apis.core.v1.componentstatuses.types import ComponentStatus
from memkube.registry.strategy import Strategy


class ComponentStatusStrategy(Strategy[ComponentStatus]):
    """TODO."""
