"""Validation of claim specs, and of fields that PersistentVolumes share with claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, not_supported, required
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.names import is_dns1123_subdomain, label_name, subdomain_name
from memkube.apis.core.v1.podspec.types.volumes import PersistentVolumeClaimSpec
from memkube.apis.core.v1.podspec.validation.context import require
from memkube.apis.core.v1.references import TypedLocalObjectReference, TypedObjectReference

_ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES: Final = ("Block", "Filesystem")


@dataclass(frozen=True, slots=True)
class ClaimRules:
    """Invalid values that are accepted in an updated claim, because the stored claim has such values already."""

    any_label_values: bool = False
    """True to accept a selector with values that are not valid label values."""
    any_group: bool = False
    """True to accept data sources with any API group name."""


NEW_CLAIM: Final = ClaimRules()


def validate_claim_spec(
    spec: PersistentVolumeClaimSpec, path: FieldPath, rules: ClaimRules = NEW_CLAIM
) -> list[FieldError]:
    """Validate the spec of a PersistentVolumeClaim (``ValidatePersistentVolumeClaimSpec``).

    `rules` says which invalid values are accepted, because the stored claim has them already.
    """
    modes_path = path.child("accessModes")
    errors = [] if spec.accessModes else [required(modes_path, "at least 1 access mode is required")]
    errors += validate_label_selector(spec.selector, path.child("selector"), any_values=rules.any_label_values)
    errors += validate_access_modes(spec.accessModes, modes_path)
    errors += _validate_storage(spec, path.child("resources").key("storage"))
    errors += validate_class_name(spec.storageClassName, path.child("storageClassName"))
    errors += validate_volume_mode(spec.volumeMode, path.child("volumeMode"))
    errors += _validate_data_sources(spec, path, any_group=rules.any_group)
    return errors + validate_class_name(spec.volumeAttributesClassName, path.child("volumeAttributesClassName"))


def validate_access_modes(modes: Sequence[str], path: FieldPath) -> list[FieldError]:
    """Validate access modes: all are known, and ReadWriteOncePod is not combined with another mode."""
    errors = [not_supported(path, mode, _ACCESS_MODES) for mode in modes if mode not in _ACCESS_MODES]
    if "ReadWriteOncePod" in modes and any(mode in _ACCESS_MODES[:3] for mode in modes):
        errors.append(forbidden(path, "may not use ReadWriteOncePod with other access modes"))
    return errors


def validate_class_name(name: str | None, path: FieldPath) -> list[FieldError]:
    """Validate that the storage class name, if set, is a DNS subdomain."""
    return [invalid(path, name, error) for error in subdomain_name(name)] if name else []


def validate_volume_mode(mode: str | None, path: FieldPath) -> list[FieldError]:
    """Validate that the volume mode, if set, is a known one."""
    return [] if mode is None or mode in _VOLUME_MODES else [not_supported(path, mode, _VOLUME_MODES)]


def _validate_storage(spec: PersistentVolumeClaimSpec, path: FieldPath) -> list[FieldError]:
    storage = spec.resources.requests.get("storage")
    if storage is None:
        return [required(path)]
    return [] if storage.nano > 0 else [invalid(path, storage, "must be greater than zero")]


def _validate_data_sources(spec: PersistentVolumeClaimSpec, path: FieldPath, *, any_group: bool) -> list[FieldError]:
    source, reference = spec.dataSource, spec.dataSourceRef
    errors: list[FieldError] = []
    if source is not None:
        errors += _validate_data_source(source, path.child("dataSource"), any_group=any_group)
    if reference is not None:
        errors += _validate_data_source(reference, path.child("dataSourceRef"), any_group=any_group)
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
    source: TypedLocalObjectReference | TypedObjectReference, path: FieldPath, *, any_group: bool
) -> list[FieldError]:
    errors = require(source, ("name", "kind"), path)
    if not source.apiGroup:
        if source.kind != "PersistentVolumeClaim":
            detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
            errors.append(invalid(path, source.kind, detail))
        return errors
    messages = [] if any_group else is_dns1123_subdomain(source.apiGroup)
    return errors + [invalid(path.child("apiGroup"), source.apiGroup, message) for message in messages]
