"""Eviction of pods that exceed their limits of local storage (``localStorageEviction`` of the kubelet)."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Final

from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.aggregate_resources import aggregate_limits
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.controllers.kubelet.programs.inodes import Contents

CHECK_PERIOD: Final = timedelta(seconds=10)
_STORAGE: Final = "ephemeral-storage"
LEAST_CRITICAL_PRIORITY: Final = 2_000_000_000
"""Pods with at least this priority are not evicted by their node."""


def is_evictable(spec: PodSpec) -> bool:
    """True if the pod has a limit of local storage, and may be evicted for exceeding it."""
    if (spec.priority or 0) >= LEAST_CRITICAL_PRIORITY:
        return False
    return any(_volume_limits(spec)) or _STORAGE in aggregate_limits(spec)


def excess(
    spec: PodSpec,
    volumes: Mapping[str, Contents],
    containers: Mapping[str, SimulatedContainer],
) -> str:
    """Return the kubelet's message about the storage limit that a pod exceeds, or an empty string.

    A file counts towards the limit of the volume or container that contains it. Logs count towards the limit of their
    container.
    """
    for name, limit in _volume_limits(spec):
        if _bytes_in(volumes[name]) > limit.value:
            return f"Usage of EmptyDir volume {quoted(name)} exceeds the limit {quoted(str(limit))}. "
    on_disk = {volume.name for volume in spec.volumes if volume.emptyDir and volume.emptyDir.medium != "Memory"}
    total = sum(_bytes_in(volumes[name]) for name in on_disk) + sum(c.bytes_written for c in containers.values())
    pod_limit = aggregate_limits(spec).get(_STORAGE)
    if pod_limit is not None:
        pod_limit = pod_limit.plus(spec.overhead.get(_STORAGE, Quantity("0")))
        if total > pod_limit.value:
            return f"Pod ephemeral local storage usage exceeds the total limit of containers {pod_limit}. "
    for container in spec.containers:
        limit = container.resources.limits.get(_STORAGE, Quantity("0"))
        if 0 < limit.value < containers[container.name].bytes_written:
            return f"Container {container.name} exceeded its local ephemeral storage limit {quoted(str(limit))}. "
    return ""


def _volume_limits(spec: PodSpec) -> Iterator[tuple[str, Quantity]]:
    for volume in spec.volumes:
        limit = volume.emptyDir.sizeLimit if volume.emptyDir is not None else None
        if limit is not None and limit.nano > 0:
            yield volume.name, limit


def _bytes_in(files: Contents) -> int:
    return sum(map(len, files.values()))
