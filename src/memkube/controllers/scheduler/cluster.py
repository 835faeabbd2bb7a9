"""The accounts of all nodes (``pkg/scheduler/backend/cache``).

A pod that was given a node is counted there at once (it is assumed), before anybody has seen it bound.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from memkube.controllers.scheduler.neighbours import Neighbours
from memkube.controllers.scheduler.node_info import NO_FACTS, Change, NodeFacts, NodeInfo, node_changes
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.registry.objects.stored import StoredObject

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


class Cluster:
    """Nodes, the pods on them, and what those have to do with each other."""

    def __init__(self) -> None:
        self.neighbours = Neighbours()
        self.nominations = Nominations()
        self.tainted = 0
        """How many nodes have taints that keep pods off."""
        self.avoided = 0
        """How many nodes have taints that pods are better kept away from."""
        self.cordoned = 0
        """How many nodes take no new pods."""
        self.images: Counter[str] = Counter()
        """How many nodes have an image."""
        self._infos: dict[str, NodeInfo] = {}
        self._nodes: Sequence[NodeInfo] | None = None
        self._pods: dict[str, PodInfo] = {}
        self._assumed: set[str] = set()
        self._priorities: Counter[int] = Counter()

    @property
    def nodes(self) -> Sequence[NodeInfo]:
        """The nodes that there are, by name."""
        if self._nodes is None:
            there = (info for info in self._infos.values() if info.facts is not NO_FACTS)
            self._nodes = sorted(there, key=lambda info: info.name)
        return self._nodes

    def node(self, name: str) -> NodeInfo | None:
        """A node that there is."""
        info = self._infos.get(name)
        return None if info is None or info.facts is NO_FACTS else info

    def pod(self, uid: str) -> PodInfo | None:
        """A pod that has a node."""
        return self._pods.get(uid)

    def is_assumed(self, uid: str) -> bool:
        """Whether a pod was given a node and has not been seen bound yet."""
        return uid in self._assumed

    def has_less_important(self, priority: int) -> bool:
        """Whether there is a pod with a node whose priority is less."""
        return min(self._priorities, default=priority) < priority

    def put_node(self, node: StoredObject) -> set[Change]:
        """Takes over what a node's object says; returns what that has changed."""
        facts = NodeFacts(node.document)
        info = self._infos.setdefault(node.name, NodeInfo(node.name))
        changes = node_changes(info.facts, facts)
        self._replace_facts(info, facts)
        return changes

    def remove_node(self, name: str) -> None:
        """Forgets a node; its pods are still counted until they are gone, too."""
        info = self._infos[name]
        self._replace_facts(info, NO_FACTS)
        self._drop_if_empty(info)

    def put_pod(self, pod: PodInfo) -> None:
        """Counts a pod on its node, or counts it anew where it has changed."""
        self.remove_pod(pod.uid)
        info = self._infos.setdefault(pod.node_name, NodeInfo(pod.node_name))
        self._pods[pod.uid] = pod
        self._priorities[pod.priority] += 1
        info.add(pod)
        self.neighbours.add(pod, info.name)

    def assume(self, pod: PodInfo, node_name: str) -> None:
        """Counts a pod on the node that it has been given."""
        pod.node_name = node_name
        self.put_pod(pod)
        self._assumed.add(pod.uid)

    def confirm(self, pod: StoredObject) -> None:
        """An assumed pod has been seen bound to the node that it is counted on."""
        self._assumed.discard(pod.uid)
        self._pods[pod.uid].stored = pod

    def remove_pod(self, uid: str) -> PodInfo | None:
        """Counts a pod no longer; returns it if it was."""
        pod = self._pods.pop(uid, None)
        self._assumed.discard(uid)
        if pod is None:
            return None
        self._priorities[pod.priority] -= 1
        if not self._priorities[pod.priority]:
            del self._priorities[pod.priority]
        info = self._infos[pod.node_name]
        info.remove(pod)
        self.neighbours.remove(pod, info.name)
        self._drop_if_empty(info)
        return pod

    def _replace_facts(self, info: NodeInfo, facts: NodeFacts) -> None:
        old = info.facts
        if old is NO_FACTS or facts is NO_FACTS:
            self._nodes = None
        self.tainted += bool(facts.taints) - bool(old.taints)
        self.avoided += bool(facts.avoided) - bool(old.avoided)
        self.cordoned += facts.unschedulable - old.unschedulable
        self.images.subtract(old.images.keys())
        self.images.update(facts.images.keys())
        info.facts, info.balance = facts, None

    def _drop_if_empty(self, info: NodeInfo) -> None:
        if info.facts is NO_FACTS and not info.pods:
            del self._infos[info.name]
