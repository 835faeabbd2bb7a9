from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.ip_addresses import cidr_warnings
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.nodes.types import Node, NodeSpec
from memkube.apis.core.v1.nodes.validation import validate_node, validate_node_update
from memkube.apis.core.v1.podspec.defaults import default_resource_list
from memkube.registry.declarations.strategy import FieldPaths, Strategy


def default_node(node: Node) -> None:
    """Set the defaults of a node in place.

    Allocatable resources default to the capacity, and quantities are rounded up to thousandths. If only one of podCIDR
    and podCIDRs is set, the other is derived from it; if they contradict each other, podCIDR takes precedence.
    """
    status = node.status
    default_resource_list(status.capacity)
    status.allocatable = status.allocatable or status.capacity
    default_resource_list(status.allocatable)
    _align_pod_cidrs(node.spec)


def _align_pod_cidrs(spec: NodeSpec) -> None:
    """Make podCIDR and podCIDRs of a node consistent.

    podCIDR takes precedence, because old clients set only podCIDR.
    """
    if spec.podCIDR and spec.podCIDRs[:1] != [spec.podCIDR]:
        spec.podCIDRs = [spec.podCIDR]
    elif spec.podCIDRs:
        spec.podCIDR = spec.podCIDRs[0]


class NodeStrategy(Strategy[Node]):
    """Defaults, validates and prepares Nodes that clients create and update; updates cannot change the status.

    Source: ``pkg/registry/core/node/strategy.go``.
    """

    reset_fields: ClassVar[FieldPaths] = (("status",),)

    default = staticmethod(default_node)
    validate = staticmethod(validate_node)

    def prepare_for_create(self, obj: Node, now: Time) -> list[str]:
        """Clear the spec and status fields of the removed feature DynamicKubeletConfig in a new node.

        Unlike for most kinds, the client may set the status.
        """
        obj.spec.configSource = None
        obj.status.config = None
        return []

    def warnings_on_create(self, obj: Node) -> list[str]:
        return _warnings(obj)

    def prepare_for_update(self, new: Node, old: Node) -> None:
        """Discard an update's changes to status.

        The field `configSource` of the removed feature DynamicKubeletConfig can be changed, but not added.
        """
        new.status = old.status
        if old.spec.configSource is None:
            new.spec.configSource = None

    def validate_update(self, new: Node, old: Node) -> list[FieldError]:
        return validate_node(new) + validate_node_update(new, old)

    def warnings_on_update(self, new: Node, old: Node) -> list[str]:
        return _warnings(new)


class NodeStatusStrategy(NodeStrategy):
    """Strategy for writing the ``status`` subresource of Nodes, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    validate_update = staticmethod(validate_node_update)

    def prepare_for_update(self, new: Node, old: Node) -> None:
        """Discard an update's changes to spec.

        The status field `config` of the removed feature DynamicKubeletConfig can be changed, but not added.
        """
        new.spec = old.spec
        if old.status.config is None:
            new.status.config = None

    def warnings_on_update(self, new: Node, old: Node) -> list[str]:
        return []


def _warnings(node: Node) -> list[str]:
    warnings: list[str] = []
    if node.spec.configSource is not None:
        warnings.append("spec.configSource: the feature is removed")
    if node.spec.externalID:
        warnings.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, block in enumerate(node.spec.podCIDRs):
        warnings += cidr_warnings(FieldPath("spec").child("podCIDRs").item(index), block)
    return warnings
