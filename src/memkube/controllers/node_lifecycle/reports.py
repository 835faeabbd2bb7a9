"""What the node lifecycle controller reports on nodes and their pods."""

from typing import Final

from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.event_recorder import Report
from memkube.registry.stored import StoredObject

NODE_EVENTS: Final = "node-controller"
POD_NOT_READY: Final = Report("Warning", "NodeNotReady", "Node is not ready")


def reference_to_node(node: StoredObject) -> ObjectReference:
    """A node as the controllers' reports name it: whatever its revision."""
    return ObjectReference(kind="Node", apiVersion="v1", name=node.name, uid=node.uid)


def registered(node: str) -> Report:
    """A node is new."""
    return Report("Normal", "RegisteredNode", f"Node {node} event: Registered Node {node} in Controller")


def removed(node: str) -> Report:
    """A node is gone."""
    return Report("Normal", "RemovingNode", f"Node {node} event: Removing Node {node} from Controller")


def not_ready(node: str) -> Report:
    """A node has been silent for too long."""
    return Report("Normal", "NodeNotReady", f"Node {node} status is now: NodeNotReady")
