"""Records the heartbeats of nodes, and sets the conditions of nodes that send none (``monitorNodeHealth``)."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.time import MicroTime, Time
from memkube.apis.core.v1.nodes.types import NodeCondition
from memkube.controllers.framework.saved_values import instant
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    from memkube.apis.core.v1.nodes.types import Node

_OLD_NAMES: Final = (
    ("kubernetes.io/os", "beta.kubernetes.io/os"),
    ("kubernetes.io/arch", "beta.kubernetes.io/arch"),
)
_GRACE: Final = timedelta(seconds=50)
_STARTUP_GRACE: Final = timedelta(seconds=60)
"""Grace period of a node whose kubelet has never reported its status."""
NEVER_UPDATED: Final = "NodeStatusNeverUpdated"
_KEPT_BY_KUBELET: Final = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


def missing_labels(labels: dict[str, str]) -> dict[str, str]:
    """Return the deprecated ``beta.kubernetes.io`` labels that a node lacks, or that it has with a wrong value.

    Their values are those of the labels that have replaced them, such as ``kubernetes.io/os``.
    """
    return {
        old: labels[new] for new, old in _OLD_NAMES if labels.get(new) is not None and labels.get(old) != labels[new]
    }


class Heartbeats:
    """Times at which the heartbeats of nodes were seen on this server's clock.

    The times that kubelets write are ignored, because clocks may differ.
    """

    def __init__(self) -> None:
        self._seen: dict[str, datetime] = {}
        self._reports: dict[str, str | None] = {}
        self._renewals: dict[str, datetime] = {}

    def saved(self) -> Document:
        """Return the times of heartbeats as JSON data, for a snapshot."""
        return {"seen": dict(self._seen), "reports": dict(self._reports), "renewals": dict(self._renewals)}

    def restore(self, saved: Document) -> None:
        """Restore the times of heartbeats from the result of :meth:`saved`.

        Raises AttributeError, KeyError, TypeError or ValueError for malformed data.
        """
        self._seen = {name: instant(at) for name, at in saved["seen"].items()}
        self._renewals = {name: instant(at) for name, at in saved["renewals"].items()}
        self._reports = dict(saved["reports"])

    def see_node(self, node: StoredObject, now: datetime) -> None:
        """Record a heartbeat if the kubelet has reported the node's status again."""
        name, report = node.name, _last_report(node.document)
        if name not in self._reports:
            at = now if report is not None else Time(node.document["metadata"]["creationTimestamp"]).instant
            self._seen[name] = max(at, self._seen.get(name, at))
        elif report != self._reports[name]:
            self._seen[name] = now
        self._reports[name] = report

    def see_lease(self, lease: StoredObject, now: datetime) -> None:
        """Record a heartbeat if the kubelet has renewed the node's Lease."""
        written = lease.document["spec"].get("renewTime")
        if written is None:
            return
        renewal, known = MicroTime(written).instant, self._renewals.get(lease.name)
        if known is None or known < renewal:
            self._renewals[lease.name] = renewal
            self._seen[lease.name] = now

    def see_all(self, now: datetime) -> None:
        """Restart the grace period of every node, as if each had just sent a heartbeat."""
        for name in self._reports:
            self._seen[name] = now

    def forget(self, name: str) -> None:
        """Remove the recorded heartbeats of a deleted node."""
        for memory in (self._seen, self._reports, self._renewals):
            memory.pop(name, None)

    def grace_left(self, name: str, now: datetime) -> float:
        """Seconds until the grace period of a node ends, if it sends no heartbeat before."""
        grace = _GRACE if self._reports[name] is not None else _STARTUP_GRACE
        return (self._seen[name] + grace - now).total_seconds()


def _last_report(node: Document) -> str | None:
    condition = ready_condition(node)
    if condition is None or condition.get("reason") == NEVER_UPDATED:
        return None
    return condition.get("lastHeartbeatTime") or ""


def ready_condition(node: Document) -> Document | None:
    """Return the condition Ready of a node, or None if the node has none."""
    conditions: list[Document] = node["status"].get("conditions") or []
    return next((condition for condition in conditions if condition["type"] == "Ready"), None)


def ready_status(node: Document) -> str | None:
    """Return the status of a node's condition Ready: True, False or Unknown; None if the node has no such condition."""
    condition = ready_condition(node)
    return None if condition is None else condition["status"]


def make_unknown(node: "Node", now: Time) -> None:
    """Set the conditions of a node that no longer sends heartbeats to the status Unknown."""
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


def _never_updated(type_: str, created: Time | None, now: Time) -> "NodeCondition":

    return NodeCondition(
        type=type_,
        status="Unknown",
        reason=NEVER_UPDATED,
        message="Kubelet never posted node status.",
        lastHeartbeatTime=created,
        lastTransitionTime=now,
    )
