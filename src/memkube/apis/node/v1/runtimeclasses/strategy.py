"""TODO."""

from memkube.apis.node.v1.runtimeclasses.types import RuntimeClass
from memkube.registry.strategy import Strategy


class RuntimeClassStrategy(Strategy[RuntimeClass]):
    """TODO."""
