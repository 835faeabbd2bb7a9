"""TODO."""

from memkube.apis.core.v1.endpoints.types import Endpoints
from memkube.registry.strategy import Strategy


class EndpointsStrategy(Strategy[Endpoints]):
    """TODO."""
