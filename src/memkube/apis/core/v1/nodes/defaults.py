"""What a node gets where the client says nothing."""

from memkube.apis.core.v1.nodes.types.node import Node, NodeSpec


def default_node(node: Node) -> None:
    """Makes all resources allocatable, and brings both forms of the pods' address blocks together."""
    node.status.allocatable = node.status.allocatable or node.status.capacity
    _join_pod_blocks(node.spec)


def _join_pod_blocks(spec: NodeSpec) -> None:
    """The single block has the last word, because old clients know no other."""
    if spec.podCIDR and spec.podCIDRs[:1] != [spec.podCIDR]:
        spec.podCIDRs = [spec.podCIDR]
    elif spec.podCIDRs:
        spec.podCIDR = spec.podCIDRs[0]
