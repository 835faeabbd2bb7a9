"""Validation of the metadata of core API kinds: the general rules, and a domain prefix for finalizers."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.validation.object_meta import METADATA, validate_object_meta, validate_object_meta_update
from memkube.apimachinery.names import NameRule

_RESET_FOR_STATUS: Final = (
    "deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences",
)  # fmt: skip
_STANDARD_FINALIZERS: Final = ("kubernetes", "orphan", "foregroundDeletion")


def validate_metadata(
    meta: ObjectMeta, name_rule: NameRule, path: FieldPath = METADATA, *, namespaced: bool
) -> list[FieldError]:
    """Validate the metadata of a new object of a core API kind: the general rules, and the domains of finalizers.

    `namespaced` is true if the kind requires a namespace. `name_rule` gets the object's name and False, or the prefix
    in its generateName and True, and returns the reasons why it is invalid.
    """
    return validate_object_meta(meta, name_rule, path, namespaced=namespaced) + _validate_finalizers(meta, path)


def validate_metadata_update(new: ObjectMeta, old: ObjectMeta, path: FieldPath = METADATA) -> list[FieldError]:
    """Validate updated metadata of an object of a core API kind: the general rules, and the domains of finalizers."""
    return validate_object_meta_update(new, old, path) + _validate_finalizers(new, path)


def reset_metadata_for_status(new: ObjectMeta, old: ObjectMeta) -> None:
    """Discard a ``status`` write's changes to all metadata but managed fields (``ResetObjectMetaForStatus``)."""
    for name in _RESET_FOR_STATUS:
        setattr(new, name, getattr(old, name))


def validate_finalizer_domain(name: str, path: FieldPath) -> list[FieldError]:
    """Validate that a finalizer has a domain prefix, unless it is one of Kubernetes' standard finalizers."""
    if "/" in name or name in _STANDARD_FINALIZERS:
        return []
    return [invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")]


def _validate_finalizers(meta: ObjectMeta, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, name in enumerate(meta.finalizers):
        errors += validate_finalizer_domain(name, path.child("finalizers").item(index))
    return errors
