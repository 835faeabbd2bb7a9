"""Validation of the volumes of a pod: unique names, one source for each, and ephemeral claim templates."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    required,
)
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.validation.labels import validate_labels
from memkube.apimachinery.meta.validation.object_meta import validate_annotations
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.volumes import (
    EphemeralVolumeSource,
    ImageVolumeSource,
    Volume,
)
from memkube.apis.core.v1.podspec.validation import retired_volume_sources as retired
from memkube.apis.core.v1.podspec.validation import volume_sources as sources
from memkube.apis.core.v1.podspec.validation.claims import validate_claim_spec
from memkube.apis.core.v1.podspec.validation.context import validate_dns_label, validate_pull_policy
from memkube.apis.core.v1.podspec.validation.volume_sources import validate_projected

_TEMPLATE_METADATA: Final = ("labels", "annotations")
_ONE_TYPE: Final = "may not specify more than 1 volume type"
_INITIATOR_LIMIT: Final = 64
_SECOND_TYPE_NAMES: Final = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
"""Names of volume types that kube-apiserver spells differently in its error about a volume with two types."""


def validate_ephemeral(source: EphemeralVolumeSource, path: FieldPath) -> list[FieldError]:
    """Validate an ephemeral volume: its claim template is complete, and has no metadata but labels and annotations."""
    path = path.child("volumeClaimTemplate")
    template = source.volumeClaimTemplate
    if template is None:
        return [required(path)]
    errors = validate_template_metadata(template.metadata, path.child("metadata"))
    return errors + validate_claim_spec(template.spec, path.child("spec"))


def validate_template_metadata(metadata: ObjectMeta, path: FieldPath) -> list[FieldError]:
    """Validate the metadata of a claim template: only labels and annotations may be set."""
    errors = validate_annotations(metadata.annotations, path.child("annotations"))
    errors += validate_labels(metadata.labels, path.child("labels"))
    for name in ObjectMeta.model_fields:
        if name not in _TEMPLATE_METADATA and getattr(metadata, name) not in ("", 0, None, []):
            go_name = {"uid": "uID"}.get(name, name)
            errors.append(forbidden(path.child(go_name), "cannot be set"))
    return errors


_SOURCE_RULES: Final[dict[str, Callable[[Any, FieldPath], list[FieldError]]]] = {
    "emptyDir": sources.validate_empty_dir,
    "hostPath": sources.validate_host_path,
    "gitRepo": retired.validate_git_repo,
    "gcePersistentDisk": retired.validate_gce_disk,
    "awsElasticBlockStore": retired.validate_aws_disk,
    "secret": sources.validate_secret,
    "nfs": sources.validate_nfs,
    "iscsi": sources.validate_iscsi,
    "glusterfs": retired.validate_glusterfs,
    "flocker": retired.validate_flocker,
    "persistentVolumeClaim": sources.validate_claim_reference,
    "rbd": retired.validate_rbd,
    "cinder": retired.validate_cinder,
    "cephfs": retired.validate_cephfs,
    "quobyte": retired.validate_quobyte,
    "downwardAPI": sources.validate_downward_api,
    "fc": sources.validate_fibre_channel,
    "flexVolume": retired.validate_flex,
    "configMap": sources.validate_config_map,
    "azureFile": retired.validate_azure_file,
    "vsphereVolume": retired.validate_vsphere,
    "photonPersistentDisk": retired.validate_photon_disk,
    "portworxVolume": retired.validate_portworx,
    "azureDisk": retired.validate_azure_disk,
    "storageos": retired.validate_storage_os,
    "projected": validate_projected,
    "scaleIO": retired.validate_scale_io,
    "csi": sources.validate_csi,
    "ephemeral": validate_ephemeral,
}
"""Validation function of each volume type, in kube-apiserver's order."""


def validate_volumes(
    volumes: Sequence[Volume], pod_name: str, path: FieldPath, *, is_pod: bool
) -> tuple[dict[str, Volume], list[FieldError]]:
    """Validate the volumes of a pod, or of a pod template if `is_pod` is False.

    Returns the valid volumes by name, and the errors of the invalid volumes. `pod_name` is the name of the pod; empty
    if it is not known. It is needed for ephemeral volumes, because their claims are named ``POD-VOLUME``.
    """
    errors: list[FieldError] = []
    valid: dict[str, Volume] = {}
    created = {f"{pod_name}-{volume.name}" for volume in volumes if volume.ephemeral} if pod_name else set()
    for index, volume in enumerate(volumes):
        item = path.item(index)
        found = _validate_source(volume, pod_name, item, is_pod=is_pod)
        if not volume.name:
            found.append(required(item.child("name")))
        else:
            found += validate_dns_label(volume.name, item.child("name"))
        if volume.name in valid:
            found.append(duplicate(item.child("name"), volume.name))
        if not found:
            valid[volume.name] = volume
        errors += found
        if volume.persistentVolumeClaim is not None and volume.persistentVolumeClaim.claimName in created:
            name_path = item.child("persistentVolumeClaim").child("claimName")
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            errors.append(invalid(name_path, volume.persistentVolumeClaim.claimName, detail))
    return valid, errors


def _validate_source(volume: Volume, pod_name: str, path: FieldPath, *, is_pod: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    found = ""
    for name, validate in _SOURCE_RULES.items():
        source = getattr(volume, name)
        if source is None:
            continue
        if found:
            errors.append(forbidden(path.child(_SECOND_TYPE_NAMES.get(name, name)), _ONE_TYPE))
        else:
            errors += validate(source, path.child("persistentDisk" if name == "gcePersistentDisk" else name))
            found = name
        if name == "iscsi":
            errors += _validate_initiator(volume, path.child("name"))
    if volume.image is not None:
        if found:
            errors.append(forbidden(path.child("image"), _ONE_TYPE))
        else:
            errors += _validate_image(volume.image, path.child("image"), is_pod=is_pod)
    elif not found:
        errors.append(required(path, "must specify a volume type"))
    if found == "ephemeral" and pod_name and volume.name:
        errors += _validate_created_claim(pod_name, volume.name, path.child("name"))
    return errors


def _validate_image(source: ImageVolumeSource, path: FieldPath, *, is_pod: bool) -> list[FieldError]:
    errors = [required(path.child("reference"))] if is_pod and not source.reference else []
    return errors + validate_pull_policy(source.pullPolicy, path.child("pullPolicy"))


def _validate_initiator(volume: Volume, path: FieldPath) -> list[FieldError]:
    source = volume.iscsi
    if source is None or source.initiatorName is None:
        return []
    if len(f"{volume.name}:{source.targetPortal}".encode()) <= _INITIATOR_LIMIT:
        return []
    detail = (
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
        "if iscsi.initiatorName is specified."
    )
    return [invalid(path, volume.name, detail)]


def _validate_created_claim(pod_name: str, volume_name: str, path: FieldPath) -> list[FieldError]:
    claim = f"{pod_name}-{volume_name}"
    return [invalid(path, volume_name, f"PVC name {quoted(claim)}: {error}") for error in subdomain_name(claim)]
