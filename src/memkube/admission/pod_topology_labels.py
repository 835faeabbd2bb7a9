"""PodTopologyLabels: a pod has the region and the zone of its node as labels."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.errors import ApiError
from memkube.apis.core.v1.pods.types import Binding, Pod
from memkube.registry.declarations.admission import Attributes

_LABELS: Final = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


class PodTopologyLabels(Plugin):
    """Source: ``plugin/pkg/admission/podtopologylabels``."""

    name: ClassVar[str] = "PodTopologyLabels"

    async def mutate(self, attributes: Attributes) -> None:
        """Labels a new pod that has a node, or the binding that gives it one, whose labels become the pod's."""
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
        """Those of the node; a node that is not there has none."""
        try:
            stored = await self._registry.find("", "v1", "nodes").get("", node)
        except ApiError:
            return {}
        labels = stored.document["metadata"].get("labels") or {}
        return {name: labels[name] for name in _LABELS if name in labels}
