"""TODO."""

from memkube.apis.resource.v1.resourceslices.types import ResourceSlice
from memkube.registry.strategy import Strategy


class ResourceSliceStrategy(Strategy[ResourceSlice]):
    """TODO."""
