"""Events that the scheduler records, and conditions of pods that it sets."""

from typing import Final

from memkube.apis.core.v1.pods.types import PodCondition
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.scheduler.pod_info import PodInfo

UNSCHEDULABLE: Final = "Unschedulable"
SCHEDULER_ERROR: Final = "SchedulerError"
_LONGEST: Final = 1024
"""Maximum number of characters in the message of an Event."""
_CUT: Final = " ..."


def scheduled(pod: PodInfo, node: str) -> Report:
    """Return the Event Scheduled, which reports that a pod was bound to a node."""
    return Report(
        "Normal", "Scheduled", f"Successfully assigned {pod.namespace}/{pod.name} to {node}", action="Binding"
    )


def failed(message: str) -> Report:
    """Return the Event FailedScheduling about a pod that was not scheduled. A long message is truncated."""
    short = message if len(message) <= _LONGEST else message[: _LONGEST - len(_CUT)] + _CUT
    return Report("Warning", "FailedScheduling", short, action="Scheduling")


def deleting(pod: PodInfo) -> Report:
    """Return the Event FailedScheduling about a terminating pod, which is not scheduled."""
    return failed(f"skip schedule deleting pod: {pod.namespace}/{pod.name}")


def preempted(preemptor: PodInfo, node: str) -> Report:
    """Return the Event Preempted about a pod that is evicted from the node to make room for the pod `preemptor`."""
    return Report("Normal", "Preempted", f"Preempted by pod {preemptor.uid} on node {node}", action="Preempting")


def not_scheduled(pod: PodInfo, reason: str, message: str) -> PodCondition:
    """Return the condition PodScheduled with status False, for a pod without a node."""
    return PodCondition(
        type="PodScheduled",
        status="False",
        observedGeneration=pod.stored.document["metadata"].get("generation", 0),
        reason=reason,
        message=message,
    )


def disruption_target(preemptor: PodInfo, victim: PodInfo) -> PodCondition:
    """Return the condition DisruptionTarget for the pod `victim`, which is evicted to make room for `preemptor`."""
    return PodCondition(
        type="DisruptionTarget",
        status="True",
        observedGeneration=victim.stored.document["metadata"].get("generation", 0),
        reason="PreemptionByScheduler",
        message=f"{preemptor.scheduler_name}: preempting to accommodate a higher priority pod",
    )
