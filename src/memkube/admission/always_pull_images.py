"""AlwaysPullImages: makes containers always pull images, so that pods without credentials cannot use cached ones."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.validation.context import containers_with_paths
from memkube.registry.declarations.admission import Attributes

_ALWAYS: Final = "Always"
_SPEC: Final = FieldPath("spec")


class AlwaysPullImages(Plugin):
    """Admission plugin that sets the image pull policy of all containers to Always.

    Source: ``plugin/pkg/admission/alwayspullimages``.
    """

    name: ClassVar[str] = "AlwaysPullImages"

    async def mutate(self, attributes: Attributes) -> None:
        """Set imagePullPolicy to Always in a new pod, and in an updated pod that uses an image for the first time."""
        pod, old = attributes.new, attributes.old
        if attributes.subresource or not isinstance(pod, Pod):
            return
        if isinstance(old, Pod) and _images(pod) <= _images(old):
            return
        for container, _ in containers_with_paths(pod.spec, _SPEC):
            container.imagePullPolicy = _ALWAYS
        for volume in pod.spec.volumes:
            if volume.image is not None:
                volume.image.pullPolicy = _ALWAYS


def _images(pod: Pod) -> set[str]:
    return {container.image for container, _ in containers_with_paths(pod.spec, _SPEC)}
