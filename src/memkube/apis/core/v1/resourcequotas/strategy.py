"""TODO."""

from memkube.apis.core.v1.resourcequotas.types import ResourceQuota
from memkube.registry.strategy import Strategy


class ResourceQuotaStrategy(Strategy[ResourceQuota]):
    """TODO."""


class ResourceQuotaStatusStrategy(ResourceQuotaStrategy):
    """TODO."""
