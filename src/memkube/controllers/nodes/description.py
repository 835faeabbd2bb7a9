"""Simulated machines, and their Node and Lease as a kubelet would write them (``pkg/kubelet/nodestatus``)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from types import MappingProxyType
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.random_values import RandomValues
from memkube.apimachinery.time import MicroTime, Time
from memkube.controllers.nodes.resources import PressureType, WatchedResource
from memkube.registry.objects.stored import StoredObject
from memkube.version import KUBERNETES_VERSION, VERSION

_HOSTS: Final = IPv4Address("172.16.0.0")
"""Network of the nodes' own addresses, outside the ranges of services (10.0.0.0/24) and of pods."""
_POD_BLOCKS: Final = IPv4Address("10.244.0.0")
_BLOCK_BITS: Final = 24
_BLOCK_SIZE: Final = 256
LEASE_SECONDS: Final = 40
_KUBELET_VERSION: Final = f"v{KUBERNETES_VERSION}"
KUBELET_PORT: Final = 10250
_ARCHITECTURE: Final = "amd64"
_SYSTEM: Final = "linux"
RESOURCES: Final[Mapping[str, Quantity]] = MappingProxyType(
    {
        "cpu": Quantity("8"),
        "ephemeral-storage": Quantity("100Gi"),
        "memory": Quantity("32Gi"),
        "pods": Quantity("110"),
    }
)


class _Condition(NamedTuple):
    """A condition of a node as the kubelet reports it."""

    type: str
    status: str
    reason: str
    message: str


_READY: Final = _Condition("Ready", "True", "KubeletReady", "kubelet is posting ready status")
_NO_PRESSURE: Final = (
    _Condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    _Condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    _Condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)
