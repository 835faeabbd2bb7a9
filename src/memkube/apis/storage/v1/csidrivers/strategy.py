"""TODO."""

from memkube.apis.storage.v1.csidrivers.types import CSIDriver
from memkube.registry.strategy import Strategy


class CSIDriverStrategy(Strategy[CSIDriver]):
    """TODO."""
