"""What the scheduler reports, and the condition that it sets."""

from typing import Final

from memkube.apis.core.v1.pods.types import PodCondition
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.scheduler.pod_info import PodInfo

UNSCHEDULABLE: Final = "Unschedulable"
SCHEDULER_ERROR: Final = "SchedulerError"
_LONGEST: Final = 1024
"""The most characters that an event may tell."""
_CUT: Final = " ..."


def scheduled(pod: PodInfo, node: str) -> Report:
    """A pod was bound."""
    return Report("Normal", "Scheduled", f"Successfully assigned {pod.namespace}/{pod.name} to {node}")


def failed(message: str) -> Report:
    """A pod was not bound."""
    short = message if len(message) <= _LONGEST else message[: _LONGEST - len(_CUT)] + _CUT
    return Report("Warning", "FailedScheduling", short)


def deleting(pod: PodInfo) -> Report:
    """A pod is on its way out, and needs no node any more."""
    return failed(f"skip schedule deleting pod: {pod.namespace}/{pod.name}")


def preempted(preemptor: PodInfo, node: str) -> Report:
    """A pod was evicted for a more important one."""
    return Report("Normal", "Preempted", f"Preempted by pod {preemptor.uid} on node {node}")


def not_scheduled(pod: PodInfo, reason: str, message: str) -> PodCondition:
    """The condition of a pod without a node."""
    return PodCondition(
        type="PodScheduled",
        status="False",
        observedGeneration=pod.stored.document["metadata"].get("generation", 0),
        reason=reason,
        message=message,
    )


def disruption_target(victim: PodInfo) -> PodCondition:
    """The condition of a pod that is evicted for a more important one."""
    return PodCondition(
        type="DisruptionTarget",
        status="True",
        observedGeneration=victim.stored.document["metadata"].get("generation", 0),
        reason="PreemptionByScheduler",
        message="default-scheduler: preempting to accommodate a higher priority pod",
    )
