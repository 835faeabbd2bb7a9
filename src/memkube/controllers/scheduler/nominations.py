"""Pods for which others were evicted, and that wait for the room (``backend/queue/nominator.go``)."""

from collections.abc import Iterable, Mapping
from typing import Final

from memkube.controllers.scheduler.pod_info import PodInfo

_NONE: Final[Mapping[str, PodInfo]] = {}


class Nominations:
    """Which pods wait for which node."""

    def __init__(self) -> None:
        self._by_node: dict[str, dict[str, PodInfo]] = {}
        self._nodes: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._nodes)

    def set(self, pod: PodInfo, node_name: str) -> None:
        """Has a pod wait for a node, and no other; for none where the name is empty."""
        self.remove(pod.uid)
        if node_name:
            self._nodes[pod.uid] = node_name
            self._by_node.setdefault(node_name, {})[pod.uid] = pod

    def remove(self, uid: str) -> str:
        """Has a pod wait no longer; returns the node that it waited for."""
        node_name = self._nodes.pop(uid, "")
        if node_name:
            waiting = self._by_node[node_name]
            del waiting[uid]
            if not waiting:
                del self._by_node[node_name]
        return node_name

    def node_of(self, uid: str) -> str:
        """The node that a pod waits for."""
        return self._nodes.get(uid, "")

    def on(self, node_name: str) -> Iterable[PodInfo]:
        """The pods that wait for a node."""
        return self._by_node.get(node_name, _NONE).values()
