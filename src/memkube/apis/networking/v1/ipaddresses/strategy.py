"""TODO."""

from memkube.apis.networking.v1.ipaddresses.types import IPAddress
from memkube.registry.strategy import Strategy


class IPAddressStrategy(Strategy[IPAddress]):
    """TODO."""
