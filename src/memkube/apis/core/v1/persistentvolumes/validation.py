"""Validation of PersistentVolumes: capacity, access modes, node affinity, reclaim policy and immutable source.

The sources are validated in ``sources.py``. Sources: ``pkg/apis/core/validation``, ``pkg/volume/validation``.
"""

from posixpath import normpath
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, not_supported, required
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE, validate_immutable
from memkube.apimachinery.names import is_label_value, subdomain_name
from memkube.apimachinery.shown_values import InternalValue, given
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.persistentvolumes.sources import source_difference, validate_source
from memkube.apis.core.v1.persistentvolumes.types import (
    CSIPersistentVolumeSource,
    PersistentVolume,
    PersistentVolumeSource,
    PersistentVolumeSpec,
    VolumeNodeAffinity,
)
from memkube.apis.core.v1.podspec.validation.claims import (
    validate_access_modes,
    validate_class_name,
    validate_volume_mode,
)
from memkube.apis.core.v1.podspec.validation.scheduling import validate_node_selector

_METADATA: Final = FieldPath("metadata")
_SPEC: Final = FieldPath("spec")
_RECLAIM_POLICIES: Final = ("Delete", "Recycle", "Retain")
_INLINE: Final = "in the context of inline volumes"
_MOUNT_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"
_MOUNTED_WITH_OPTIONS: Final = (
    "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi", "cinder", "cephfs",
    "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk",
)  # fmt: skip
_RENAMED_LABELS: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}


def validate_persistent_volume(volume: PersistentVolume, *, any_label_values: bool = False) -> list[FieldError]:
    """Validate a new PersistentVolume.

    With `any_label_values`, the node affinity may have values that are not valid label values.
    """
    errors = _validate_metadata_and_spec(volume, any_label_values=any_label_values)
    return errors + _validate_mount_options(volume)


def validate_persistent_volume_update(new: PersistentVolume, old: PersistentVolume) -> list[FieldError]:
    """Validate an update of a PersistentVolume: source and volume mode are immutable.

    As in kube-apiserver, most rules for new volumes are checked twice, so their errors occur twice.
    """
    affinity = old.spec.nodeAffinity
    any_label_values = affinity is not None and _has_wrong_label_values(affinity)
    errors = validate_persistent_volume(new, any_label_values=any_label_values)
    errors += _validate_metadata_and_spec(new, any_label_values=any_label_values)
    after = _without_added_secret(new.spec, old.spec)
    if difference := source_difference(old.spec, after):
        detail = f"spec.persistentvolumesource is immutable after creation\n{difference}"
        errors.append(forbidden(_SPEC.child("persistentvolumesource"), detail))
    errors += validate_immutable(new.spec.volumeMode, old.spec.volumeMode, FieldPath("volumeMode"))
    if affinity is not None and not _is_same_affinity(new.spec.nodeAffinity, affinity):
        detail = f"{FIELD_IMMUTABLE}, except for updating from beta label to GA"
        errors.append(invalid("nodeAffinity", InternalValue(new.spec.nodeAffinity), detail))
    if old.spec.volumeAttributesClassName is not None and new.spec.volumeAttributesClassName is None:
        path = _SPEC.child("volumeAttributesClassName")
        errors.append(forbidden(path, "update from non-nil value to nil is forbidden"))
    return errors


