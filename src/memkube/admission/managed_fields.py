"""Checks of ``managedFields`` after mutating plugins ran (apiserver ``handlers/fieldmanager/admission.go``)."""

from collections.abc import Sequence
from typing import TypeAlias

from memkube.apimachinery.managed_fields.entries import InvalidManagedFieldsError, read_fields
from memkube.apimachinery.meta.v1.api_object import ApiObject, ManagedFieldsEntry
from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.admission import Attributes

ManagedFields: TypeAlias = Sequence[ManagedFieldsEntry] | None
_WARNING = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating "
    "admission controller; please fix your requests: "
)


def managed_fields_of(attributes: Attributes) -> ManagedFields:
    """Return the ``managedFields`` of the new object. Must be called before mutating plugins run."""
    return attributes.new.metadata.managedFields if isinstance(attributes.new, ApiObject) else None


def restore_managed_fields(attributes: Attributes, before: ManagedFields) -> None:
    """Check the ``managedFields`` of the new object after mutating plugins have run.

    If they are invalid, restore `before`, the value that they had before the plugins ran, and warn the client.
    """
    new = attributes.new
    if not isinstance(new, ApiObject) or new.metadata.managedFields is before:
        return
    new.metadata.managedFields = new.metadata.managedFields or None
    why = _fault(new.metadata.managedFields or ())
    if why is not None:
        new.metadata.managedFields = None if before is None else list(before)
        attributes.context.warn(_WARNING + why)


def _fault(entries: Sequence[ManagedFieldsEntry]) -> str | None:
    for index, entry in enumerate(entries):
        if entry.operation not in ("Apply", "Update"):
            return "operation must be `Apply` or `Update`"
        if not entry.apiVersion:
            return "apiVersion must not be empty"
        if not entry.fieldsType:
            return f"missing fieldsType in managed fields entry {index}"
        if entry.fieldsType != "FieldsV1":
            return f"invalid fieldsType {quoted(entry.fieldsType)} in managed fields entry {index}"
        try:
            read_fields(entry.fieldsV1 or {})
        except InvalidManagedFieldsError as error:
            return f"error decoding versioned set of {quoted(entry.manager)}: {error}"
    return None
