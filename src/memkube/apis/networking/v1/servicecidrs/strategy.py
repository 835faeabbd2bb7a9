"""TODO."""

from memkube.apis.networking.v1.servicecidrs.types import ServiceCIDR
from memkube.registry.strategy import Strategy


class ServiceCIDRStrategy(Strategy[ServiceCIDR]):
    """TODO."""


class ServiceCIDRStatusStrategy(ServiceCIDRStrategy):
    """TODO."""
