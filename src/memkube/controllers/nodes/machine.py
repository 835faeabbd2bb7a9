"""What a simulated machine has: a place in the network, and resources."""

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from typing import Final
from uuid import uuid4

_HOSTS: Final = IPv4Address("10.0.0.0")
_POD_BLOCKS: Final = IPv4Address("10.244.0.0")
_BLOCK_BITS: Final = 24
_BLOCK_SIZE: Final = 256


@dataclass(slots=True)
class SimulatedNode:
    """A machine that exists in this process alone."""

    number: int
    zones: int
    failed: bool = False
    """Whether its kubelet has stopped: it tells nobody anything, and its pods stay as they are."""
    identities: tuple[str, str, str] = field(default_factory=lambda: (uuid4().hex, str(uuid4()), str(uuid4())))
    """The identities of the machine, its hardware and its boot."""

    @property
    def name(self) -> str:
        """The name of its Node."""
        return f"node-{self.number}"

    @property
    def host_ip(self) -> str:
        """Its own address."""
        return str(_HOSTS + self.number)

    @property
    def pod_network(self) -> IPv4Network:
        """The addresses of its pods, more than it takes pods."""
        return IPv4Network((int(_POD_BLOCKS) + self.number * _BLOCK_SIZE, _BLOCK_BITS))

    @property
    def zone(self) -> str:
        """The zone that it stands in."""
        return f"zone-{(self.number - 1) % self.zones + 1}"
