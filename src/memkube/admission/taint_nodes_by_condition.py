"""TaintNodesByCondition: taints new nodes as not ready."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apis.core.v1.nodes.types import Node, Taint
from memkube.registry.declarations.admission import Attributes

_KEY = "node.kubernetes.io/not-ready"
_EFFECT = "NoSchedule"


class TaintNodesByCondition(Plugin):
    """Admission plugin that taints new nodes as not ready (``plugin/pkg/admission/nodetaint``)."""

    name: ClassVar[str] = "TaintNodesByCondition"

    async def mutate(self, attributes: Attributes) -> None:
        """Add the not-ready taint to a new node that lacks it."""
        node = attributes.new
        if attributes.operation != "CREATE" or attributes.subresource or not isinstance(node, Node):
            return
        taints = node.spec.taints
        if not any((taint.key, taint.effect) == (_KEY, _EFFECT) for taint in taints):
            node.spec.taints = [*taints, Taint(key=_KEY, effect=_EFFECT)]
