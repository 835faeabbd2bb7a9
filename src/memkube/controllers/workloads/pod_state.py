"""State of pods as controllers evaluate it, and the order of their deletion (``controller_utils.go``)."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cmp_to_key
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.registry.objects.stored import StoredObject

_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}
_INT32: Final = 2**31


class _PodState(NamedTuple):
    """Whether a pod has ended, whether it is ready, and since when.

    This is cached for each revision of a pod, because a change of one pod makes the controller read the state of all
    pods of the owner.
    """

    ended: bool
    ready: bool
    ready_since: str | None
    """Time at which the pod became ready; None if it is not ready or the time is unknown."""


def _state(pod: Document) -> _PodState:
    status = pod["status"]
    conditions = status.get("conditions") or []
    ready = next((each for each in conditions if each["type"] == "Ready" and each["status"] == "True"), None)
    ended = status.get("phase") in ("Succeeded", "Failed")
    since = ready.get("lastTransitionTime") if ready is not None else None
    return _PodState(ended, ready is not None, since)


def _terminating(document: Document) -> bool:
    return "deletionTimestamp" in document["metadata"]


def is_ended(pod: StoredObject) -> bool:
    """True if the pod is in the phase Succeeded or Failed."""
    return pod.fact(_state).ended


def is_terminating(stored: StoredObject) -> bool:
    """True if the pod, or another object, has a deletionTimestamp."""
    return stored.fact(_terminating)


def is_active(pod: StoredObject) -> bool:
    """True if the pod is neither terminating nor in the phase Succeeded or Failed."""
    return not is_ended(pod) and not is_terminating(pod)


def uses_no_volumes(pod: StoredObject) -> bool:
    """True if a pod has ended, or is terminating without running containers (``util.IsPodTerminated``)."""
    status = pod.document["status"]
    lists = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    states = [each.get("state") or {} for name in lists for each in status.get(name) or ()]
    return is_ended(pod) or (is_terminating(pod) and all("terminated" in s or "waiting" in s for s in states))


def is_ready(pod: StoredObject) -> bool:
    """True if the pod's condition Ready is True."""
    return pod.fact(_state).ready


def ready_since(pod: StoredObject) -> datetime | None:
    """Return the time at which a pod became ready, or None if it is unknown."""
    since = pod.fact(_state).ready_since
    return datetime.fromisoformat(since) if since else None


def available_from(pod: StoredObject, min_ready_seconds: int) -> datetime | None:
    """Return the time from which a pod counts as available; None if it is unknown since when the pod is ready."""
    since = ready_since(pod)
    return None if since is None else since + timedelta(seconds=min_ready_seconds)


def is_available(pod: StoredObject, min_ready_seconds: int, now: datetime) -> bool:
    """True if the pod has been ready for ``minReadySeconds``."""
    if not is_ready(pod):
        return False
    if not min_ready_seconds:
        return True
    moment = available_from(pod, min_ready_seconds)
    return moment is not None and moment <= now


def next_available(pods: Iterable[StoredObject], min_ready_seconds: int, now: datetime) -> float | None:
    """Return the seconds until the next pod has been ready for `min_ready_seconds`; None if all ready pods have."""
    waiting = [pod for pod in pods if is_ready(pod) and not is_available(pod, min_ready_seconds, now)]
    if not waiting:
        return None
    moments = [moment for pod in waiting if (moment := available_from(pod, min_ready_seconds)) is not None]
    return (min(moments) - now).total_seconds() if moments else float(min_ready_seconds)


def pods_to_delete(
    pods: Sequence[StoredObject], related: Iterable[StoredObject], count: int, now: datetime
) -> list[StoredObject]:
    """Return `count` pods to delete: unscheduled pods first, then pods that are not running, then pods not ready.

    `related` are all pods of the workload, such as those of all ReplicaSets of a Deployment. Among otherwise equal
    pods, those on nodes with many active pods of the workload come first.
    """
    if count >= len(pods):
        return list(pods)
    neighbours = Counter(_node(pod) for pod in related if is_active(pod))
    return sorted(pods, key=cmp_to_key(_Comparison(neighbours, now)))[:count]


