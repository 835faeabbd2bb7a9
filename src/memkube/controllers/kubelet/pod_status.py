"""The status that the kubelet writes for a pod (``generateAPIPodStatus`` of the kubelet)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from memkube.apimachinery.meta.v1.condition import date_transition, find_condition
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types import (
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    HostIP,
    Pod,
    PodCondition,
    PodIP,
    PodStatus,
    VolumeMountStatus,
)
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.controllers.kubelet.containers.container_states import Ended, Running, Waiting, is_sidecar
from memkube.controllers.kubelet.pod import SimulatedPod
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.controllers.kubelet.resources.resizing import IN_PROGRESS, PENDING, resize_conditions, resources_in_effect

OWNED = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
"""Condition types of pods that the kubelet owns, in the order in which it writes them."""
_LOST = ContainerStateTerminated(
    exitCode=137,
    reason="ContainerStatusUnknown",
    message="The container could not be located when the pod was terminated",
)
"""State of a container whose end the kubelet has not seen, although all containers of its pod have ended."""


def owned_conditions(
    pod: Pod, phase: str, containers: Mapping[str, SimulatedContainer], *, has_sandbox: bool
) -> list[PodCondition]:
    """Return the pod conditions that the kubelet sets, such as Ready, without transition times.

    `phase` is the phase that the pod will have, and `containers` are the states of its containers by name.
    `has_sandbox` is True if the sandbox of the pod was created.
    """
    ready_to_start = PodCondition(type="PodReadyToStartContainers", status="True" if has_sandbox else "False")
    containers_ready = _containers_ready(pod, phase, containers)
    conditions = [
        ready_to_start,
        _initialized(pod, phase, containers),
        _ready(pod, containers_ready),
        containers_ready,
        PodCondition(type="PodScheduled", status="True"),
    ]
    for condition in conditions:
        condition.observedGeneration = pod.metadata.generation
    return conditions


def _initialized(pod: Pod, phase: str, containers: Mapping[str, SimulatedContainer]) -> PodCondition:
    if phase == "Succeeded":
        return PodCondition(type="Initialized", status="True", reason="PodCompleted")
    has_begun = any(containers[container.name].runs for container in pod.spec.containers)
    incomplete = [c.name for c in pod.spec.initContainers if not _is_complete(containers[c.name])]
    if has_begun or not incomplete:
        return PodCondition(type="Initialized", status="True")
    return PodCondition(
        type="Initialized",
        status="False",
        reason="ContainersNotInitialized",
        message=f"containers with incomplete status: {_listed(incomplete)}",
    )


def _is_complete(simulated: SimulatedContainer) -> bool:
    if simulated.role == "sidecar":
        return simulated.started
    return isinstance(simulated.state, Ended) and simulated.state.code == 0


def _containers_ready(pod: Pod, phase: str, containers: Mapping[str, SimulatedContainer]) -> PodCondition:
    condition = PodCondition(type="ContainersReady", status="False")
    if phase in ("Succeeded", "Failed"):
        condition.reason = "PodCompleted" if phase == "Succeeded" else "PodFailed"
        return condition
    names = [container.name for container in pod.spec.initContainers if is_sidecar(container)]
    names += [container.name for container in pod.spec.containers]
    unready = [name for name in names if not containers[name].ready]
    if unready:
        condition.reason = "ContainersNotReady"
        condition.message = f"containers with unready status: {_listed(unready)}"
    else:
        condition.status = "True"
    return condition


def _ready(pod: Pod, containers_ready: PodCondition) -> PodCondition:
    ready = containers_ready.model_copy(update={"type": "Ready"})
    if containers_ready.status != "True":
        return ready
    found = {condition.type: condition.status for condition in pod.status.conditions}
    problems = []
    for gate in pod.spec.readinessGates:
        name = quoted(gate.conditionType)
        if gate.conditionType not in found:
            problems.append(f"corresponding condition of pod readiness gate {name} does not exist.")
        elif (status := found[gate.conditionType]) != "True":
            problems.append(f'the status of pod readiness gate {name} is not "True", but {status}')
    if problems:
        ready.status, ready.reason, ready.message = "False", "ReadinessGatesNotReady", ", ".join(problems)
    return ready


def _listed(names: Sequence[str]) -> str:
    return f"[{' '.join(names)}]"


@dataclass(frozen=True, slots=True)
class NodeView:
    """Properties of a node that go into the status of its pods."""

    host_ip: str
    now: datetime
    written: Callable[[datetime], Time] = Time.at
    """Function that converts a time to the time of the node's clock, which an injected fault may shift."""


