"""Rules for namespaces."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.names import is_qualified_name, label_name
from memkube.apis.core.v1.metadata import validate_finalizer_domain, validate_metadata, validate_metadata_update
from memkube.apis.core.v1.namespaces.types import Namespace

_METADATA: Final = FieldPath("metadata")
_FINALIZERS: Final = FieldPath("spec").child("finalizers")
_PHASE: Final = FieldPath("status").child("Phase")


def validate_namespace(namespace: Namespace) -> list[FieldError]:
    """The name is a label of a domain name, and finalizers are known or have domains."""
    errors = validate_metadata(namespace.metadata, False, label_name, _METADATA)
    for name in namespace.spec.finalizers:
        errors += _validate_finalizer(name, _FINALIZERS)
    return errors


def validate_namespace_update(new: Namespace, old: Namespace) -> list[FieldError]:
    """The metadata keeps its rules."""
    return validate_metadata_update(new.metadata, old.metadata, _METADATA)


def validate_namespace_status_update(new: Namespace, old: Namespace) -> list[FieldError]:
    """The phase agrees with whether the namespace is being deleted."""
    errors = validate_metadata_update(new.metadata, old.metadata, _METADATA)
    if new.metadata.deletionTimestamp is None:
        if new.status.phase != "Active":
            detail = "may only be 'Active' if `deletionTimestamp` is empty"
            errors.append(invalid(_PHASE, new.status.phase, detail))
    elif new.status.phase != "Terminating":
        detail = "may only be 'Terminating' if `deletionTimestamp` is not empty"
        errors.append(invalid(_PHASE, new.status.phase, detail))
    return errors


def validate_namespace_finalize_update(new: Namespace, old: Namespace) -> list[FieldError]:
    """Finalizers that stay are known or have domains."""
    errors = validate_metadata_update(new.metadata, old.metadata, _METADATA)
    for index, name in enumerate(new.spec.finalizers):
        errors += _validate_finalizer(name, _FINALIZERS.item(index))
    return errors


def _validate_finalizer(name: str, path: FieldPath) -> list[FieldError]:
    return [invalid(path, name, error) for error in is_qualified_name(name)] + validate_finalizer_domain(name, path)
