"""The phase of a pod, computed from the states of its containers (``getPhase`` of the kubelet)."""

from collections.abc import Mapping
from dataclasses import dataclass

from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.controllers.kubelet.containers.container_states import Ended, Running, Waiting, is_sidecar, restarts


@dataclass(slots=True)
class _Counts:
    initializing: int = 0
    failed_for_good: int = 0
    sidecars_to_start: int = 0
    running: int = 0
    waiting: int = 0
    stopped: int = 0
    stopped_for_good: int = 0
    succeeded: int = 0


def pod_phase(spec: PodSpec, containers: Mapping[str, SimulatedContainer], *, is_terminal: bool) -> str:
    """Return the phase of a pod. `is_terminal` is True if no container of the pod will start again."""
    counts = _Counts()
    for container in spec.initContainers:
        simulated = containers[container.name]
        if is_sidecar(container):
            _count_sidecar(counts, simulated)
        else:
            _count_init(counts, spec, container, simulated)
    for container in spec.containers:
        _count_app(counts, spec, container, containers[container.name])
    has_begun = any(containers[container.name].runs for container in spec.containers)
    return _phase(counts, has_begun=has_begun, is_terminal=is_terminal)


def _phase(counts: _Counts, *, has_begun: bool, is_terminal: bool) -> str:
    if counts.failed_for_good:
        return "Failed"
    if counts.initializing or (counts.sidecars_to_start and not has_begun) or counts.waiting:
        return "Pending"
    if counts.running:
        return "Running"
    if not counts.stopped:
        return "Pending"
    if not is_terminal and counts.stopped != counts.stopped_for_good:
        return "Running"
    return "Succeeded" if counts.stopped == counts.succeeded else "Failed"


def _last_end(simulated: SimulatedContainer) -> Ended | None:
    match simulated.state:
        case Ended() as ended:
            return ended
        case Waiting():
            return simulated.last
    return None


def _count_init(counts: _Counts, spec: PodSpec, container: Container, simulated: SimulatedContainer) -> None:
    ended = _last_end(simulated)
    if ended is None:
        counts.initializing += 1
    elif ended.code != 0 and not restarts(container, spec, ended.code):
        counts.failed_for_good += 1


def _count_sidecar(counts: _Counts, simulated: SimulatedContainer) -> None:
    match simulated.state:
        case Running():
            counts.running += 1
            counts.sidecars_to_start += not simulated.started
        case Waiting() if simulated.last is None:
            counts.waiting += 1
            counts.sidecars_to_start += 1


def _count_app(counts: _Counts, spec: PodSpec, container: Container, simulated: SimulatedContainer) -> None:
    if simulated.is_running:
        counts.running += 1
        return
    ended = _last_end(simulated)
    if ended is None:
        counts.waiting += 1
        return
    counts.stopped += 1
    counts.stopped_for_good += not restarts(container, spec, ended.code)
    # As in the kubelet, a container that waits for its next run does not count as succeeded.
    counts.succeeded += ended.code == 0 and isinstance(simulated.state, Ended)
