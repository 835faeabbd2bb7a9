"""A copy of the cluster in which the autoscaler tries assignments of pods (``simulator/clustersnapshot``)."""

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


class Surroundings(NamedTuple):
    """The inputs of the filter plugins besides nodes and pods."""

    listers: ClusterListers
    profiles: Mapping[str, Profile]

    def profile_of(self, pod: PodInfo) -> Profile:
        """Return the profile that a pod names; the default profile if the server has no profile of this name."""
        return self.profiles.get(pod.scheduler_name, DEFAULT_PROFILE)


class SimulatedCluster:
    """Nodes and their pods at one instant, which may be changed without any effect on the cluster."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._cluster = Cluster()
        self._nodes: dict[str, StoredObject] = {}

    def put_node(self, node: StoredObject) -> None:
        """Add a node to the copy, or replace the node of this name."""
        self._nodes[node.name] = node
        self._cluster.put_node(node)

    def remove_node(self, name: str) -> None:
        """Remove a node as a destination of pods. The pods on it still count."""
        self._cluster.remove_node(name)

    def restore_node(self, name: str) -> None:
        """Add a removed node again."""
        self._cluster.put_node(self._nodes[name])

    def drop_node(self, name: str) -> None:
        """Remove a node with all of its pods."""
        for pod in self.pods_on(name):
            self._cluster.remove_pod(pod.uid)
        self._cluster.remove_node(name)
        del self._nodes[name]

    def put_pod(self, pod: PodInfo) -> None:
        """Add a pod that has a node to the copy."""
        self._cluster.put_pod(pod)

    def node(self, name: str) -> NodeInfo | None:
        """Return a node; None if there is none of this name."""
        return self._cluster.node(name)

    def pods_on(self, name: str) -> list[PodInfo]:
        """Return the pods of a node."""
        info = self._cluster.node(name)
        return [] if info is None else list(info.pods.values())

    def place(self, pod: PodInfo, node: str) -> None:
        """Assign a pod that has no node to this node."""
        pod.node_name = node
        self._cluster.put_pod(pod)

    def place_anywhere(self, pod: PodInfo, not_on: Container[str] = ()) -> bool:
        """Assign a pod to the first node that the filter plugins accept. Returns False if there is none."""
        checks = self._filtering(pod)
        if isinstance(checks, Filtering):
            for node in self._cluster.nodes:
                if node.name not in not_on and checks.rejects(node) is None:
                    self.place(pod, node.name)
                    return True
        return False

    def place_on_any_of(self, pod: PodInfo, names: Sequence[str]) -> bool:
        """Assign a pod to the first of these nodes that the filter plugins accept. Returns False if there is none."""
        checks = self._filtering(pod)
        for name in names if isinstance(checks, Filtering) else ():
            node = self._cluster.node(name)
            if node is not None and isinstance(checks, Filtering) and checks.rejects(node) is None:
                self.place(pod, name)
                return True
        return False

    def reasons_against(self, pod: PodInfo, name: str) -> tuple[str, ...]:
        """Return the reasons why a pod does not fit on a node; none if it fits."""
        checks = self._filtering(pod)
        if not isinstance(checks, Filtering):
            return checks
        node = self._cluster.node(name)
        assert node is not None
        rejection = checks.rejects(node)
        return () if rejection is None else rejection.reasons

    def move_all(self, node: str, pods: Sequence[PodInfo], not_on: Container[str]) -> bool:
        """Move pods of a node to other nodes. If one fits nowhere, none is moved, and the result is False."""
        moved: list[PodInfo] = []
        self.remove_node(node)
        for pod in pods:
            self._cluster.remove_pod(pod.uid)
        for pod in pods:
            mover = PodInfo(_unbound(pod.stored))
            if not self.place_anywhere(mover, not_on):
                for one in moved:
                    self._cluster.remove_pod(one.uid)
                for one in pods:
                    self._cluster.put_pod(one)
                self.restore_node(node)
                return False
            moved.append(mover)
        return True

    def _filtering(self, pod: PodInfo) -> Filtering | tuple[str, ...]:
        """Return the prepared filter plugins, or the reasons why the pod fits nowhere."""
        listers, profile = self._surroundings.listers, self._surroundings.profile_of(pod)
        try:
            return Filtering(SchedulingContext(pod, self._cluster, listers, profile))
        except Impossible as error:
            return (error.message,)


def _unbound(stored: StoredObject) -> StoredObject:
    document: Document = {**stored.document, "spec": {**stored.document["spec"], "nodeName": ""}}
    return StoredObject(document)
