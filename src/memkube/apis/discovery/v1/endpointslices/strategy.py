"""TODO."""

from memkube.apis.discovery.v1.endpointslices.types import EndpointSlice
from memkube.registry.strategy import Strategy


class EndpointSliceStrategy(Strategy[EndpointSlice]):
    """TODO."""