def validate_persistent_volume_status_update(new: PersistentVolume, old: PersistentVolume) -> list[FieldError]:
    """Validate an update of a PersistentVolume's status. Only metadata and resource version are checked."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    return errors + ([] if new.metadata.resourceVersion else [required("resourceVersion")])


def _validate_metadata_and_spec(volume: PersistentVolume, *, any_label_values: bool) -> list[FieldError]:
    spec = volume.spec
    errors = validate_metadata(volume.metadata, subdomain_name, namespaced=False)
    errors += _validate_use(spec, _SPEC)
    errors += _validate_capacity(spec, _SPEC.child("capacity"))
    policy = spec.persistentVolumeReclaimPolicy
    if policy and policy not in _RECLAIM_POLICIES:
        errors.append(not_supported(_SPEC.child("persistentVolumeReclaimPolicy"), policy, _RECLAIM_POLICIES))
    if spec.nodeAffinity is not None:
        path = _SPEC.child("nodeAffinity")
        errors += _validate_node_affinity(spec.nodeAffinity, path, any_label_values=any_label_values)
    errors += validate_source(spec, volume.metadata.name, _SPEC, placed=spec.nodeAffinity is not None)
    errors += _validate_recycling(spec, _SPEC)
    errors += validate_class_name(spec.storageClassName, _SPEC.child("storageClassName"))
    errors += validate_volume_mode(spec.volumeMode, _SPEC.child("volumeMode"))
    return errors + _validate_attributes_class(spec, _SPEC)


def validate_inline_volume(spec: PersistentVolumeSpec, path: FieldPath) -> list[FieldError]:
    """Validate the inline volume of a VolumeAttachment.

    It must have a CSI source, and no claim, capacity, class or node affinity.
    """
    errors: list[FieldError] = []
    if spec.claimRef is not None:
        errors.append(_not_inline(path.child("claimRef")))
    if spec.capacity:
        errors.append(_not_inline(path.child("capacity")))
    if spec.csi is None:
        errors.append(required(path.child("csi"), f"has to be specified {_INLINE}"))
    errors += _validate_use(spec, path)
    if spec.persistentVolumeReclaimPolicy not in ("", "Retain"):
        errors.append(forbidden(path.child("persistentVolumeReclaimPolicy"), f"may only be Retain {_INLINE}"))
    if spec.nodeAffinity is not None:
        errors.append(_not_inline(path.child("nodeAffinity")))
    errors += validate_source(spec, "", path, placed=False)
    errors += _validate_recycling(spec, path)
    if spec.storageClassName:
        errors.append(_not_inline(path.child("storageClassName")))
    if spec.volumeMode not in (None, "Filesystem"):
        detail = f"may not specify volumeMode other than Filesystem {_INLINE}"
        errors.append(forbidden(path.child("volumeMode"), detail))
    return errors


def _not_inline(path: FieldPath) -> FieldError:
    return forbidden(path, f"may not be specified {_INLINE}")


def _validate_use(spec: PersistentVolumeSpec, path: FieldPath) -> list[FieldError]:
    path = path.child("accessModes")
    return ([] if spec.accessModes else [required(path)]) + validate_access_modes(spec.accessModes, path)


def _validate_capacity(spec: PersistentVolumeSpec, path: FieldPath) -> list[FieldError]:
    errors = [] if spec.capacity else [required(path)]
    if list(spec.capacity) != ["storage"]:
        errors.append(not_supported(path, given(spec, "capacity"), ("storage",)))
    for name, quantity in spec.capacity.items():
        if quantity.value < 0:
            errors.append(invalid(path.key(name), quantity.value, "must be a valid resource quantity"))
        if quantity.nano <= 0:
            errors.append(invalid(path.key(name), quantity, "must be greater than zero"))
    return errors


def _validate_node_affinity(
    affinity: VolumeNodeAffinity, path: FieldPath, *, any_label_values: bool
) -> list[FieldError]:
    if affinity.required is None:
        return [required(path.child("required"), "must specify required node constraints")]
    return validate_node_selector(affinity.required, path.child("required"), any_values=any_label_values)


def _validate_recycling(spec: PersistentVolumeSpec, path: FieldPath) -> list[FieldError]:
    """Forbid the reclaim policy Recycle for a hostPath volume with the path ``/``."""
    host_path = spec.hostPath.path if spec.hostPath else ""
    is_root = host_path.startswith("/") and normpath(f"/{host_path.lstrip('/')}") == "/"
    if not is_root or spec.persistentVolumeReclaimPolicy != "Recycle":
        return []
    detail = "may not be 'recycle' for a hostPath mount of '/'"
    return [forbidden(path.child("persistentVolumeReclaimPolicy"), detail)]


def _validate_attributes_class(spec: PersistentVolumeSpec, path: FieldPath) -> list[FieldError]:
    name, name_path = spec.volumeAttributesClassName, path.child("volumeAttributesClassName")
    if name is None:
        return []
    errors = validate_class_name(name, name_path) if name else [required(name_path, "an empty string is disallowed")]
    if spec.csi is None:
        errors.append(required(path.child("csi"), "has to be specified when using volumeAttributesClassName"))
    return errors


def _validate_mount_options(volume: PersistentVolume) -> list[FieldError]:
    """Forbid the annotation for mount options if the volume type does not support mount options."""
    if any(getattr(volume.spec, name) is not None for name in _MOUNTED_WITH_OPTIONS):
        return []
    if _MOUNT_OPTIONS not in volume.metadata.annotations:
        return []
    path = _METADATA.child("annotations").child(_MOUNT_OPTIONS)
    return [forbidden(path, "may not specify mount options for this volume type")]


def _has_wrong_label_values(affinity: VolumeNodeAffinity) -> bool:
    terms = affinity.required.nodeSelectorTerms if affinity.required else []
    expressions = (expression for term in terms for expression in term.matchExpressions)
    return any(is_label_value(value) for expression in expressions for value in expression.values)


def _without_added_secret(new: PersistentVolumeSource, old: PersistentVolumeSource) -> PersistentVolumeSource:
    """Return the new source without a `controllerExpandSecretRef` that the old source does not have.

    The source is immutable, but this secret may be added to a CSI volume.
    """
    before: CSIPersistentVolumeSource | None = old.csi
    if new.csi is None or before is None or before.controllerExpandSecretRef is not None:
        return new
    return new.model_copy(update={"csi": new.csi.model_copy(update={"controllerExpandSecretRef": None})})


def _is_same_affinity(new: VolumeNodeAffinity | None, old: VolumeNodeAffinity) -> bool:
    """True if two node affinities are equal.

    Deprecated label names in the old affinity may be replaced by current ones in the new affinity.
    """
    if new is None or new.required is None or old.required is None:
        return new == old
    terms, before = new.required.nodeSelectorTerms, old.required.nodeSelectorTerms
    if len(terms) != len(before):
        return False
    for term, old_term in zip(terms, before, strict=True):
        if term.matchFields != old_term.matchFields or len(term.matchExpressions) != len(old_term.matchExpressions):
            return False
        for expression, other in zip(term.matchExpressions, old_term.matchExpressions, strict=True):
            # For a key that is no deprecated label, ``get`` returns "". An update may therefore replace such a key by
            # "", as in kube-apiserver.
            renamed = _RENAMED_LABELS.get(other.key, "") == expression.key
            if expression != (other.model_copy(update={"key": expression.key}) if renamed else other):
                return False
    return True
