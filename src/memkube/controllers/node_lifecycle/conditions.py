"""The conditions of nodes, and what they say of nodes that are silent."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.nodes.types import Node, NodeCondition

NEVER_UPDATED: Final = "NodeStatusNeverUpdated"
_KEPT_BY_KUBELET: Final = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


def ready_condition(node: Document) -> Document | None:
    """The Ready condition, if there is one."""
    conditions: list[Document] = node["status"].get("conditions") or []
    return next((condition for condition in conditions if condition["type"] == "Ready"), None)


def ready_status(node: Document) -> str | None:
    """True, False or Unknown; None for a node without the condition."""
    condition = ready_condition(node)
    return None if condition is None else condition["status"]


def make_unknown(node: Node, now: Time) -> None:
    """Says that nobody knows how a node is."""
    known = {condition.type: condition for condition in node.status.conditions}
    for type_ in _KEPT_BY_KUBELET:
        condition = known.get(type_)
        if condition is None:
            node.status.conditions.append(_never_updated(type_, node.metadata.creationTimestamp, now))
        elif condition.status != "Unknown":
            condition.status = "Unknown"
            condition.reason = "NodeStatusUnknown"
            condition.message = "Kubelet stopped posting node status."
            condition.lastTransitionTime = now


def _never_updated(type_: str, created: Time | None, now: Time) -> NodeCondition:
    return NodeCondition(
        type=type_,
        status="Unknown",
        reason=NEVER_UPDATED,
        message="Kubelet never posted node status.",
        lastHeartbeatTime=created,
        lastTransitionTime=now,
    )
