"""The scheduler's cache of nodes and their pods (``pkg/scheduler/backend/cache``).

A pod is counted on its node as soon as the node is chosen (assumed), even before the binding is written.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from memkube.controllers.scheduler.neighbours import Neighbours
from memkube.controllers.scheduler.node_info import NO_FACTS, Change, NodeChange, NodeFacts, NodeInfo, node_changes
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.registry.objects.stored import StoredObject

_NONE: Final[Mapping[str, PodInfo]] = {}


class Nominations:
    """Index of nominated pods: unscheduled pods with the node that is kept free for each of them.

    Usually, preemption has evicted pods from this node to make room for the nominated pod.
    """

    def __init__(self) -> None:
        self._by_node: dict[str, dict[str, PodInfo]] = {}
        self._nodes: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._nodes)

    def set(self, pod: PodInfo, node_name: str) -> None:
        """Nominate a pod to the node `node_name`, and to no other. An empty name removes the pod's nomination."""
        self.remove(pod.uid)
        if node_name:
            self._nodes[pod.uid] = node_name
            self._by_node.setdefault(node_name, {})[pod.uid] = pod

    def remove(self, uid: str) -> str:
        """Remove the nomination of a pod.

        Returns the name of the node to which it was nominated; empty if it was not.
        """
        node_name = self._nodes.pop(uid, "")
        if node_name:
            waiting = self._by_node[node_name]
            del waiting[uid]
            if not waiting:
                del self._by_node[node_name]
        return node_name

    def node_of(self, uid: str) -> str:
        """Return the name of the node to which a pod is nominated; empty if it is not nominated."""
        return self._nodes.get(uid, "")

    def on(self, node_name: str) -> Iterable[PodInfo]:
        """Return the pods that are nominated to a node."""
        return self._by_node.get(node_name, _NONE).values()


