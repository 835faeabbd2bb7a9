"""The Node and the Lease of a simulated machine, as a kubelet writes them (``pkg/kubelet/nodestatus``)."""

from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.time import MicroTime, Time
from memkube.controllers.nodes.simulated_node import INSTANCE_TYPE, REGION, ZONE, SimulatedNode
from memkube.registry.objects.stored import StoredObject
from memkube.version import KUBERNETES_VERSION, VERSION

LEASE_SECONDS: Final = 40
_KUBELET_VERSION: Final = f"v{KUBERNETES_VERSION}"
KUBELET_PORT: Final = 10250
_ARCHITECTURE: Final = "amd64"
_SYSTEM: Final = "linux"


class _Condition(NamedTuple):
    """A condition of a node as the kubelet reports it."""

    type: str
    status: str
    reason: str
    message: str


_FEATURES: Final = ["InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"]
"""Features that simulated nodes declare in their status (``component-helpers/nodedeclaredfeatures``)."""
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


def adopt(machine: SimulatedNode, node: StoredObject) -> None:
    """Give a machine the machine ID, system UUID and boot ID of its Node, which an earlier server has created."""
    info = node.document["status"].get("nodeInfo") or {}
    known = info.get("machineID", ""), info.get("systemUUID", ""), info.get("bootID", "")
    if all(known):
        machine.identities = known


def new_node(machine: SimulatedNode, now: Time) -> Document:
    """Return the Node that the kubelet of a simulated machine registers, as JSON data."""
    labels = {
        "beta.kubernetes.io/arch": _ARCHITECTURE,
        "beta.kubernetes.io/os": _SYSTEM,
        "kubernetes.io/arch": _ARCHITECTURE,
        "kubernetes.io/hostname": machine.name,
        "kubernetes.io/os": _SYSTEM,
        INSTANCE_TYPE: "simulated",
        REGION: "region-1",
        ZONE: machine.zone,
        **machine.shape.labels,
    }
    annotations = {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
    block = str(machine.pod_network)
    spec: Document = {"podCIDR": block, "podCIDRs": [block]}
    if machine.shape.taints:
        spec["taints"] = [dict(taint) for taint in machine.shape.taints]
    return {
        "metadata": {"name": machine.name, "labels": labels, "annotations": annotations},
        "spec": spec,
        "status": reported_status({}, machine, now),
    }


def reported_status(status: Document, machine: SimulatedNode, now: Time) -> Document:
    """Return the status of a Node after the next report of its machine's kubelet, as JSON data.

    `status` is its present status. Conditions that kubelets do not report are kept, as is the transition time of a
    condition whose status does not change.
    """
    conditions = list(status.get("conditions") or ())
    indices = {condition["type"]: index for index, condition in enumerate(conditions)}
    for type_, value, reason, message in _conditions(machine):
        index = indices.get(type_, len(conditions))
        known = conditions[index] if index < len(conditions) else {}
        conditions[index : index + 1] = [
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
        "capacity": dict(machine.shape.capacity),
        "allocatable": dict(machine.shape.capacity),
        "conditions": conditions,
        "addresses": addresses,
        "daemonEndpoints": {"kubeletEndpoint": {"Port": KUBELET_PORT}},
        "nodeInfo": _info(machine),
        "declaredFeatures": list(_FEATURES),
    }


def is_status_current(node: StoredObject, machine: SimulatedNode) -> bool:
    """Return True if the Node's status agrees with what the simulated kubelet on `machine` would report now."""
    status = node.document["status"]
    conditions = {c["type"]: (c["status"], c.get("reason"), c.get("message")) for c in status.get("conditions") or ()}
    return (
        all(conditions.get(type_) == (value, reason, message) for type_, value, reason, message in _conditions(machine))
        and not has_other_boot(node, machine)
        and status.get("capacity") == machine.shape.capacity
        and status.get("allocatable") == machine.shape.capacity
        and [a["address"] for a in status.get("addresses") or ()] == [machine.host_ip, machine.name]
        and status.get("declaredFeatures") == _FEATURES
    )


def has_other_boot(node: StoredObject, machine: SimulatedNode) -> bool:
    """True if the Node's status has a boot ID from before the machine's last reboot."""
    reported = (node.document["status"].get("nodeInfo") or {}).get("bootID", "")
    return bool(reported) and reported != machine.identities[2]


def changed_conditions(node: StoredObject, machine: SimulatedNode) -> list[tuple[str, str]]:
    """Return the type and new status of each Node condition that the kubelet's next report will change."""
    known = {c["type"]: c["status"] for c in node.document["status"].get("conditions") or ()}
    return [(type_, value) for type_, value, _, _ in _conditions(machine) if known.get(type_) != value]


def _conditions(machine: SimulatedNode) -> list[_Condition]:
    pairs = zip(_PRESSURE, _NO_PRESSURE, strict=True)
    return [*(true if true.type in machine.pressures else false for true, false in pairs), _READY]


def new_lease(node: StoredObject, now: MicroTime) -> Document:
    """Return the Lease that a kubelet renews as its heartbeat, as JSON data. The Node is its owner."""
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
