"""ExtendedResourceToleration: lets pods that request an extended resource run on nodes with a taint for it."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.scheduling import Toleration
from memkube.apis.core.v1.podspec.validation.resources import is_extended_resource
from memkube.registry.declarations.admission import Attributes


class ExtendedResourceToleration(Plugin):
    """Admission plugin that adds tolerations for the extended resources that a pod requests.

    Source: ``plugin/pkg/admission/extendedresourcetoleration``.
    """

    name: ClassVar[str] = "ExtendedResourceToleration"

    async def mutate(self, attributes: Attributes) -> None:
        """Add a toleration to the pod for each extended resource that one of its containers requests."""
        pod = attributes.new
        if attributes.subresource or not isinstance(pod, Pod):
            return
        containers = (*pod.spec.containers, *pod.spec.initContainers)
        requested = {name for container in containers for name in container.resources.requests}
        for name in sorted(filter(is_extended_resource, requested)):
            toleration = Toleration(key=name, operator="Exists", effect="NoSchedule")
            if not any(_is_same(other, toleration) for other in pod.spec.tolerations):
                pod.spec.tolerations = [*pod.spec.tolerations, toleration]


def _is_same(one: Toleration, other: Toleration) -> bool:
    return (one.key, one.operator, one.value, one.effect) == (other.key, other.operator, other.value, other.effect)
