"""TODO."""

from memkube.apis.core.v1.services.types import Service
from memkube.registry.strategy import Strategy


class ServiceStrategy(Strategy[Service]):
    """TODO."""


class ServiceStatusStrategy(ServiceStrategy):
    """TODO."""