def deletion_order(pod: StoredObject) -> tuple[Any, ...]:
    """Sort key of pods in the order of their deletion (``ActivePods``).

    Unscheduled, not running and not ready pods come first, and newer pods before older pods.
    """
    since = ready_since(pod) if is_ready(pod) else None
    phase = _PHASES.get(pod.document["status"].get("phase", ""), 0)
    regular, sidecars = _restarts(pod)
    return (
        bool(_node(pod)),
        phase,
        is_ready(pod),
        since is not None,
        -since.timestamp() if since else 0,
        -regular,
        -sidecars,
        -_created(pod).timestamp(),
    )


class _Comparison:
    """Comparison of two pods. The result is negative if the first must be deleted before the second."""

    def __init__(self, neighbours: Counter[str], now: datetime) -> None:
        self._neighbours = neighbours
        self._now = now

    def __call__(self, one: StoredObject, other: StoredObject) -> int:
        mine, theirs = self._rank(one), self._rank(other)
        if mine != theirs:
            return -1 if mine < theirs else 1
        if is_ready(one) and is_ready(other):
            order = self._newer_first(one, other, ready_since(one), ready_since(other))
            if order is not None:
                return order
        if _restarts(one) != _restarts(other):
            return -1 if _restarts(one) > _restarts(other) else 1
        return self._newer_first(one, other, _created(one), _created(other)) or 0

    def _rank(self, pod: StoredObject) -> tuple[bool, int, bool, int, int]:
        phase = _PHASES.get(pod.document["status"].get("phase", ""), 0)
        return bool(_node(pod)), phase, is_ready(pod), _cost(pod), -self._neighbours[_node(pod)]

    def _newer_first(
        self, one: StoredObject, other: StoredObject, mine: datetime | None, theirs: datetime | None
    ) -> int | None:
        """Compare the ages of two pods on a logarithmic scale (KEP-2185): newer pods come first.

        `mine` and `theirs` are the times from which the ages count. Returns None if the times are equal. If only the
        scaled ages are equal, the uids decide, which is as good as random.
        """
        if mine == theirs:
            return None
        if mine is None or theirs is None:
            return -1 if mine is None else 1
        difference = _magnitude(self._now - mine) - _magnitude(self._now - theirs)
        return difference or (-1 if one.uid < other.uid else 1)


def _magnitude(age: timedelta) -> int:
    nanoseconds = age // timedelta(microseconds=1) * 1000
    return int(math.log2(nanoseconds)) if nanoseconds > 0 else -1


def _node(pod: StoredObject) -> str:
    name: str = pod.document["spec"].get("nodeName", "")
    return name


def _cost(pod: StoredObject) -> int:
    text = (pod.document["metadata"].get("annotations") or {}).get(_COST, "0")
    if text.startswith("+") or (text.lstrip("-").startswith("0") and text != "0"):
        return 0
    try:
        cost = int(text)
    except ValueError:
        return 0
    return cost if -_INT32 <= cost < _INT32 else 0


def _restarts(pod: StoredObject) -> tuple[int, int]:
    """Return the highest restart count of a pod's containers, and the highest one of its sidecars."""
    status, spec = pod.document["status"], pod.document["spec"]
    sidecars = {c["name"] for c in spec.get("initContainers") or [] if c.get("restartPolicy") == "Always"}
    regular = [each.get("restartCount", 0) for each in status.get("containerStatuses") or []]
    initial = status.get("initContainerStatuses") or []
    return (
        max(regular, default=0),
        max([each.get("restartCount", 0) for each in initial if each["name"] in sidecars], default=0),
    )


def _created(pod: StoredObject) -> datetime:
    return datetime.fromisoformat(pod.document["metadata"]["creationTimestamp"])
