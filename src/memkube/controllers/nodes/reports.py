"""What kubelets report on their nodes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.event_recorder import Report

STARTING: Final = Report("Normal", "Starting", "Starting kubelet.")
_REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "MemoryPressure": "NodeHasSufficientMemory",
        "DiskPressure": "NodeHasNoDiskPressure",
        "PIDPressure": "NodeHasSufficientPID",
        "Ready": "NodeReady",
    }
)


def own_node(name: str) -> ObjectReference:
    """A node as its kubelet names it, which does not know its uid."""
    return ObjectReference(kind="Node", name=name, uid=name)


def became_well(node: str, condition: str) -> Report:
    """A condition is as it should be again."""
    reason = _REASONS[condition]
    return Report("Normal", reason, f"Node {node} status is now: {reason}")
