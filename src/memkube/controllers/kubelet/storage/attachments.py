"""Finds out from the status of a node whether volumes of pods are attached to the node."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.available import ATTACH_DETACH
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

MANAGED: Final = "volumes.kubernetes.io/controller-managed-attach-detach"
"""Annotation of a node whose volumes the attach-detach controller attaches and detaches."""


class Attachments:
    """Finds out whether a CSI volume is attached to a node, so that pods on the node can mount the volume.

    Without the attach-detach controller, all volumes count as attached.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._are_managed = ATTACH_DETACH in runtime.controllers
        self._nodes = runtime.informers.of("", "v1", "nodes")

    def has(self, node: str, volume: Document) -> bool:
        """True if pods on a node can use a PersistentVolume: it is attached to the node, or need not be attached."""
        source, found = volume["spec"].get("csi"), self._nodes.get("", node)
        if not self._are_managed or source is None or found is None:
            return True
        document = found.document
        if MANAGED not in (document["metadata"].get("annotations") or {}) or not self._is_required(source["driver"]):
            return True
        attached = document["status"].get("volumesAttached") or ()
        return any(each["name"] == unique_name(volume) for each in attached)

    def _is_required(self, driver: str) -> bool:
        # The informer of CSIDrivers is created here, with the first CSI volume, to keep the server's start fast.
        return requires_attachment(self._runtime.informers.of("storage.k8s.io", "v1", "csidrivers").get("", driver))


def requires_attachment(driver: StoredObject | None) -> bool:
    """True if volumes of a CSI driver must be attached to nodes.

    `driver` is the CSIDriver. Without one, attachment is required.
    """
    return driver is None or driver.document["spec"].get("attachRequired") is not False


def unique_name(volume: Document) -> str:
    """Return the name of a CSI volume in ``volumesAttached`` and ``volumesInUse`` of nodes."""
    source = volume["spec"]["csi"]
    return f"kubernetes.io/csi/{source['driver']}^{source['volumeHandle']}"
