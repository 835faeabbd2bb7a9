"""The machine behind a simulated Node: its identity and addresses, and the labels, taints and capacity of its pool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network
from types import MappingProxyType
from typing import Final

from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.random_values import RandomValues
from memkube.controllers.nodes.resources import PressureType, Threshold, WatchedResource, thresholds_of

_HOSTS: Final = IPv4Address("172.16.0.0")
"""Network of the nodes' own addresses, outside the ranges of services (10.0.0.0/24) and of pods."""
_POD_BLOCKS: Final = IPv4Address("10.244.0.0")
_BLOCK_BITS: Final = 24
_BLOCK_SIZE: Final = 256
RESOURCES: Final[Mapping[str, Quantity]] = MappingProxyType(
    {
        "cpu": Quantity("8"),
        "ephemeral-storage": Quantity("100Gi"),
        "memory": Quantity("32Gi"),
        "pods": Quantity("110"),
    }
)
"""The capacity of a node outside of pools."""
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
REGION: Final = "topology.kubernetes.io/region"
ZONE: Final = "topology.kubernetes.io/zone"


@dataclass(frozen=True)
class NodeShape:
    """Labels, taints and capacity of the nodes of one pool, or of the nodes outside of pools."""

    pool: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels in addition to those that the kubelet sets."""
    taints: tuple[Mapping[str, str], ...] = ()
    """Taints with which a kubelet registers its Node, as JSON data."""
    capacity: Mapping[str, Quantity] = field(default_factory=lambda: RESOURCES)

    @cached_property
    def thresholds(self) -> tuple[Threshold, ...]:
        """The eviction thresholds of the kubelet on a node with this capacity."""
        return thresholds_of(self.capacity)

    @cached_property
    def capacities(self) -> Mapping[WatchedResource, int]:
        """The capacity of each resource that the kubelet watches: bytes, or a number of processes."""
        return {threshold.watched: threshold.capacity for threshold in self.thresholds}


STANDARD_SHAPE: Final = NodeShape()
"""Labels, taints and capacity of the nodes outside of pools."""


@dataclass(slots=True)
class SimulatedNode:
    """The machine behind a simulated Node: its name, number, zone, addresses and identity."""

    name: str
    number: int
    """The number that determines the addresses of the node and of its pods."""
    zone: str
    identities: tuple[str, str, str]
    """The machine ID, system UUID and boot ID."""
    shape: NodeShape = STANDARD_SHAPE
    failed: bool = False
    """True if the kubelet has stopped: it reports nothing, and its pods stay as they are."""
    partitioned: bool = False
    """True if the node is cut off: its pods run on, but the kubelet and the API server do not reach each other."""
    others: dict[WatchedResource, int] = field(default_factory=dict)
    """The use of the node's resources outside of pods, in bytes or processes, where a user has set it."""
    pressures: tuple[PressureType, ...] = ()
    """The pressures that the kubelet reports in the conditions of the Node."""

    @classmethod
    def new(
        cls, name: str, number: int, zone: str, random_values: RandomValues, shape: NodeShape = STANDARD_SHAPE
    ) -> "SimulatedNode":
        """Return a machine with new identities."""
        machine, system, boot = random_values.uids_of(f"node {name.removeprefix('node-')}", 3)
        return cls(name, number, zone, (machine.replace("-", ""), system, boot), shape)

    @property
    def is_silent(self) -> bool:
        """True if the kubelet writes nothing to the API server, because it has stopped or is cut off."""
        return self.failed or self.partitioned

    @property
    def host_ip(self) -> str:
        """The node's own IP address."""
        return str(_HOSTS + self.number)

    @property
    def pod_network(self) -> IPv4Network:
        """The network of the addresses of the node's pods. It has more addresses than the node may have pods."""
        return IPv4Network((int(_POD_BLOCKS) + self.number * _BLOCK_SIZE, _BLOCK_BITS))

    def reboot(self, random_values: RandomValues) -> None:
        """Give the machine the boot ID of a new boot, and end the processes outside of pods."""
        machine, system, boot = self.identities
        (new,) = random_values.uids_of(f"boot after {boot}", 1)
        self.identities = machine, system, new
        self.others = {watched: used for watched, used in self.others.items() if watched in ("nodefs", "imagefs")}


def standard_node(number: int, zones: int, random_values: RandomValues) -> SimulatedNode:
    """Return a new machine outside of pools. Such machines are in the zones ``zone-1``, ``zone-2`` … in turn."""
    return SimulatedNode.new(f"node-{number}", number, standard_zone(number, zones), random_values)


def standard_zone(number: int, zones: int) -> str:
    """Return the zone of a node with this number if its pool names no zones."""
    return f"zone-{(number - 1) % zones + 1}"
