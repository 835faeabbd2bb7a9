"""PodTopologyLabels: copies the zone and region labels of the node to its pods."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.errors import ApiError
from memkube.apis.core.v1.pods.types import Binding, Pod
from memkube.registry.declarations.admission import Attributes

_LABELS: Final = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


class PodTopologyLabels(Plugin):
    """Admission plugin that copies a node's zone and region labels to its pods.

    Source: ``plugin/pkg/admission/podtopologylabels``.
    """

    name: ClassVar[str] = "PodTopologyLabels"

    async def mutate(self, attributes: Attributes) -> None:
        """Add the node's topology labels to a new pod that already has a node, or to a Binding of a pod to a node.

        The labels of a Binding are copied to its pod.
        """
        new = attributes.new
        if attributes.operation != "CREATE" or attributes.resource.plural != "pods":
            return
        if isinstance(new, Pod) and not attributes.subresource:
            node = new.spec.nodeName
        elif isinstance(new, Binding) and new.target.kind == "Node":
            node = new.target.name
        else:
            return
        labels = await self._labels(node) if node else {}
        if labels:
            new.metadata.labels = {**new.metadata.labels, **labels}

    async def _labels(self, node: str) -> dict[str, str]:
        """Return the topology labels of a node; an empty mapping if the node does not exist."""
        try:
            stored = await self._registry.find("", "v1", "nodes").get("", node)
        except ApiError:
            return {}
        return {name: stored.labels[name] for name in _LABELS if name in stored.labels}
