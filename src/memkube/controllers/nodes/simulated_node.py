"""The machine behind a simulated Node: its identity, its IP addresses, and the properties from its node pool."""

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
"""Address before the first node's own, outside the ranges of services (10.0.0.0/24) and of pods."""
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
"""Capacity of a simulated node that is not in a node pool."""
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
REGION: Final = "topology.kubernetes.io/region"
ZONE: Final = "topology.kubernetes.io/zone"


@dataclass(frozen=True)
class NodeShape:
    """Labels, taints and capacity of the nodes in one node pool, or of the nodes outside of pools."""

    pool: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of the node in addition to those that the kubelet sets."""
    taints: tuple[Mapping[str, str], ...] = ()
    """Taints with which a kubelet registers its Node, as JSON data."""
    capacity: Mapping[str, Quantity] = field(default_factory=lambda: RESOURCES)

    @cached_property
    def thresholds(self) -> tuple[Threshold, ...]:
        """Eviction thresholds of the kubelet on a node with this capacity."""
        return thresholds_of(self.capacity)

    @cached_property
    def capacities(self) -> Mapping[WatchedResource, int]:
        """Capacity of each resource that the kubelet watches: bytes, or a number of processes."""
        return {threshold.watched: threshold.capacity for threshold in self.thresholds}


STANDARD_SHAPE: Final = NodeShape()
"""Labels, taints and capacity of the nodes outside of node pools."""


@dataclass(slots=True)
class SimulatedNode:
    """The machine behind a simulated Node: its name, number, zone, IP addresses and identity."""

    name: str
    number: int
    """Number of the node in the cluster, from which its IP address and its pod network follow."""
    zone: str
    identities: tuple[str, str, str]
    """Machine ID, system UUID and boot ID of the machine."""
    shape: NodeShape = STANDARD_SHAPE
    failed: bool = False
    """True if the node's kubelet was stopped: it reports nothing, and its pods do not change."""
    partitioned: bool = False
    """True if the node is cut off from the API server. Its pods keep running."""
    others: dict[WatchedResource, int] = field(default_factory=dict)
    """Usage of the node's resources outside of pods, in bytes or processes, for resources that a user has set."""
    pressures: tuple[PressureType, ...] = ()
    """Types of the Node's pressure conditions that the kubelet reports as True."""
    host_ip: str = field(init=False)
    """IP address of the node, as opposed to those of its pods. It follows from the node's number."""

    def __post_init__(self) -> None:
        self.host_ip = str(_HOSTS + self.number)

    @classmethod
    def new(
        cls, name: str, number: int, zone: str, random_values: RandomValues, shape: NodeShape = STANDARD_SHAPE
    ) -> "SimulatedNode":
        """Return a simulated machine with a new machine ID, system UUID and boot ID.

        `number` is unique among the machines, and determines the IP addresses. `shape` has labels, taints and capacity.
        """
        machine, system, boot = random_values.uids_of(f"node {name.removeprefix('node-')}", 3)
        return cls(name, number, zone, (machine.replace("-", ""), system, boot), shape)

    @property
    def is_silent(self) -> bool:
        """True if the kubelet cannot write to the API server, because it was stopped or its node is cut off."""
        return self.failed or self.partitioned

    @property
    def pod_network(self) -> IPv4Network:
        """Network of the IP addresses of the node's pods. It has more addresses than the node may have pods."""
        return IPv4Network((int(_POD_BLOCKS) + self.number * _BLOCK_SIZE, _BLOCK_BITS))

    def reboot(self, random_values: RandomValues) -> None:
        """Give the machine a new boot ID, and free the memory and process IDs that processes outside of pods used."""
        machine, system, boot = self.identities
        (new,) = random_values.uids_of(f"boot after {boot}", 1)
        self.identities = machine, system, new
        self.others = {watched: used for watched, used in self.others.items() if watched in ("nodefs", "imagefs")}


def standard_node(number: int, zones: int, random_values: RandomValues) -> SimulatedNode:
    """Return a new machine that is not in a node pool. Its zone is that of `standard_zone`."""
    return SimulatedNode.new(f"node-{number}", number, standard_zone(number, zones), random_values)


def standard_zone(number: int, zones: int) -> str:
    """Return the zone of a node by its number, which assigns ``zone-1`` to ``zone-N`` by round-robin (N is `zones`)."""
    return f"zone-{(number - 1) % zones + 1}"
