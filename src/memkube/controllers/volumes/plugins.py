"""Volume plugins of kube-controller-manager, and the CSI drivers that have replaced some of them.

Sources: ``cmd/kube-controller-manager/app/plugins.go``, ``pkg/volume/plugins.go`` and ``csi-translation-lib``.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.controllers.volumes.binding_rules import MIGRATED_TO, PROVISIONED_BY, annotations_of

HOST_PATH: Final = "kubernetes.io/host-path"
IN_TREE: Final = "kubernetes.io/"
"""Prefix of the names of in-tree volume plugins."""
_PLUGINS: Final[Mapping[str, str]] = {
    "csi": "kubernetes.io/csi",
    "fc": "kubernetes.io/fc",
    "hostPath": HOST_PATH,
    "iscsi": "kubernetes.io/iscsi",
    "nfs": "kubernetes.io/nfs",
}
"""Names of volume plugins, by the field of a PersistentVolume's spec that selects them."""
_DELETABLE_PATH: Final = re.compile("/tmp/.+")  # noqa: S108  the plugin deletes only below this directory


class _Migrated(NamedTuple):
    source: str
    """Field of a PersistentVolume's spec that selects the in-tree volume plugin, such as ``awsElasticBlockStore``."""
    driver: str
    """Name of the CSI driver that replaces the in-tree volume plugin."""


_MIGRATED: Final[Mapping[str, _Migrated]] = {
    "kubernetes.io/aws-ebs": _Migrated("awsElasticBlockStore", "ebs.csi.aws.com"),
    "kubernetes.io/azure-disk": _Migrated("azureDisk", "disk.csi.azure.com"),
    "kubernetes.io/azure-file": _Migrated("azureFile", "file.csi.azure.com"),
    "kubernetes.io/cinder": _Migrated("cinder", "cinder.csi.openstack.org"),
    "kubernetes.io/gce-pd": _Migrated("gcePersistentDisk", "pd.csi.storage.gke.io"),
    "kubernetes.io/portworx-volume": _Migrated("portworxVolume", "pxd.portworx.com"),
    "kubernetes.io/vsphere-volume": _Migrated("vsphereVolume", "csi.vsphere.vmware.com"),
}


class NoPlugin(Exception):
    """Raised if no volume plugin can perform an operation. The text is the message of an Event."""


def csi_driver_of(plugin: str) -> str:
    """Return the name of the CSI driver that replaces an in-tree volume plugin; empty if there is none."""
    return _MIGRATED[plugin].driver if plugin in _MIGRATED else ""


def migrated_plugin_of(volume: Document) -> str:
    """Return the name of a volume's in-tree plugin if a CSI driver replaces the plugin; otherwise an empty text."""
    return next((name for name, each in _MIGRATED.items() if volume["spec"].get(each.source) is not None), "")


def is_external(provisioner: str) -> bool:
    """True if an external component, not kube-controller-manager, is the provisioner with this name.

    Raises NoPlugin for an in-tree provisioner that cannot create volumes.
    """
    if provisioner in _MIGRATED:
        return True
    if provisioner == HOST_PATH:
        return False
    if not provisioner.startswith(IN_TREE):
        return True
    _require_named(provisioner)
    raise NoPlugin("no provisionable volume plugin matched")


def deletes(volume: Document) -> bool:
    """True if kube-controller-manager's plugin for hostPath must delete a volume, False if a provisioner must.

    Raises NoPlugin if no plugin can delete the volume.
    """
    annotations = annotations_of(volume)
    provisioner = annotations.get(PROVISIONED_BY, "")
    if provisioner:
        return _deletes_of(provisioner)
    if MIGRATED_TO in annotations or volume["spec"].get("csi") is not None:
        return False
    plugin = _plugin_of(volume)
    if plugin == HOST_PATH:
        return True
    why = "no deletable volume plugin matched" if plugin else "no volume plugin matched"
    raise NoPlugin(f"error getting deleter volume plugin for volume {quoted(volume['metadata']['name'])}: {why}")


def deletion_failure(volume: Document) -> str:
    """Return why kube-controller-manager's plugin for hostPath cannot delete a volume; empty if it can."""
    host_path = volume["spec"].get("hostPath")
    name = quoted(volume["metadata"]["name"])
    if host_path is None:
        return f"failed to create deleter for volume {name}: spec.PersistentVolumeSource.HostPath is nil"
    if _DELETABLE_PATH.search(host_path["path"]) is None:
        return f"host_path deleter only supports /tmp/.+ but received provided {host_path['path']}"
    return ""


def recycled_source(volume: Document) -> Document | None:
    """Return the volume source with which the recycler pod mounts a volume.

    Returns None if no plugin can recycle the volume.
    """
    spec = volume["spec"]
    if spec.get("hostPath") is not None:
        return {"hostPath": {"path": spec["hostPath"]["path"]}}
    if spec.get("nfs") is not None:
        return {"nfs": {"server": spec["nfs"]["server"], "path": spec["nfs"]["path"]}}
    return None


def _deletes_of(provisioner: str) -> bool:
    if provisioner == HOST_PATH:
        return True
    if not provisioner.startswith(IN_TREE):
        return False
    _require_named(provisioner)
    raise NoPlugin("no deletable volume plugin matched")


def _require_named(plugin: str) -> None:
    if plugin not in _PLUGINS.values():
        raise NoPlugin(f"no volume plugin matched name: {plugin}")


def _plugin_of(volume: Document) -> str:
    return next((plugin for source, plugin in _PLUGINS.items() if volume["spec"].get(source) is not None), "")
