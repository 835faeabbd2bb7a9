"""The status that a node writes of a pod (``generateAPIPodStatus`` of the kubelet)."""

from memkube.apimachinery.meta.v1.condition import date_transition, find_condition
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types import HostIP, Pod, PodIP, PodStatus
from memkube.controllers.kubelet.conditions import OWNED, owned_conditions
from memkube.controllers.kubelet.container_statuses import container_statuses
from memkube.controllers.kubelet.pod import SimulatedPod


def pod_status(pod: Pod, simulated: SimulatedPod, host_ip: str, now: Time) -> PodStatus:
    """The pod's status as it is now; what others decide stays as it is."""
    old = pod.status
    status = old.model_copy()
    status.observedGeneration = pod.metadata.generation
    if status.phase != simulated.phase:
        status.phase, status.reason, status.message = simulated.phase, "", ""
    if simulated.failure is not None:
        status.reason, status.message = simulated.failure.reason, simulated.failure.message
    status.startTime = old.startTime or now
    status.hostIP, status.hostIPs = host_ip, [HostIP(ip=host_ip)]
    if simulated.has_sandbox:
        status.podIP, status.podIPs = simulated.pod_ip, [PodIP(ip=simulated.pod_ip)]
    _set_container_statuses(status, pod, simulated)
    _set_conditions(status, pod, simulated, now)
    return status


def _set_container_statuses(status: PodStatus, pod: Pod, simulated: SimulatedPod) -> None:
    spec, containers = pod.spec, simulated.containers
    waiting = "PodInitializing" if spec.initContainers else "ContainerCreating"
    status.initContainerStatuses = container_statuses(spec.initContainers, containers, waiting)
    status.containerStatuses = sorted(
        container_statuses(spec.containers, containers, waiting), key=lambda container: container.name
    )
    status.ephemeralContainerStatuses = container_statuses(spec.ephemeralContainers, containers, "ContainerCreating")


def _set_conditions(status: PodStatus, pod: Pod, simulated: SimulatedPod, now: Time) -> None:
    has_sandbox = simulated.has_sandbox and (simulated.is_running or status.phase not in ("Succeeded", "Failed"))
    owned = owned_conditions(pod, status.phase, simulated.containers, has_sandbox=has_sandbox)
    for condition in owned:
        date_transition(condition, find_condition(pod.status.conditions, condition.type), now)
    status.conditions = [c for c in pod.status.conditions if c.type not in OWNED] + owned
