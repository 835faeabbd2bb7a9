"""Validation of object metadata: name, annotations, finalizers, owner references and managed fields.

Source: apimachinery's ``api/validation``.
"""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    invalid_typed,
    required,
    too_long,
)
from memkube.apimachinery.go_strings import go_bytes, is_valid_utf8
from memkube.apimachinery.meta.v1.api_object import ManagedFieldsEntry, ObjectMeta, OwnerReference
from memkube.apimachinery.meta.validation.labels import validate_labels
from memkube.apimachinery.names import NameRule, is_qualified_name, label_name
from memkube.apimachinery.shown_values import quoted

FIELD_IMMUTABLE: Final = "field is immutable"
NEGATIVE: Final = "must be greater than or equal to 0"
ANNOTATIONS_SIZE_LIMIT: Final = 256 * 1024
_MOST_CHARACTER_BYTES: Final = 4
_SUBRESOURCE_LIMIT: Final = 256
_FIELD_MANAGER_LIMIT: Final = 128
_OPERATIONS: Final = ("Apply", "Update")
_LASTING: Final = (
    "name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
)  # fmt: skip
"""Metadata fields that an update must not change."""
METADATA: Final = FieldPath("metadata")
"""Path of the metadata of an object that is not part of another object."""
_lasting: Final = attrgetter(*_LASTING)


def validate_object_meta(
    meta: ObjectMeta, name_rule: NameRule, path: FieldPath = METADATA, *, namespaced: bool
) -> list[FieldError]:
    """Validate the metadata of a new object, after the server has generated its name from generateName.

    `namespaced` is true if the kind requires a namespace. `name_rule` is a function that takes a text, and True if the
    text is a generateName prefix instead of a name. It returns error messages, which are empty if the text is valid.
    """
    errors: list[FieldError] = []
    if meta.generateName:
        errors += [
            invalid(path.child("generateName"), meta.generateName, e) for e in name_rule(meta.generateName, True)
        ]
    if meta.name:
        errors += [invalid(path.child("name"), meta.name, error) for error in name_rule(meta.name, False)]
    else:
        errors.append(required(path.child("name"), "name or generateName is required"))
    errors += _validate_namespace(meta.namespace, namespaced, path)
    if meta.generation:
        errors += validate_nonnegative(meta.generation, path.child("generation"))
    errors += _validate_maps(meta, path)
    if meta.finalizers:
        errors += validate_finalizers(meta.finalizers, path.child("finalizers"))
    return errors + validate_managed_fields(meta.managedFields, path.child("managedFields"))


def validate_object_meta_update(new: ObjectMeta, old: ObjectMeta, path: FieldPath = METADATA) -> list[FieldError]:
    """Validate the metadata of an updated object against that of the stored object."""
    errors: list[FieldError] = []
    if old.deletionTimestamp is not None:
        errors += _validate_no_new_finalizers(new.finalizers, old.finalizers, path.child("finalizers"))
    if not new.resourceVersion:
        errors.append(invalid(path.child("resourceVersion"), "", "must be specified for an update"))
    if new.generation < old.generation:
        errors.append(invalid(path.child("generation"), new.generation, "must not be decremented"))
    if _lasting(new) != _lasting(old):
        for name in _LASTING:
            errors += validate_immutable(getattr(new, name), getattr(old, name), path.child(name))
    errors += _validate_maps(new, path)
    return errors + validate_managed_fields(new.managedFields, path.child("managedFields"))


def validate_nonnegative(value: int, path: FieldPath) -> list[FieldError]:
    """Return an error at `path` if the number is negative."""
    return [invalid(path, value, NEGATIVE)] if value < 0 else []


def validate_immutable(new: Any, old: Any, path: FieldPath) -> list[FieldError]:
    """Return an error at `path` if an update changes the value."""
    return [] if new == old else [invalid(path, new, FIELD_IMMUTABLE)]


def validate_annotations(annotations: Mapping[str, str], path: FieldPath) -> list[FieldError]:
    """Validate annotations: keys must be qualified names, ignoring case, and the total size at most 256 KiB."""
    errors = [invalid(path, key, error) for key in annotations for error in is_qualified_name(key.lower())]
    characters = sum(map(len, annotations)) + sum(map(len, annotations.values()))
    if characters * _MOST_CHARACTER_BYTES > ANNOTATIONS_SIZE_LIMIT:
        size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
        if size > ANNOTATIONS_SIZE_LIMIT:
            errors.append(too_long(path, ANNOTATIONS_SIZE_LIMIT))
    return errors


