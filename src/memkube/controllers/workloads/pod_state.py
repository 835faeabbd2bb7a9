"""What state a pod is in, as controllers of workloads count pods (``pkg/controller/controller_utils.go``)."""

from datetime import datetime, timedelta

from memkube.registry.stored import StoredObject


def is_ended(pod: StoredObject) -> bool:
    """Whether the pod will never run again."""
    return pod.document["status"].get("phase") in ("Succeeded", "Failed")


def is_terminating(pod: StoredObject) -> bool:
    """Whether the pod is being deleted."""
    return "deletionTimestamp" in pod.document["metadata"]


def is_active(pod: StoredObject) -> bool:
    """Whether the pod counts as one of those wanted."""
    return not is_ended(pod) and not is_terminating(pod)


def is_ready(pod: StoredObject) -> bool:
    """Whether the pod serves."""
    conditions = pod.document["status"].get("conditions") or []
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def ready_since(pod: StoredObject) -> datetime | None:
    """When a ready pod became so, where that is known."""
    for condition in pod.document["status"].get("conditions") or []:
        if condition["type"] == "Ready" and condition["status"] == "True":
            since = condition.get("lastTransitionTime")
            return datetime.fromisoformat(since) if since else None
    return None


def available_from(pod: StoredObject, min_ready_seconds: int) -> datetime | None:
    """When a ready pod has been so for long enough, where that is known."""
    since = ready_since(pod)
    return None if since is None else since + timedelta(seconds=min_ready_seconds)


def is_available(pod: StoredObject, min_ready_seconds: int, now: datetime) -> bool:
    """Whether the pod has been ready for long enough."""
    if not is_ready(pod):
        return False
    if not min_ready_seconds:
        return True
    moment = available_from(pod, min_ready_seconds)
    return moment is not None and moment <= now
