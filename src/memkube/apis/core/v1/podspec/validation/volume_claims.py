"""Rules for claims that a pod makes for itself."""

from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported,
    required,
)
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.validation.labels import validate_label_selector, validate_labels
from memkube.apimachinery.meta.validation.object_meta import validate_annotations
from memkube.apimachinery.names import is_dns1123_subdomain, label_name, subdomain_name
from memkube.apis.core.v1.podspec.types.volume_claims import PersistentVolumeClaimSpec
from memkube.apis.core.v1.podspec.types.volumes import EphemeralVolumeSource
from memkube.apis.core.v1.podspec.validation.name_rules import require
from memkube.apis.core.v1.references import TypedLocalObjectReference, TypedObjectReference

_ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES: Final = ("Block", "Filesystem")
_TEMPLATE_METADATA: Final = ("labels", "annotations")


def validate_ephemeral(source: EphemeralVolumeSource, path: FieldPath) -> list[FieldError]:
    """The claim is complete, and its metadata holds labels and annotations only."""
    path = path.child("volumeClaimTemplate")
    template = source.volumeClaimTemplate
    if template is None:
        return [required(path)]
    errors = _validate_metadata(template.metadata, path.child("metadata"))
    return errors + validate_claim_spec(template.spec, path.child("spec"))


def _validate_metadata(metadata: ObjectMeta, path: FieldPath) -> list[FieldError]:
    errors = validate_annotations(metadata.annotations, path.child("annotations"))
    errors += validate_labels(metadata.labels, path.child("labels"))
    for name in ObjectMeta.model_fields:
        if name not in _TEMPLATE_METADATA and getattr(metadata, name) not in ("", 0, None, []):
            go_name = {"uid": "uID"}.get(name, name)
            errors.append(forbidden(path.child(go_name), "cannot be set"))
    return errors


def validate_claim_spec(spec: PersistentVolumeClaimSpec, path: FieldPath) -> list[FieldError]:
    """The claim asks for some amount of storage, for some use."""
    errors = _validate_access_modes(spec, path)
    errors += _validate_storage(spec, path.child("resources").key("storage"))
    errors += _validate_class(spec.storageClassName, path.child("storageClassName"))
    if spec.volumeMode is not None and spec.volumeMode not in _VOLUME_MODES:
        errors.append(not_supported(path.child("volumeMode"), spec.volumeMode, _VOLUME_MODES))
    errors += _validate_data_sources(spec, path)
    return errors + _validate_class(spec.volumeAttributesClassName, path.child("volumeAttributesClassName"))


def _validate_access_modes(spec: PersistentVolumeClaimSpec, path: FieldPath) -> list[FieldError]:
    modes, modes_path = spec.accessModes, path.child("accessModes")
    errors = [] if modes else [required(modes_path, "at least 1 access mode is required")]
    errors += validate_label_selector(spec.selector, path.child("selector"))
    errors += [not_supported(modes_path, mode, _ACCESS_MODES) for mode in modes if mode not in _ACCESS_MODES]
    if "ReadWriteOncePod" in modes and any(mode in _ACCESS_MODES[:3] for mode in modes):
        errors.append(forbidden(modes_path, "may not use ReadWriteOncePod with other access modes"))
    return errors


def _validate_class(name: str | None, path: FieldPath) -> list[FieldError]:
    return [invalid(path, name, error) for error in subdomain_name(name)] if name else []


def _validate_storage(spec: PersistentVolumeClaimSpec, path: FieldPath) -> list[FieldError]:
    storage = spec.resources.requests.get("storage")
    if storage is None:
        return [required(path)]
    return [] if storage.nano > 0 else [invalid(path, storage, "must be greater than zero")]


def _validate_data_sources(spec: PersistentVolumeClaimSpec, path: FieldPath) -> list[FieldError]:
    source, reference = spec.dataSource, spec.dataSourceRef
    errors: list[FieldError] = []
    if source is not None:
        errors += _validate_data_source(source, path.child("dataSource"))
    if reference is not None:
        errors += _validate_data_source(reference, path.child("dataSourceRef"))
        if reference.namespace:
            namespace_path = path.child("dataSourceRef").child("namespace")
            errors += [invalid(namespace_path, reference.namespace, e) for e in label_name(reference.namespace)]
    if source is None or reference is None:
        return errors
    if reference.namespace:
        errors.append(invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified"))
    elif (source.apiGroup, source.kind, source.name) != (reference.apiGroup, reference.kind, reference.name):
        errors.append(invalid(path, {}, "must match dataSourceRef"))
    return errors


def _validate_data_source(
    source: TypedLocalObjectReference | TypedObjectReference, path: FieldPath
) -> list[FieldError]:
    errors = require(source, ("name", "kind"), path)
    if not source.apiGroup:
        if source.kind != "PersistentVolumeClaim":
            detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
            errors.append(invalid(path, source.kind, detail))
        return errors
    messages = is_dns1123_subdomain(source.apiGroup)
    return errors + [invalid(path.child("apiGroup"), source.apiGroup, message) for message in messages]
