"""TODO."""

from memkube.apis.resource.v1.resourceclaimtemplates.types import ResourceClaimTemplate
from memkube.registry.strategy import Strategy


class ResourceClaimTemplateStrategy(Strategy[ResourceClaimTemplate]):
    """TODO."""
