"""The scheduler plugins NodePorts and ImageLocality: a filter for host ports, and scores for present images."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.framework import (
    FilterPlugin,
    PreparedFilter,
    Rejection,
    SchedulingContext,
    ScorePlugin,
)
from memkube.controllers.scheduler.node_info import NodeInfo, PodChange
from memkube.controllers.scheduler.pod_info import HostPort, PodInfo, is_taken

HOST_PORTS: Final = "NodePorts"
_TAKEN: Final = Rejection(HOST_PORTS, ("node(s) didn't have free ports for the requested pod ports",), resolvable=True)
_MEBIBYTE: Final = 1024 * 1024
_LEAST: Final = 23 * _MEBIBYTE
_MOST_PER_CONTAINER: Final = 1000 * _MEBIBYTE


def pod_change_helps(pod: PodInfo, change: PodChange) -> bool:
    """True if the deleted pod of `change` used a host port that `pod` needs."""
    if change.old is None:
        return False
    ports = set(change.old.host_ports)
    return any(is_taken(wanted, ports) for wanted in pod.host_ports)


class _Ports(PreparedFilter):
    def __init__(self, wanted: Sequence[HostPort]) -> None:
        self._wanted = wanted

    def rejects(self, node: NodeInfo) -> Rejection | None:
        return _TAKEN if any(is_taken(port, node.ports) for port in self._wanted) else None


def _prepare_ports(context: SchedulingContext) -> PreparedFilter | None:
    return _Ports(context.pod.host_ports) if context.pod.host_ports else None


HOST_PORTS_RULE: Final = FilterPlugin(HOST_PORTS, _prepare_ports)


def _image_locality(context: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    cluster, spec = context.cluster, context.pod.spec
    if not cluster.images:
        return None
    containers = [*(spec.get("initContainers") or ()), *spec["containers"]]
    images = [name for name in _image_names(spec, containers) if cluster.images[name] > 0]
    if not images:
        return None
    shares = {name: cluster.images[name] / len(cluster.nodes) for name in images}
    most = _MOST_PER_CONTAINER * len(containers)
    scores = []
    for node in nodes:
        there = node.facts.images
        size = sum(int(cluster.image_sizes[name] * shares[name]) for name in images if name in there)
        scores.append(100 * (min(max(size, _LEAST), most) - _LEAST) // (most - _LEAST))
    return scores


def _image_names(spec: Document, containers: Sequence[Document]) -> list[str]:
    names = [container.get("image", "") for container in containers]
    names += [v["image"].get("reference", "") for v in spec.get("volumes") or () if v.get("image") is not None]
    return [name if name.rfind(":") > name.rfind("/") else f"{name}:latest" for name in names]


IMAGE_LOCALITY: Final = ScorePlugin("ImageLocality", 1, _image_locality)
