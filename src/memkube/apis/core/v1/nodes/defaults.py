"""What a node gets where the client says nothing."""

from memkube.apis.core.v1.nodes.types.node import Node, NodeSpec
from memkube.apis.core.v1.podspec.defaults import default_resource_list


def default_node(node: Node) -> None:
    """Makes all resources allocatable, in whole thousandths, and brings both forms of the pods' blocks together."""
    status = node.status
    default_resource_list(status.capacity)
    status.allocatable = status.allocatable or status.capacity
    default_resource_list(status.allocatable)
    _join_pod_blocks(node.spec)


def _join_pod_blocks(spec: NodeSpec) -> None:
    """The single block has the last word, because old clients know no other."""
    if spec.podCIDR and spec.podCIDRs[:1] != [spec.podCIDR]:
        spec.podCIDRs = [spec.podCIDR]
    elif spec.podCIDRs:
        spec.podCIDR = spec.podCIDRs[0]
