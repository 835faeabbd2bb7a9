"""An index of an informer's pods by the name of the node that they are bound to."""

from collections.abc import Collection

from memkube.controllers.framework.informer import Informer
from memkube.registry.objects.stored import StoredObject


class PodsByNode:
    """Pods that are bound to a node, by the name of the node."""

    def __init__(self, pods: Informer) -> None:
        self._pods: dict[str, dict[str, StoredObject]] = {}
        pods.subscribe(self._on_pod)

    def on(self, node: str) -> list[StoredObject]:
        """Return the pods that are bound to a node."""
        return list(self._pods.get(node, {}).values())

    def nodes(self) -> Collection[str]:
        """Return the names of all nodes that pods are bound to, including nodes that have been deleted."""
        return self._pods.keys()

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            if node := node_of(new):
                self._pods.setdefault(node, {})[new.uid] = new
        elif old is not None and (node := node_of(old)):
            pods = self._pods.get(node, {})
            pods.pop(old.uid, None)
            if not pods:
                self._pods.pop(node, None)


def node_of(pod: StoredObject) -> str:
    """Return the name of the node that a pod is bound to; empty if it is not bound."""
    name: str = pod.document["spec"].get("nodeName", "")
    return name
