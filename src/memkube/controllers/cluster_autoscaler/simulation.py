"""A copy of the cluster in which the autoscaler tries to place pods (``simulator/clustersnapshot``)."""

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.filtering import Filtering
from memkube.controllers.scheduler.framework import ClusterListers, Impossible, Profile, SchedulingContext
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.profiles import DEFAULT_PROFILE
from memkube.registry.objects.stored import StoredObject


class FrameworkHandle(NamedTuple):
    """Inputs of the scheduler's filter plugins other than nodes and pods: listers of other objects, and profiles."""

    listers: ClusterListers
    profiles: Mapping[str, Profile]

    def profile_of(self, pod: PodInfo) -> Profile:
        """Return the scheduler profile that the pod's ``schedulerName`` names, or else the default profile."""
        return self.profiles.get(pod.scheduler_name, DEFAULT_PROFILE)


class SimulatedCluster:
    """Copy of the nodes and pods at one instant. Changes of the copy do not affect the cluster."""

    def __init__(self, handle: FrameworkHandle) -> None:
        self._handle = handle
        self._cluster = Cluster()
        self._nodes: dict[str, StoredObject] = {}

    def put_node(self, node: StoredObject) -> None:
        """Add a node to the simulation, or replace the node of the same name."""
        self._nodes[node.name] = node
        self._cluster.put_node(node)

    def remove_node(self, name: str) -> None:
        """Exclude a node from the placement of pods in the simulation.

        The node's pods stay in the simulation.
        """
        self._cluster.remove_node(name)

    def restore_node(self, name: str) -> None:
        """Let the simulation place pods again on a node that `remove_node` has excluded."""
        self._cluster.put_node(self._nodes[name])

    def drop_node(self, name: str) -> None:
        """Remove a node and its pods from the simulation."""
        for pod in self.pods_on(name):
            self._cluster.remove_pod(pod.uid)
        self._cluster.remove_node(name)
        del self._nodes[name]

    def put_pod(self, pod: PodInfo) -> None:
        """Add a pod that is bound to a node to the simulation."""
        self._cluster.put_pod(pod)

    def node(self, name: str) -> NodeInfo | None:
        """Return the node with this name, or None if it does not exist."""
        return self._cluster.node(name)

    def pods_on(self, name: str) -> list[PodInfo]:
        """Return the pods that are bound to a node in the simulation."""
        info = self._cluster.node(name)
        return [] if info is None else list(info.pods.values())

    def place(self, pod: PodInfo, node: str) -> None:
        """Bind an unbound pod to this node in the autoscaler's simulation, not in the cluster."""
        pod.node_name = node
        self._cluster.put_pod(pod)

    def place_anywhere(self, pod: PodInfo, not_on: Container[str] = ()) -> bool:
        """Bind a pod to the first node, except those in `not_on`, that the filter plugins accept.

        Returns False if they accept no node.
        """
        checks = self._filtering(pod)
        if isinstance(checks, Filtering):
            for node in self._cluster.nodes:
                if node.name not in not_on and checks.rejects(node) is None:
                    self.place(pod, node.name)
                    return True
        return False

    def place_on_any_of(self, pod: PodInfo, names: Sequence[str]) -> bool:
        """Bind a pod to the first of the named nodes that the filter plugins accept.

        Returns False if they accept none.
        """
        checks = self._filtering(pod)
        for name in names if isinstance(checks, Filtering) else ():
            node = self._cluster.node(name)
            if node is not None and isinstance(checks, Filtering) and checks.rejects(node) is None:
                self.place(pod, name)
                return True
        return False

    def reasons_against(self, pod: PodInfo, name: str) -> tuple[str, ...]:
        """Return the reasons of the filter plugins why a pod does not fit on a node; empty if it fits."""
        checks = self._filtering(pod)
        if not isinstance(checks, Filtering):
            return checks
        node = self._cluster.node(name)
        assert node is not None
        rejection = checks.rejects(node)
        return () if rejection is None else rejection.reasons

    def move_all(self, node: str, pods: Sequence[PodInfo], not_on: Container[str]) -> bool:
        """Move `pods` from the node `node` to other nodes, but not to the nodes in `not_on`. Return True if all fit.

        If one of the pods fits on no node, nothing is moved, and the result is False.
        """
        moved: list[PodInfo] = []
        self.remove_node(node)
        for pod in pods:
            self._cluster.remove_pod(pod.uid)
        for pod in pods:
            mover = PodInfo(_unbound(pod.stored))
            if not self.place_anywhere(mover, not_on):
                for mover in moved:
                    self._cluster.remove_pod(mover.uid)
                for original in pods:
                    self._cluster.put_pod(original)
                self.restore_node(node)
                return False
            moved.append(mover)
        return True

    def _filtering(self, pod: PodInfo) -> Filtering | tuple[str, ...]:
        """Return the filter plugins prepared for a pod, or the reasons why the pod fits on no node."""
        listers, profile = self._handle.listers, self._handle.profile_of(pod)
        try:
            return Filtering(SchedulingContext(pod, self._cluster, listers, profile))
        except Impossible as error:
            return (error.message,)


def _unbound(stored: StoredObject) -> StoredObject:
    document: Document = {**stored.document, "spec": {**stored.document["spec"], "nodeName": ""}}
    return StoredObject(document)