def container_statuses(
    containers: Sequence[AnyContainer],
    simulated: Mapping[str, SimulatedContainer],
    waiting_reason: str,
    written: Callable[[datetime], Time],
) -> list[ContainerStatus]:
    """Return the status of each container that has a state in `simulated`. Other containers have no status yet.

    A waiting container without a reason gets `waiting_reason`. `written` takes a time, and returns it as the node's
    clock shows it, for the status.
    """
    seen = [container for container in containers if container.name in simulated]
    return [_status(container, simulated[container.name], waiting_reason, written) for container in seen]


def _status(
    container: AnyContainer, simulated: SimulatedContainer, waiting_reason: str, written: Callable[[datetime], Time]
) -> ContainerStatus:
    status = ContainerStatus(
        name=container.name,
        state=_state(simulated.state, waiting_reason, written),
        lastState=ContainerState(terminated=_terminated(simulated.last, written) if simulated.last else None),
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
        status.allocatedResources = dict(simulated.resources.requests)
        status.resources = (simulated.actual if simulated.is_running else simulated.resources).model_copy()
    return status


def _is_ready(simulated: SimulatedContainer) -> bool:
    if simulated.role == "init":
        return isinstance(simulated.state, Ended) and simulated.state.code == 0
    return simulated.role != "ephemeral" and simulated.ready


def _state(
    state: Waiting | Running | Ended, waiting_reason: str, written: Callable[[datetime], Time]
) -> ContainerState:
    match state:
        case Running(started=started):
            return ContainerState(running=ContainerStateRunning(startedAt=written(started)))
        case Ended():
            return ContainerState(terminated=_terminated(state, written))
        case Waiting(reason=reason, message=message):
            return ContainerState(waiting=ContainerStateWaiting(reason=reason or waiting_reason, message=message))


def _terminated(ended: Ended, written: Callable[[datetime], Time]) -> ContainerStateTerminated:
    return ContainerStateTerminated(
        exitCode=ended.code,
        reason=ended.reason,
        message=ended.message,
        startedAt=written(ended.started),
        finishedAt=written(ended.finished),
        containerID=ended.container_id,
    )


def pod_status(pod: Pod, simulated: SimulatedPod, node: NodeView) -> PodStatus:
    """Return the new status of a pod, whose state on the node is `simulated`.

    Conditions that other components own are kept. The phase becomes Failed or Succeeded only after all containers of
    the pod have ended (``mergePodStatus``).
    """
    old, now = pod.status, node.written(node.now)
    status = old.model_copy()
    status.observedGeneration = pod.metadata.generation
    if not simulated.is_ending:
        if status.phase != simulated.phase:
            status.phase, status.reason, status.message = simulated.phase, "", ""
        if simulated.failure is not None:
            status.reason, status.message = simulated.failure.reason, simulated.failure.message
    status.startTime = old.startTime or now
    if simulated.failure is not None and simulated.failure.is_rejection:
        status.conditions = [condition for condition in old.conditions if condition.type not in OWNED]
        return status
    status.hostIP, status.hostIPs = node.host_ip, [HostIP(ip=node.host_ip)]
    if simulated.has_sandbox:
        status.podIP, status.podIPs = simulated.pod_ip, [PodIP(ip=simulated.pod_ip)]
    _set_container_statuses(status, pod, simulated, node.written)
    allocated, is_running = simulated.allocated_spec(pod.spec), simulated.phase == "Running"
    present = simulated.actual_spec(pod.spec) if is_running else allocated
    status.resources = resources_in_effect(present, is_running=is_running).model_copy()
    status.allocatedResources = dict(resources_in_effect(allocated, is_running=False).requests)
    _set_conditions(status, pod, simulated, now)
    if simulated.has_ended:
        _finish(status, pod)
    return status


def _finish(status: PodStatus, pod: Pod) -> None:
    """Complete the status of a pod whose containers have all ended (``TerminatePod``).

    The state `_LOST` is set for each container without an end: for main containers if the pod was initialized, and for
    init containers up to the last one that was started. The phase becomes Failed if it is not Succeeded.
    """
    started = [_was_started(container) for container in status.initContainerStatuses]
    is_initialized = not pod.spec.initContainers or any(map(_was_started, status.containerStatuses))
    if started:
        last = status.initContainerStatuses[-1]
        ended = last.state.terminated or last.lastState.terminated
        is_initialized |= ended is not None and ended.exitCode == 0 and not is_sidecar(pod.spec.initContainers[-1])
    known = max((number for number, was_started in enumerate(started, 1) if was_started), default=1)
    for container in (*status.initContainerStatuses[:known], *(status.containerStatuses if is_initialized else ())):
        if container.state.terminated is None:
            container.state = ContainerState(terminated=_LOST)
    if status.phase not in ("Succeeded", "Failed"):
        status.phase = "Failed"


def _was_started(container: ContainerStatus) -> bool:
    return container.state.waiting is None or container.lastState.terminated is not None


def _set_container_statuses(
    status: PodStatus, pod: Pod, simulated: SimulatedPod, written: Callable[[datetime], Time]
) -> None:
    spec, containers = pod.spec, simulated.containers
    waiting = "PodInitializing" if spec.initContainers else "ContainerCreating"
    status.initContainerStatuses = container_statuses(spec.initContainers, containers, waiting, written)
    status.containerStatuses = container_statuses(spec.containers, containers, waiting, written)
    status.ephemeralContainerStatuses = container_statuses(spec.ephemeralContainers, containers, waiting, written)
    for statuses in (status.containerStatuses, status.ephemeralContainerStatuses):
        statuses.sort(key=attrgetter("name"))


def _set_conditions(status: PodStatus, pod: Pod, simulated: SimulatedPod, now: Time) -> None:
    has_sandbox = simulated.has_sandbox and (simulated.is_running or status.phase not in ("Succeeded", "Failed"))
    owned = owned_conditions(pod, simulated.phase, simulated.containers, has_sandbox=has_sandbox)
    kept = [condition for condition in pod.status.conditions if condition.type not in (*OWNED, PENDING, IN_PROGRESS)]
    if simulated.failure is not None and simulated.failure.is_disruption and not simulated.is_ending:
        kept = _with_disruption(kept, pod, simulated.failure.disruption or simulated.failure.message, now)
    for condition in owned:
        date_transition(condition, find_condition(pod.status.conditions, condition.type), now)
    status.conditions = [
        *kept,
        *resize_conditions(pod, simulated.deferral, simulated.resize_in_progress, simulated.resize_problem, now),
        *owned,
    ]


def _with_disruption(conditions: Sequence[PodCondition], pod: Pod, message: str, now: Time) -> list[PodCondition]:
    """Return the pod's conditions with DisruptionTarget, which says that the kubelet terminated the pod.

    `message` is the message of this condition.
    """
    known = find_condition(conditions, "DisruptionTarget")
    disruption = PodCondition(type="DisruptionTarget", status="True", reason="TerminationByKubelet", message=message)
    disruption.observedGeneration = pod.metadata.generation
    date_transition(disruption, known, now)
    return [*(condition for condition in conditions if condition is not known), disruption]
