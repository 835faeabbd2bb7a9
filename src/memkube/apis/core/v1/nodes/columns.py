from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE_LABEL: Final = "kubernetes.io/role"
_NONE: Final = "<none>"
_UNKNOWN: Final = "<unknown>"


def _cells(node: Document) -> Cells:
    metadata, status = node["metadata"], node["status"]
    info = status["nodeInfo"]
    kernel = info["kernelVersion"] or _UNKNOWN
    architecture = info["architecture"]
    return [
        metadata.get("name", ""),
        _state(node),
        _roles(metadata.get("labels") or {}),
        age(node),
        info["kubeletVersion"],
        _address(status, "InternalIP"),
        _address(status, "ExternalIP"),
        info["osImage"] or _UNKNOWN,
        f"{kernel} ({architecture})" if architecture else kernel,
        info["containerRuntimeVersion"] or _UNKNOWN,
    ]


def _state(node: Document) -> str:
    conditions = {c["type"]: c["status"] for c in node["status"].get("conditions") or ()}
    ready = conditions.get("Ready")
    state = "Unknown" if ready is None else "Ready" if ready == "True" else "NotReady"
    return f"{state},SchedulingDisabled" if node["spec"].get("unschedulable") else state


def _roles(labels: Mapping[str, str]) -> str:
    roles = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    roles.add(labels.get(_ROLE_LABEL, ""))
    return ",".join(sorted(roles - {""})) or _NONE


def _address(status: Document, kind: str) -> str:
    addresses = (a["address"] for a in status.get("addresses") or () if a["type"] == kind)
    return next(addresses, _NONE)


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Status", "Whether the node is ready, and whether scheduling is disabled."),
        column("Roles", "Roles of the node, by its labels."),
        AGE,
        column("Version", "Version of the kubelet."),
        column("Internal-IP", "Cluster-internal IP address.", wide=True),
        column("External-IP", "External IP address.", wide=True),
        column("OS-Image", "Name and version of the OS.", wide=True),
        column("Kernel-Version", "Kernel version and architecture.", wide=True),
        column("Container-Runtime", "Name and version of the container runtime.", wide=True),
    ),
    _cells,
)
