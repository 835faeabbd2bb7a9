"""Pulls the images of image volumes (``getImageVolumes`` in ``pkg/kubelet/kuberuntime``)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.controllers.kubelet.containers.behavior import NOTHING_SET, ContainerBehavior
from memkube.controllers.kubelet.containers.images import ImagePuller, ImageRequest, ImageWait
from memkube.controllers.kubelet.containers.setting import Setting
from memkube.controllers.kubelet.pod_context import NotConfigured


class ImageVolumes:
    """The image volumes of a pod. The contents of images are not known, so the volumes are empty."""

    __slots__ = ("_pullers", "due", "waits")

    def __init__(self, images: set[str], volumes: Sequence[Volume]) -> None:
        """Create the state of the volumes whose images are not pulled yet. `images` are the images on the node."""
        self._pullers = {volume.name: ImagePuller(images) for volume in volumes if volume.image is not None}
        self.waits: dict[str, ImageWait] = {}
        """Pulls that have failed and will be repeated, by the name of the volume."""
        self.due: datetime | None = None
        """Time at which the pull ends for which all containers wait; None if no image is being pulled."""

    def pull(self, setting: Setting) -> bool:
        """Pull the images that are not on the node yet. If a pull fails, `waits` has an entry for its volume.

        Returns False while an image is being pulled: no container may start until then. `setting` has the pod and the
        time.
        """
        if not self._pullers:
            return True
        self.due = None
        for volume in setting.context.pod.spec.volumes:
            known = self.waits.get(volume.name)
            if volume.image is None or volume.name not in self._pullers or (known and setting.now < known.until):
                continue
            image = volume.image.reference
            request = ImageRequest(image, volume.image.pullPolicy, _behavior(image, setting), "")
            wait = self._pullers[volume.name].get(request, setting.now, setting.report)
            self.waits.pop(volume.name, None)
            if wait is None:
                del self._pullers[volume.name]
            elif not wait.reason:
                self.due = wait.until
                return False
            else:
                self.waits[volume.name] = wait
        return True

    def assume_pulled(self) -> None:
        """Treat all images as pulled, because containers of the pod have run with the volumes already."""
        self._pullers.clear()

    def saved(self) -> Document:
        """Return the state of the volumes whose images are not pulled yet, by name, as JSON data."""
        return {name: puller.saved() for name, puller in self._pullers.items()}

    def restore(self, saved: Document) -> None:
        """Restore the state of the volumes. Raises ValueError, TypeError or KeyError for malformed data."""
        self._pullers = {name: puller for name, puller in self._pullers.items() if name in saved}
        for name, puller in self._pullers.items():
            puller.restore(saved[name])


NO_IMAGE_VOLUMES: Final = ImageVolumes(set(), ())
"""State for all pods without image volumes, so that they need no objects of their own. It never changes."""


def _behavior(image: str, setting: Setting) -> ContainerBehavior:
    """Return the behaviour that rules, or else an annotation of the pod, configure for an image."""
    try:
        return setting.behavior(Container(image=image))
    except NotConfigured:
        return NOTHING_SET
