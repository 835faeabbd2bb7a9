"""The conditions of a pod that its node decides (``pkg/kubelet/status/generate.go``)."""

from collections.abc import Mapping, Sequence

from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.pods.types import Pod, PodCondition
from memkube.controllers.kubelet.container import SimulatedContainer
from memkube.controllers.kubelet.container_states import Ended
from memkube.controllers.kubelet.restarts import is_sidecar

OWNED = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
"""The types, in the order in which a node writes them."""


def owned_conditions(
    pod: Pod, phase: str, containers: Mapping[str, SimulatedContainer], *, has_sandbox: bool
) -> list[PodCondition]:
    """The conditions without their times."""
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
