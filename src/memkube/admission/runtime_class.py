"""RuntimeClass: a pod's runtime class must exist. There are none, since the kind is not served."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.pods.types import Pod
from memkube.registry.admission import Attributes, refused
from memkube.registry.registry import Registry


class RuntimeClass(Plugin):
    """Source: ``plugin/pkg/admission/runtimeclass``."""

    name: ClassVar[str] = "RuntimeClass"

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def mutate(self, attributes: Attributes) -> None:
        """Refuses new pods that name a runtime class."""
        pod = attributes.new
        if attributes.operation != "CREATE" or attributes.subresource or not isinstance(pod, Pod):
            return
        if pod.spec.runtimeClassName is not None:
            why = f"pod rejected: RuntimeClass {quoted(pod.spec.runtimeClassName)} not found"
            raise refused(attributes, why)
