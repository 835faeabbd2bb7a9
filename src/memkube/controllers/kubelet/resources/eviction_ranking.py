"""Decides in which order a node under pressure evicts its pods, and which new pods it accepts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.pods.status import qos_class
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.aggregate_resources import pod_requests
from memkube.apis.core.v1.podspec.types.scheduling import tolerates
from memkube.controllers.kubelet.pod import SimulatedPod
from memkube.controllers.kubelet.storage.local_storage import LEAST_CRITICAL_PRIORITY
from memkube.controllers.nodes.resources import Threshold, WatchedResource

_NANO: Final = 10**9
_MIRROR: Final = "kubernetes.io/config.mirror"
_SOURCE: Final = "kubernetes.io/config.source"
_NONE: Final = Quantity("0")


@dataclass(frozen=True, slots=True)
class EvictionCandidate:
    """A pod that its node may evict, with the pod's usage of the node's resources."""

    pod: Pod
    used: Mapping[WatchedResource, int]
    """The pod's usage of each node resource: bytes of memory or disk, or number of processes."""
    of_containers: Mapping[str, Mapping[str, int]]
    """Usage of each running container in bytes, by container name and by the resource's name in messages."""

    @property
    def is_measured(self) -> bool:
        """True if any container of the pod is running, so that the pod's usage is known."""
        return bool(self.used["pids"])

    @property
    def is_critical(self) -> bool:
        """True if the pod is never evicted, and is accepted under any pressure."""
        return is_critical(self.pod)


def candidate(pod: Pod, simulated: SimulatedPod, memory: Mapping[str, int]) -> EvictionCandidate:
    """Return a pod with its present usage of the node's resources, so that it can be ranked for eviction.

    `simulated` is the state of the pod on its node. `memory` has the bytes that each running container uses, by name.
    """
    running = {name: container for name, container in simulated.containers.items() if container.is_running}
    logs = sum(container.bytes_of_logs for container in simulated.containers.values())
    on_disk = [volume.name for volume in pod.spec.volumes if volume.emptyDir and volume.emptyDir.medium != "Memory"]
    volumes = sum(len(content) for name in on_disk for content in simulated.volumes[name].values())
    return EvictionCandidate(
        pod,
        {
            "memory": sum(memory.values()),
            "nodefs": logs + volumes,
            "imagefs": sum(container.bytes_of_files for container in simulated.containers.values()),
            "pids": len(running),
        },
        {
            name: {"memory": memory.get(name, 0), "ephemeral-storage": container.bytes_written}
            for name, container in running.items()
        },
    )


def ranked(candidates: Sequence[EvictionCandidate], threshold: Threshold) -> list[EvictionCandidate]:
    """Return the pods of a node, `candidates`, in the order in which they are evicted if this threshold is met."""

    def order(candidate: EvictionCandidate) -> tuple[bool | int, ...]:
        priority = candidate.pod.spec.priority or 0
        if threshold.watched == "pids":
            return priority, candidate.is_measured, -candidate.used["pids"]
        requests = pod_requests(candidate.pod.spec)
        excess = candidate.used[threshold.watched] - requests.get(threshold.starved, _NONE).value
        if not candidate.is_measured:
            return False, False, priority, 0
        return True, excess <= 0, priority, -excess

    return sorted(candidates, key=order)


def eviction_message(evicted: EvictionCandidate, threshold: Threshold, available: int) -> str:
    """Return the status message of the pod `evicted`, which is evicted because of this threshold.

    `available` is the amount of the scarce resource that is still available on the node.
    """
    spec, starved = evicted.pod.spec, threshold.starved
    parts = [f"The node was low on resource: {starved}. ", threshold.describe(available)]
    if not evicted.is_measured or starved == "pids":
        return "".join(parts)
    if starved == "memory" and spec.resources is not None and starved in spec.resources.requests:
        request = spec.resources.requests[starved]
        parts.append(_consumption("Pod", evicted.pod.metadata.name, evicted.used["memory"], request, starved))
    for container in (*spec.containers, *spec.initContainers):
        used = evicted.of_containers.get(container.name, {}).get(starved, 0)
        request = container.resources.requests.get(starved, _NONE)
        if used * _NANO > request.nano:
            parts.append(_consumption("Container", container.name, used, request, starved))
    return "".join(parts)


def _consumption(what: str, name: str, used: int, request: Quantity, resource: str) -> str:
    amount = Quantity.of(used * _NANO, "BinarySI")
    return f"{what} {name} was using {amount}, request is {request}, has larger consumption of {resource}. "


def is_critical(pod: Pod) -> bool:
    """True if a pod is a static pod or a mirror pod, or has a system priority: 2000000000 or more."""
    annotations = pod.metadata.annotations
    is_static = annotations.get(_SOURCE, "api") != "api" or _MIRROR in annotations
    return is_static or (pod.spec.priority or 0) >= LEAST_CRITICAL_PRIORITY


def is_admitted(pod: Pod, pressures: Sequence[str]) -> bool:
    """True if a node with the pressure conditions `pressures`, such as MemoryPressure, accepts the new pod `pod`."""
    if not pressures or is_critical(pod):
        return True
    if list(pressures) != ["MemoryPressure"]:
        return False
    if qos_class(pod.spec) != "BestEffort":
        return True
    taint = {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}
    return any(tolerates(toleration.to_document(), taint) for toleration in pod.spec.tolerations)
