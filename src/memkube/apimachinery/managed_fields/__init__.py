"""Who owns which field: managedFields and server-side apply, as pure functions over documents. No I/O."""

from memkube.apimachinery.managed_fields.field_set import ANY, FieldFilter, FieldSet, excluding, field_set, including
from memkube.apimachinery.managed_fields.shapes import DEDUCED
from memkube.apimachinery.managed_fields.update import record_update
from memkube.apimachinery.managed_fields.writer import Writer

__all__ = [
    "ANY",
    "DEDUCED",
    "FieldFilter",
    "FieldSet",
    "Writer",
    "excluding",
    "field_set",
    "including",
    "record_update",
]
