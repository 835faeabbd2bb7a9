"""Statuses of containers, as a node writes them."""

from collections.abc import Mapping, Sequence

from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types import (
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    VolumeMountStatus,
)
from memkube.controllers.kubelet.container import SimulatedContainer
from memkube.controllers.kubelet.container_states import Ended, Running, Waiting
from memkube.controllers.kubelet.setting import AnyContainer


def container_statuses(
    containers: Sequence[AnyContainer], simulated: Mapping[str, SimulatedContainer], waiting_reason: str
) -> list[ContainerStatus]:
    """One status for each container that the node has seen.

    `waiting_reason` is that of containers which wait for nothing of their own.
    """
    seen = [container for container in containers if container.name in simulated]
    return [_status(container, simulated[container.name], waiting_reason) for container in seen]


def _status(container: AnyContainer, simulated: SimulatedContainer, waiting_reason: str) -> ContainerStatus:
    status = ContainerStatus(
        name=container.name,
        state=_state(simulated.state, waiting_reason),
        lastState=ContainerState(terminated=_terminated(simulated.last) if simulated.last else None),
        ready=_is_ready(simulated),
        restartCount=simulated.restarts,
        image=simulated.image or container.image,
        imageID=simulated.image_id,
        containerID=simulated.container_id,
    )
    status.volumeMounts = [
        VolumeMountStatus(
            name=mount.name,
            mountPath=mount.mountPath,
            readOnly=mount.readOnly,
            recursiveReadOnly="Disabled" if mount.readOnly else None,
        )
        for mount in container.volumeMounts
    ]
    if simulated.role != "ephemeral":
        status.started = simulated.started
        if simulated.runs:
            status.allocatedResources = dict(container.resources.requests)
            status.resources = container.resources.model_copy()
    return status


def _is_ready(simulated: SimulatedContainer) -> bool:
    if simulated.role == "init":
        return isinstance(simulated.state, Ended) and simulated.state.code == 0
    return simulated.role != "ephemeral" and simulated.ready


def _state(state: Waiting | Running | Ended, waiting_reason: str) -> ContainerState:
    match state:
        case Running(started=started):
            return ContainerState(running=ContainerStateRunning(startedAt=Time.at(started)))
        case Ended():
            return ContainerState(terminated=_terminated(state))
        case Waiting(reason=reason, message=message):
            return ContainerState(waiting=ContainerStateWaiting(reason=reason or waiting_reason, message=message))


def _terminated(ended: Ended) -> ContainerStateTerminated:
    return ContainerStateTerminated(
        exitCode=ended.code,
        reason=ended.reason,
        message=ended.message,
        startedAt=Time.at(ended.started),
        finishedAt=Time.at(ended.finished),
        containerID=ended.container_id,
    )