_PRESSURE: Final = (
    _Condition("MemoryPressure", "True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
    _Condition("DiskPressure", "True", "KubeletHasDiskPressure", "kubelet has disk pressure"),
    _Condition("PIDPressure", "True", "KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
)


@dataclass(slots=True)
class SimulatedNode:
    """The machine behind a simulated Node: its number, zone, addresses and identity."""

    number: int
    zones: int
    identities: tuple[str, str, str]
    """The machine ID, system UUID and boot ID."""
    failed: bool = False
    """True if the kubelet has stopped: it reports nothing, and its pods stay as they are."""
    others: dict[WatchedResource, int] = field(default_factory=dict)
    """The use of the node's resources outside of pods, in bytes or processes, where a user has set it."""
    pressures: tuple[PressureType, ...] = ()
    """The pressures that the kubelet reports in the conditions of the Node."""

    @classmethod
    def new(cls, number: int, zones: int, random_values: RandomValues) -> "SimulatedNode":
        """Return a machine with new identities."""
        machine, system, boot = random_values.uids_of(f"node {number}", 3)
        return cls(number, zones, (machine.replace("-", ""), system, boot))

    @property
    def name(self) -> str:
        """The name of the Node."""
        return f"node-{self.number}"

    @property
    def host_ip(self) -> str:
        """The node's own IP address."""
        return str(_HOSTS + self.number)

    @property
    def pod_network(self) -> IPv4Network:
        """The network of the addresses of the node's pods. It has more addresses than the node may have pods."""
        return IPv4Network((int(_POD_BLOCKS) + self.number * _BLOCK_SIZE, _BLOCK_BITS))

    @property
    def zone(self) -> str:
        """The zone in the node's label ``topology.kubernetes.io/zone``."""
        return f"zone-{(self.number - 1) % self.zones + 1}"


def adopt(machine: SimulatedNode, node: StoredObject) -> None:
    """Give a simulated machine the identity in its existing Node, which another server created."""
    info = node.document["status"].get("nodeInfo") or {}
    known = info.get("machineID", ""), info.get("systemUUID", ""), info.get("bootID", "")
    if all(known):
        machine.identities = known


def new_node(machine: SimulatedNode, now: Time) -> Document:
    """Return the JSON data of the Node object that the kubelet of a machine registers."""
    labels = {
        "beta.kubernetes.io/arch": _ARCHITECTURE,
        "beta.kubernetes.io/os": _SYSTEM,
        "kubernetes.io/arch": _ARCHITECTURE,
        "kubernetes.io/hostname": machine.name,
        "kubernetes.io/os": _SYSTEM,
        "node.kubernetes.io/instance-type": "simulated",
        "topology.kubernetes.io/region": "region-1",
        "topology.kubernetes.io/zone": machine.zone,
    }
    annotations = {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
    block = str(machine.pod_network)
    return {
        "metadata": {"name": machine.name, "labels": labels, "annotations": annotations},
        "spec": {"podCIDR": block, "podCIDRs": [block]},
        "status": reported_status({}, machine, now),
    }


def reported_status(status: Document, machine: SimulatedNode, now: Time) -> Document:
    """Return the status of a Node, as JSON data, with the report of a machine.

    Conditions of other types and unchanged transition times are kept.
    """
    conditions = list(status.get("conditions") or ())
    places = {condition["type"]: place for place, condition in enumerate(conditions)}
    for type_, value, reason, message in _conditions(machine):
        place = places.get(type_, len(conditions))
        known = conditions[place] if place < len(conditions) else {}
        conditions[place : place + 1] = [
            {
                "type": type_,
                "status": value,
                "lastHeartbeatTime": now,
                "lastTransitionTime": known.get("lastTransitionTime") if known.get("status") == value else now,
                "reason": reason,
                "message": message,
            }
        ]
    addresses = [{"type": "InternalIP", "address": machine.host_ip}, {"type": "Hostname", "address": machine.name}]
    return {
        **status,
        "capacity": dict(RESOURCES),
        "allocatable": dict(RESOURCES),
        "conditions": conditions,
        "addresses": addresses,
        "daemonEndpoints": {"kubeletEndpoint": {"Port": KUBELET_PORT}},
        "nodeInfo": _info(machine),
    }


def tells_the_state(node: StoredObject, machine: SimulatedNode) -> bool:
    """True if the Node has the status that the simulated kubelet writes."""
    status = node.document["status"]
    conditions = {c["type"]: (c["status"], c.get("reason"), c.get("message")) for c in status.get("conditions") or ()}
    return (
        all(conditions.get(type_) == (value, reason, message) for type_, value, reason, message in _conditions(machine))
        and status.get("capacity") == RESOURCES
        and status.get("allocatable") == RESOURCES
        and [a["address"] for a in status.get("addresses") or ()] == [machine.host_ip, machine.name]
    )


def changed_conditions(node: StoredObject, machine: SimulatedNode) -> list[tuple[str, str]]:
    """Return the types and new statuses of the conditions of a Node that the next report of its machine changes."""
    known = {c["type"]: c["status"] for c in node.document["status"].get("conditions") or ()}
    return [(type_, value) for type_, value, _, _ in _conditions(machine) if known.get(type_) != value]


def _conditions(machine: SimulatedNode) -> list[_Condition]:
    pairs = zip(_PRESSURE, _NO_PRESSURE, strict=True)
    return [*(true if true.type in machine.pressures else false for true, false in pairs), _READY]


def new_lease(node: StoredObject, now: MicroTime) -> Document:
    """Return the Lease that a kubelet renews, as JSON data; it is owned by its Node."""
    owner = {"apiVersion": "v1", "kind": "Node", "name": node.name, "uid": node.uid}
    return {
        "metadata": {"name": node.name, "ownerReferences": [owner]},
        "spec": {"holderIdentity": node.name, "leaseDurationSeconds": LEASE_SECONDS, "renewTime": now},
    }


def _info(machine: SimulatedNode) -> Document:
    machine_id, system_uuid, boot_id = machine.identities
    return {
        "machineID": machine_id,
        "systemUUID": system_uuid,
        "bootID": boot_id,
        "kernelVersion": "simulated",
        "osImage": "memkube",
        "containerRuntimeVersion": f"memkube://{VERSION}",
        "kubeletVersion": _KUBELET_VERSION,
        "kubeProxyVersion": "",
        "operatingSystem": _SYSTEM,
        "architecture": _ARCHITECTURE,
    }
