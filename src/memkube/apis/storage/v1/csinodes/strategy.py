"""TODO."""

from memkube.apis.storage.v1.csinodes.types import CSINode
from memkube.registry.strategy import Strategy


class CSINodeStrategy(Strategy[CSINode]):
    """TODO."""
