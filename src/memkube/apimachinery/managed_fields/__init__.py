"""Field ownership (managedFields) and server-side apply, as pure functions on JSON data without I/O."""

from memkube.apimachinery.managed_fields.apply import ApplyConflict, ApplyError, apply
from memkube.apimachinery.managed_fields.entries import keep_timestamps
from memkube.apimachinery.managed_fields.field_set import FieldSet, field_set
from memkube.apimachinery.managed_fields.scale import ReplicasPaths, entries_after_scaling, scale_entries
from memkube.apimachinery.managed_fields.shapes import DEDUCED
from memkube.apimachinery.managed_fields.update import Writer, fields_of_new, record_update
from memkube.apimachinery.managed_fields.versions import OtherVersion, UnfitForVersionError, Versions

__all__ = [
    "DEDUCED",
    "ApplyConflict",
    "ApplyError",
    "FieldSet",
    "OtherVersion",
    "ReplicasPaths",
    "UnfitForVersionError",
    "Versions",
    "Writer",
    "apply",
    "entries_after_scaling",
    "field_set",
    "fields_of_new",
    "keep_timestamps",
    "record_update",
    "scale_entries",
]