class Cluster:
    """The scheduler's cache of nodes and their pods, with counts for pod affinity and topology spread."""

    def __init__(self) -> None:
        self.neighbours = Neighbours()
        self.nominations = Nominations()
        self.tainted = 0
        """Number of nodes with NoSchedule or NoExecute taints."""
        self.avoided = 0
        """Number of nodes with PreferNoSchedule taints."""
        self.cordoned = 0
        """Number of cordoned nodes."""
        self.images: Counter[str] = Counter()
        """Number of nodes that have each image."""
        self.image_sizes: dict[str, int] = {}
        """Size of each image in bytes, as the first node with the image states it."""
        self.claims: Counter[tuple[str, str]] = Counter()
        """Number of bound pods that use each PersistentVolumeClaim, by its namespace and name."""
        self._infos: dict[str, NodeInfo] = {}
        self._nodes: Sequence[NodeInfo] | None = None
        self._pods: dict[str, PodInfo] = {}
        self._assumed: set[str] = set()
        self._priorities: Counter[int] = Counter()

    @property
    def nodes(self) -> Sequence[NodeInfo]:
        """The existing nodes, sorted by name."""
        if self._nodes is None:
            there = (info for info in self._infos.values() if info.facts is not NO_FACTS)
            self._nodes = sorted(there, key=lambda info: info.name)
        return self._nodes

    def node(self, name: str) -> NodeInfo | None:
        """Return the node of this name, or None if no such Node object exists."""
        info = self._infos.get(name)
        return None if info is None or info.facts is NO_FACTS else info

    def pod(self, uid: str) -> PodInfo | None:
        """Return the pod with this uid if it is bound or assumed to be on a node, otherwise None."""
        return self._pods.get(uid)

    def is_assumed(self, uid: str) -> bool:
        """True if a node was chosen for a pod, and the event of the pod's binding has not arrived yet."""
        return uid in self._assumed

    def has_less_important(self, priority: int) -> bool:
        """True if a pod on any node has a priority lower than `priority`, so that preemption may help."""
        return min(self._priorities, default=priority) < priority

    def put_node(self, node: StoredObject) -> tuple[NodeChange, set[Change]]:
        """Add or update a node. Returns a pair: the change, and its kinds, such as added or changed labels."""
        facts = NodeFacts(node.document)
        info = self._infos.setdefault(node.name, NodeInfo(node.name))
        old = None if info.facts is NO_FACTS else info.facts
        kinds = node_changes(info.facts, facts)
        self._replace_facts(info, facts)
        return NodeChange(node.name, old, facts), kinds

    def remove_node(self, name: str) -> NodeChange:
        """Remove a node from the cache, and return the change. Its pods stay in the cache until their own deletion."""
        info = self._infos[name]
        change = NodeChange(name, info.facts, None)
        self._replace_facts(info, NO_FACTS)
        self._drop_if_empty(info)
        return change

    def put_pod(self, pod: PodInfo) -> None:
        """Add a pod to the cached pods of its node. A new revision of the pod replaces an old one."""
        self.remove_pod(pod.uid)
        info = self._infos.setdefault(pod.node_name, NodeInfo(pod.node_name))
        self._pods[pod.uid] = pod
        self._priorities[pod.priority] += 1
        for claim in pod.claims:
            self.claims[(pod.namespace, claim)] += 1
        info.add(pod)
        self.neighbours.add(pod, info.name)

    def assume(self, pod: PodInfo, node_name: str) -> None:
        """Add a pod to the cached pods of the node that was chosen for it, before the pod is bound (``AssumePod``)."""
        pod.node_name = node_name
        self.put_pod(pod)
        self._assumed.add(pod.uid)

    def confirm(self, pod: StoredObject) -> None:
        """Mark an assumed pod as bound to its node."""
        self._assumed.discard(pod.uid)
        self._pods[pod.uid].stored = pod

    def remove_pod(self, uid: str) -> PodInfo | None:
        """Remove a pod from the cached pods of its node. Returns the pod, or None if the cache does not contain it."""
        pod = self._pods.pop(uid, None)
        self._assumed.discard(uid)
        if pod is None:
            return None
        self._priorities[pod.priority] -= 1
        if not self._priorities[pod.priority]:
            del self._priorities[pod.priority]
        for claim in pod.claims:
            self.claims[(pod.namespace, claim)] -= 1
            if not self.claims[(pod.namespace, claim)]:
                del self.claims[(pod.namespace, claim)]
        info = self._infos[pod.node_name]
        info.remove(pod)
        self.neighbours.remove(pod, info.name)
        self._drop_if_empty(info)
        return pod

    @contextmanager
    def without_pod(self, uid: str) -> Iterator[None]:
        """Context manager that removes a pod from the cache during its block, which must not await anything."""
        assumed = self.is_assumed(uid)
        pod = self.remove_pod(uid)
        try:
            yield
        finally:
            if pod is not None:
                self.put_pod(pod)
            if assumed:
                self._assumed.add(uid)

    def _replace_facts(self, info: NodeInfo, facts: NodeFacts) -> None:
        old = info.facts
        if old is NO_FACTS or facts is NO_FACTS:
            self._nodes = None
        self.tainted += bool(facts.taints) - bool(old.taints)
        self.avoided += bool(facts.avoided) - bool(old.avoided)
        self.cordoned += facts.unschedulable - old.unschedulable
        self._replace_images(old.images, facts.images)
        info.facts, info.balance = facts, None

    def _replace_images(self, old: Mapping[str, int], new: Mapping[str, int]) -> None:
        self.images.subtract(old.keys())
        for name in old:
            if not self.images[name]:
                del self.images[name], self.image_sizes[name]
        self.images.update(new.keys())
        for name, size in new.items():
            self.image_sizes.setdefault(name, size)

    def _drop_if_empty(self, info: NodeInfo) -> None:
        if info.facts is NO_FACTS and not info.pods:
            del self._infos[info.name]
