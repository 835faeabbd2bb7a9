"""What the status of a ReplicaSet or ReplicationController says (``replica_set_utils.go``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.controllers.workloads.pod_state import available_from, is_available, is_ready
from memkube.registry.stored import StoredObject

_FAILURE: Final = "ReplicaFailure"


@dataclass(frozen=True, slots=True)
class Counted:
    """The pods of an owner at one instant."""

    active: Sequence[StoredObject]
    terminating: int | None
    """None where the kind does not count them."""
    failure: str | None
    """Why pods could not be made or deleted."""
    now: datetime


def new_status(owner: Document, counted: Counted, written: Time) -> Document:
    """The status of an owner with these pods."""
    spec, active = owner["spec"], counted.active
    seconds: int = spec.get("minReadySeconds", 0)
    wanted: dict[str, str] = (spec["template"].get("metadata") or {}).get("labels") or {}
    status: Document = {
        "replicas": len(active),
        "fullyLabeledReplicas": sum(wanted.items() <= pod.labels.items() for pod in active),
        "readyReplicas": sum(is_ready(pod) for pod in active),
        "availableReplicas": sum(is_available(pod, seconds, counted.now) for pod in active),
        "observedGeneration": owner["metadata"].get("generation", 0),
        "conditions": _conditions(owner, counted, written),
    }
    if counted.terminating is not None:
        status["terminatingReplicas"] = counted.terminating
    return status


def next_available(owner: Document, counted: Counted) -> float | None:
    """Seconds until a pod that is ready may have been so for long enough."""
    seconds: int = owner["spec"].get("minReadySeconds", 0)
    waiting = [p for p in counted.active if is_ready(p) and not is_available(p, seconds, counted.now)]
    if not seconds or not waiting:
        return None
    moments = [moment for pod in waiting if (moment := available_from(pod, seconds)) is not None]
    return (min(moments) - counted.now).total_seconds() if moments else float(seconds)


def differs(status: Document, other: Document) -> bool:
    """Whether two statuses say different things; zero may be left out."""
    names = status.keys() | other.keys()
    return any((status.get(name) or None) != (other.get(name) or None) for name in names) or (
        ("terminatingReplicas" in status) != ("terminatingReplicas" in other)
    )


def _conditions(owner: Document, counted: Counted, written: Time) -> list[Document]:
    conditions: list[Document] = owner["status"].get("conditions") or []
    failed = next((condition for condition in conditions if condition["type"] == _FAILURE), None)
    if counted.failure is None:
        return [condition for condition in conditions if condition is not failed]
    if failed is not None:
        return conditions
    missing = len(counted.active) < owner["spec"].get("replicas", 0)
    new = {
        "type": _FAILURE,
        "status": "True",
        "lastTransitionTime": written,
        "reason": "FailedCreate" if missing else "FailedDelete",
        "message": counted.failure,
    }
    return [*conditions, new]
