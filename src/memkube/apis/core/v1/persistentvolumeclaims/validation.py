"""Validation of new and updated PersistentVolumeClaims, and of the amounts and resize states in their status.

Source: ``pkg/apis/core/validation``.
"""

from collections.abc import Mapping
from typing import Any, Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported,
    not_supported_string,
    required,
)
from memkube.apimachinery.meta.validation.labels import validate_label_name, validate_label_selector
from memkube.apimachinery.meta.validation.object_meta import NEGATIVE, validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import given, go_json, internal_form, line_diff
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import (
    RESIZE_STATES,
    STORAGE_CLASS_ANNOTATION,
    PersistentVolumeClaim,
)
from memkube.apis.core.v1.podspec.types.volumes import PersistentVolumeClaimSpec
from memkube.apis.core.v1.podspec.validation.claims import NEW_CLAIM, ClaimRules, validate_claim_spec
from memkube.apis.core.v1.podspec.validation.resources import is_native_resource

_METADATA: Final = FieldPath("metadata")
_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_NOTHING: Final = Quantity("0")


def validate_persistent_volume_claim(claim: PersistentVolumeClaim, rules: ClaimRules = NEW_CLAIM) -> list[FieldError]:
    """Validate the metadata and spec of a claim; `rules` says which invalid values of a stored claim are accepted."""
    errors = validate_metadata(claim.metadata, subdomain_name, namespaced=True)
    return errors + validate_claim_spec(claim.spec, _SPEC, rules)


def validate_persistent_volume_claim_update(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[FieldError]:
    """Validate an update of a PersistentVolumeClaim.

    After the claim is bound, only the requested storage and the volume attributes class may change.
    """
    sources = (old.spec.dataSource, old.spec.dataSourceRef)
    rules = ClaimRules(
        any_label_values=bool(validate_label_selector(old.spec.selector, _SPEC)),
        any_group=any(source is not None and source.apiGroup is not None for source in sources),
    )
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += validate_persistent_volume_claim(new, rules)
    if not _moves_storage_class(new, old):
        before, after = (claim.metadata.annotations.get(STORAGE_CLASS_ANNOTATION, "") for claim in (old, new))
        errors += validate_immutable(after, before, _METADATA.child("annotations").child(STORAGE_CLASS_ANNOTATION))
    errors += _validate_unchanged(new, old)
    errors += _validate_size(new, old)
    errors += validate_immutable(new.spec.volumeMode, old.spec.volumeMode, FieldPath("volumeMode"))
    return errors + _validate_attributes_class(new, old)


def validate_persistent_volume_claim_status_update(
    new: PersistentVolumeClaim, old: PersistentVolumeClaim
) -> list[FieldError]:
    """Validate an updated claim status.

    Amounts must not be negative, and only the resource ``storage`` may have a resize state.
    """
    errors = validate_metadata_update(new.metadata, old.metadata)
    if not new.metadata.resourceVersion:
        errors.append(required("resourceVersion"))
    if not new.spec.accessModes:
        errors.append(required("Spec.accessModes"))
    for name, quantity in new.status.capacity.items():
        errors += _validate_amount(quantity, _STATUS.child("capacity").key(name))
    path = _STATUS.child("allocatedResourceStatuses")
    for name, state in new.status.allocatedResourceStatuses.items():
        errors += _validate_resource_name(name, path)
        if state not in RESIZE_STATES:
            errors.append(not_supported(path, name, RESIZE_STATES))
    path = _STATUS.child("allocatedResources")
    for name, quantity in new.status.allocatedResources.items():
        found = _validate_resource_name(name, path) or _validate_amount(quantity, path.key(name))
        if not found and quantity.nano < 0:
            found = [invalid(path.key(name), quantity, NEGATIVE)]
        errors += found
    return errors


def _moves_storage_class(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> bool:
    """True if an update moves the storage class from the deprecated annotation to the spec."""
    before = old.metadata.annotations.get(STORAGE_CLASS_ANNOTATION)
    after = new.metadata.annotations.get(STORAGE_CLASS_ANNOTATION, before)
    return before is not None and old.spec.storageClassName is None and new.spec.storageClassName == before == after


def _validate_unchanged(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[FieldError]:
    before, after = _comparable(new, old)
    if _values(before) == _values(after):
        return []
    texts = (go_json(internal_form(spec), indent=1) for spec in (before, after))
    detail = (
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"
        f"{line_diff(*texts)}"
    )
    return [forbidden(_SPEC, detail)]


def _comparable(
    new: PersistentVolumeClaim, old: PersistentVolumeClaim
) -> tuple[PersistentVolumeClaimSpec, PersistentVolumeClaimSpec]:
    """Return copies of the old and new spec of a claim, in which permitted changes are undone.

    The caller reports any remaining difference between the two copies as an error.
    """
    before, after = old.spec.model_copy(), new.spec.model_copy()
    if not before.volumeName:
        before.volumeName = after.volumeName
    if before.storageClassName is None and after.storageClassName is not None:
        annotation = old.metadata.annotations.get(STORAGE_CLASS_ANNOTATION, after.storageClassName)
        if annotation == after.storageClassName:
            after.storageClassName = None
    if new.status.phase == "Bound":
        after.volumeAttributesClassName = before.volumeAttributesClassName
        if given(after.resources, "requests") is not None:
            size = before.resources.requests.get("storage", _NOTHING)
            after.resources = after.resources.model_copy(
                update={"requests": {**after.resources.requests, "storage": size}}
            )
    return before, after


def _values(spec: PersistentVolumeClaimSpec) -> Mapping[str, Any]:
    """Return the fields of a claim's spec by name, with quantities as numbers.

    Equal amounts may be written in several ways, so quantities must not be compared as text.
    """
    amounts = [
        {name: quantity.nano for name, quantity in quantities.items()}
        for quantities in (spec.resources.requests, spec.resources.limits)
    ]
    return {**{name: getattr(spec, name) for name in type(spec).model_fields}, "resources": amounts}


def _validate_size(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[FieldError]:
    """Validate that a reduced storage request is still higher than the claim's current capacity.

    Such a reduction is allowed so that users can recover from a failed expansion.
    """
    after, before = (claim.spec.resources.requests.get("storage", _NOTHING) for claim in (new, old))
    capacity = old.status.capacity.get("storage", _NOTHING)
    if after.nano >= before.nano or after.nano > capacity.nano:
        return []
    path = _SPEC.child("resources").child("requests").child("storage")
    return [forbidden(path, "field can not be less than status.capacity")]


def _validate_attributes_class(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[FieldError]:
    name = new.spec.volumeAttributesClassName
    if name == old.spec.volumeAttributesClassName or old.status.currentVolumeAttributesClassName is None or name:
        return []
    nothing = "nil" if name is None else "empty string"
    detail = f"update to {nothing} is forbidden when status.currentVolumeAttributesClassName is not nil"
    return [forbidden(_SPEC.child("volumeAttributesClassName"), detail)]


def _validate_amount(quantity: Quantity, path: FieldPath) -> list[FieldError]:
    return [] if quantity.value >= 0 else [invalid(path, quantity.value, "must be a valid resource quantity")]


def _validate_resource_name(name: str, path: FieldPath) -> list[FieldError]:
    errors = validate_label_name(name, path)
    if not errors and is_native_resource(name) and name != "storage":
        errors.append(not_supported_string(path, name, ("storage",)))
    return errors
