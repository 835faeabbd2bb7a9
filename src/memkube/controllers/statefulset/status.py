"""What the status of a StatefulSet says (``computeReplicaStatus`` of ``stateful_set_control.go``)."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.statefulset.history import Revisions
from memkube.controllers.statefulset.identity import revision_of
from memkube.controllers.workloads.pod_state import available_from, is_available, is_ready, is_terminating
from memkube.registry.stored import StoredObject

_COMPARED: Final = (
    "replicas",
    "readyReplicas",
    "availableReplicas",
    "currentReplicas",
    "updatedReplicas",
    "currentRevision",
    "updateRevision",
)


def is_running_and_ready(pod: StoredObject) -> bool:
    """Whether the pod serves."""
    return pod.document["status"].get("phase") == "Running" and is_ready(pod)


def new_status(stateful_set: Document, pods: Iterable[StoredObject], revisions: Revisions, now: datetime) -> Document:
    """The status of a set with these pods."""
    pods, seconds = list(pods), stateful_set["spec"].get("minReadySeconds", 0)
    ready = [pod for pod in pods if is_running_and_ready(pod)]
    staying = [revision_of(pod) for pod in pods if not is_terminating(pod)]
    return {
        "observedGeneration": stateful_set["metadata"].get("generation", 0),
        "replicas": len(pods),
        "readyReplicas": len(ready),
        "availableReplicas": sum(is_available(pod, seconds, now) for pod in ready),
        "currentReplicas": staying.count(revisions.current.name),
        "updatedReplicas": staying.count(revisions.update.name),
        "currentRevision": revisions.current.name,
        "updateRevision": revisions.update.name,
        "collisionCount": revisions.collisions,
    }


def complete_update(stateful_set: Document, status: Document) -> None:
    """Where all pods are of the new revision and serve, that is the current one from now on."""
    spec = stateful_set["spec"]
    if spec["updateStrategy"].get("type") != "RollingUpdate":
        return
    if all(status[name] == spec.get("replicas", 0) for name in ("updatedReplicas", "readyReplicas", "replicas")):
        status["currentReplicas"] = status["updatedReplicas"]
        status["currentRevision"] = status["updateRevision"]


def differs(status: Document, other: Document) -> bool:
    """Whether a new status says something that the one before it does not."""
    if status["observedGeneration"] > other.get("observedGeneration", 0):
        return True
    return any((status[name] or None) != (other.get(name) or None) for name in _COMPARED)


def next_available(stateful_set: Document, pods: Iterable[StoredObject], now: datetime) -> float | None:
    """Seconds until a pod that is ready may have been so for long enough."""
    seconds: int = stateful_set["spec"].get("minReadySeconds", 0)
    waiting = [pod for pod in pods if is_ready(pod) and not is_available(pod, seconds, now)]
    if not seconds or not waiting:
        return None
    moments = [moment for pod in waiting if (moment := available_from(pod, seconds)) is not None]
    return (min(moments) - now).total_seconds() if moments else float(seconds)
