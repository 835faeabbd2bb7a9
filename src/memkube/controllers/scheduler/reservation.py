"""The choice of a node for a pod that is not bound to it yet (extension point Reserve)."""

from typing import TYPE_CHECKING, NamedTuple

from memkube.controllers.scheduler.plugins.volume_binding import PodVolumes
from memkube.controllers.scheduler.pod_queue import QueuedPod

if TYPE_CHECKING:
    # Imported for types only: the search for devices is imported with the first pod that uses devices.
    from memkube.controllers.scheduler.plugins.device_filter import PodDevices


class Reservation(NamedTuple):
    """A pod that is not bound yet, with the node, volumes and devices that the scheduler has chosen for it."""

    queued: QueuedPod
    node: str
    volumes: PodVolumes | None
    """Volumes for the pod's unbound PersistentVolumeClaims; None if all claims are bound."""
    devices: "PodDevices | None"
    """Devices for the pod's ResourceClaims; None if the pod uses no devices."""
