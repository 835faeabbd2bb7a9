"""Rules for binding volumes and claims to each other, for the binder and the scheduler (``storage/volume``)."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from memkube.apimachinery import labels
from memkube.apimachinery.labels.selector import Predicate
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import STORAGE_CLASS_ANNOTATION
from memkube.controllers.framework.informer import Informer

BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
"""Annotation of a claim whose binding is complete."""
BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
"""Annotation of a volume or claim whose counterpart was chosen by a controller instead of a user."""
SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
"""Annotation of a claim with the node for which its volume must be provisioned, as the scheduler has decided."""
PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
"""Annotation of a volume with the name of the provisioner that created it."""
MIGRATED_TO: Final = "pv.kubernetes.io/migrated-to"
"""Annotation of a volume or claim with the name of the CSI driver that replaces its in-tree plugin."""
PROVISIONER: Final = "volume.kubernetes.io/storage-provisioner"
"""Annotation of a claim with the name of the provisioner that must create its volume."""
BETA_PROVISIONER: Final = "volume.beta.kubernetes.io/storage-provisioner"
NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
"""Provisioner in a StorageClass whose volumes users create."""
CLAIMS: Final = ("", "v1", "persistentvolumeclaims")
VOLUMES: Final = ("", "v1", "persistentvolumes")
STORAGE_CLASSES: Final = ("storage.k8s.io", "v1", "storageclasses")

ClaimKey: TypeAlias = tuple[str, str]
"""Namespace and name of a PersistentVolumeClaim."""

_FILESYSTEM: Final = "Filesystem"
_NOTHING: Final[Mapping[str, str]] = {}
_ZERO: Final = "0"


def annotations_of(document: Document) -> Mapping[str, str]:
    """Return the annotations of an object's JSON data; empty if it has none."""
    return document["metadata"].get("annotations") or _NOTHING


def has_class(claim: Document) -> bool:
    """True if a claim names a StorageClass, even one with an empty name."""
    return STORAGE_CLASS_ANNOTATION in annotations_of(claim) or claim["spec"].get("storageClassName") is not None


def class_of(document: Document) -> str:
    """Return the name of the StorageClass of a volume or claim; empty if it has none."""
    return annotations_of(document).get(STORAGE_CLASS_ANNOTATION, document["spec"].get("storageClassName") or "")


def attributes_class_of(document: Document) -> str:
    """Return the name of the VolumeAttributesClass of a volume or claim; empty if it has none."""
    return document["spec"].get("volumeAttributesClassName") or ""


def volume_mode(document: Document) -> str:
    """Return the volume mode of a volume or claim: Filesystem or Block."""
    return document["spec"].get("volumeMode") or _FILESYSTEM


def modes_of(document: Document) -> frozenset[str]:
    """Return the access modes of a volume or claim."""
    return frozenset(document["spec"].get("accessModes") or ())


def requested(claim: Document) -> Quantity:
    """Return the amount of storage that a claim requests; 0 if it requests none."""
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    return Quantity(requests.get("storage", _ZERO))


def capacity_of(volume: Document) -> Quantity:
    """Return the storage capacity of a volume; 0 if it has none."""
    return Quantity((volume["spec"].get("capacity") or {}).get("storage", _ZERO))


def selects(claim: Document) -> Predicate:
    """Return a function that tells whether a claim's selector matches the labels of a volume.

    Raises ValueError if the selector is invalid.
    """
    selector = claim["spec"].get("selector")
    if selector is None:
        return _everything
    return labels.from_model(LabelSelector.from_document(selector)).matches


def claim_key(reference: Mapping[str, str]) -> ClaimKey:
    """Return the namespace and name of the claim in a volume's ``claimRef``."""
    return reference.get("namespace", ""), reference.get("name", "")


def is_for_claim(volume: Document, claim: Document) -> bool:
    """True if a volume is bound to the claim, or reserved for the claim's name (``IsVolumeBoundToClaim``)."""
    reference, metadata = volume["spec"].get("claimRef"), claim["metadata"]
    if reference is None or claim_key(reference) != (metadata.get("namespace", ""), metadata["name"]):
        return False
    return reference.get("uid", "") in ("", metadata["uid"])


def is_like_claim(volume: Document, claim: Document) -> bool:
    """True if a volume is not terminating, and has the claim's volume mode and VolumeAttributesClass."""
    return (
        volume_mode(volume) == volume_mode(claim)
        and attributes_class_of(volume) == attributes_class_of(claim)
        and "deletionTimestamp" not in volume["metadata"]
    )


def is_fully_bound(claim: Document) -> bool:
    """True if a claim has a ``volumeName`` and the annotation that its binding is complete."""
    return bool(claim["spec"].get("volumeName")) and BIND_COMPLETED in annotations_of(claim)


def delays_binding(claim: Document, classes: Informer) -> bool:
    """True if the claim's StorageClass exists and has the mode WaitForFirstConsumer."""
    name = class_of(claim)
    found = classes.get("", name) if name else None
    return found is not None and found.document.get("volumeBindingMode") == "WaitForFirstConsumer"


def mismatch(volume: Document, claim: Document) -> str:
    """Return why a claim cannot be bound to the volume that it names; empty if it can (``checkVolumeSatisfyClaim``)."""
    if "deletionTimestamp" in volume["metadata"]:
        return f'the volume is marked for deletion "{volume["metadata"]["name"]}"'
    if capacity_of(volume).value < requested(claim).value:
        return "requested PV is too small"
    if class_of(volume) != class_of(claim):
        return "storageClassName does not match"
    if attributes_class_of(volume) != attributes_class_of(claim):
        return "volumeAttributesClassName does not match"
    if volume_mode(volume) != volume_mode(claim):
        return "incompatible volumeMode"
    return "" if modes_of(claim) <= modes_of(volume) else "incompatible accessMode"


def _everything(_: Mapping[str, str]) -> bool:
    return True
