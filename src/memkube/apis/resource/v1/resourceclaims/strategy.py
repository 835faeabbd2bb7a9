"""TODO."""

from memkube.apis.resource.v1.resourceclaims.types import ResourceClaim
from memkube.registry.strategy import Strategy


class ResourceClaimStrategy(Strategy[ResourceClaim]):
    """TODO."""


class ResourceClaimStatusStrategy(ResourceClaimStrategy):
    """TODO."""
