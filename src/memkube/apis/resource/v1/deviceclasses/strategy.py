"""TODO."""

from memkube.apis.resource.v1.deviceclasses.types import DeviceClass
from memkube.registry.strategy import Strategy


class DeviceClassStrategy(Strategy[DeviceClass]):
    """TODO."""