def validate_finalizers(finalizers: Sequence[str], path: FieldPath) -> list[FieldError]:
    """Validate finalizers: each is a qualified name, and orphan and foregroundDeletion exclude each other."""
    errors = [invalid(path, name, error) for name in finalizers for error in is_qualified_name(name)]
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        errors.append(invalid(path, list(finalizers), detail))
    return errors


def validate_owner_references(references: Sequence[OwnerReference], path: FieldPath) -> list[FieldError]:
    """Validate owner references: each is complete, and at most one is the controller."""
    errors: list[FieldError] = []
    controller = ""
    for reference in references:
        errors += _owner_reference(reference, path)
        if reference.controller:
            name = f"{reference.kind}/{reference.name}"
            if controller:
                detail = (
                    "Only one reference can have Controller set to true. "
                    f'Found "true" in references for {controller} and {name}'
                )
                errors.append(invalid(path, list(references), detail))
            controller = controller or name
    return errors


def validate_managed_fields(entries: Sequence[ManagedFieldsEntry] | None, path: FieldPath) -> list[FieldError]:
    """Validate the operation, manager name and fieldsType of managedFields entries."""
    errors: list[FieldError] = []
    for index, entry in enumerate(entries or ()):
        # The conditions of the functions below are repeated here: a call for each entry would be slow, and almost all
        # entries are valid.
        if entry.operation not in _OPERATIONS:
            detail = "must be `Apply` or `Update`"
            errors.append(invalid_typed(path.item(index).child("operation"), entry.operation, detail))
        if entry.fieldsType != "FieldsV1" and entry.fieldsType:
            errors.append(invalid(path.item(index).child("fieldsType"), entry.fieldsType, "must be `FieldsV1`"))
        if not _is_plain_manager(entry.manager):
            errors += validate_field_manager(entry.manager, path.item(index).child("manager"))
        if entry.subresource and len(entry.subresource.encode()) > _SUBRESOURCE_LIMIT:
            errors.append(too_long(path.item(index).child("subresource"), _SUBRESOURCE_LIMIT))
    return errors


def validate_field_manager(manager: str, path: FieldPath) -> list[FieldError]:
    """Validate that a field manager name is printable and not too long."""
    if _is_plain_manager(manager):
        return []
    errors = [too_long(path, _FIELD_MANAGER_LIMIT)] if len(go_bytes(manager)) > _FIELD_MANAGER_LIMIT else []
    position = 0
    for character in manager:
        # Accept invalid bytes: when Go iterates over a string, each of them becomes U+FFFD, which is printable.
        if not character.isprintable() and is_valid_utf8(character):
            detail = f"invalid character U+{ord(character):04X} (at position {position})"
            errors.append(invalid(path, manager, detail))
        position += len(go_bytes(character))
    return errors


def _is_plain_manager(manager: str) -> bool:
    """True if a field manager name is printable ASCII within the size limit, and therefore valid."""
    return manager.isascii() and manager.isprintable() and len(manager) <= _FIELD_MANAGER_LIMIT


def _validate_maps(meta: ObjectMeta, path: FieldPath) -> list[FieldError]:
    errors = validate_labels(meta.labels, path.child("labels")) if meta.labels else []
    if meta.annotations:
        errors += validate_annotations(meta.annotations, path.child("annotations"))
    if meta.ownerReferences:
        errors += validate_owner_references(meta.ownerReferences, path.child("ownerReferences"))
    return errors


def _validate_namespace(namespace: str, namespaced: bool, path: FieldPath) -> list[FieldError]:
    if not namespaced:
        return [forbidden(path.child("namespace"), "not allowed on this type")] if namespace else []
    if not namespace:
        return [required(path.child("namespace"))]
    return [invalid(path.child("namespace"), namespace, error) for error in label_name(namespace)]


def _validate_no_new_finalizers(new: Sequence[str], old: Sequence[str], path: FieldPath) -> list[FieldError]:
    added = sorted(set(new) - set(old))
    if not added:
        return []
    names = f"[]string{{{', '.join(map(quoted, added))}}}"
    detail = f"no new finalizers can be added if the object is being deleted, found new finalizers {names}"
    return [forbidden(path, detail)]


def _owner_reference(reference: OwnerReference, path: FieldPath) -> list[FieldError]:
    group, _, version = reference.apiVersion.rpartition("/")
    if "/" in group:
        group = version = ""
    errors: list[FieldError] = []
    if not version:
        errors.append(invalid(path.child("apiVersion"), reference.apiVersion, "version must not be empty"))
    missing = (name for name in ("kind", "name", "uid") if not getattr(reference, name))
    errors += [invalid(path.child(name), "", "must not be empty") for name in missing]
    if (group, version, reference.kind) == ("", "v1", "Event"):
        errors.append(invalid(path, reference, "/v1, Kind=Event is disallowed from being an owner"))
    return errors
