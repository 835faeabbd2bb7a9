"""Entries brought in line with the schema, which may have changed since they were written.

Source: structured-merge-diff's ``typed.ReconcileFieldSetWithSchema`` and ``merge.Updater``.
"""

from memkube.apimachinery.managed_fields.entries import Entries, InvalidManagedFieldsError
from memkube.apimachinery.managed_fields.field_set import LEAF, FieldSet
from memkube.apimachinery.managed_fields.shapes import element_schema
from memkube.apimachinery.schema import Scalar, Schema


def reconciled(schema: Schema, entries: Entries) -> Entries:
    """The entries with the parts of what is owned as one by now joined."""
    return {manager: entry.owning(_joined(schema, entry.fields)) for manager, entry in entries.items()}


def of_version(entries: Entries, api_version: str) -> Entries:
    """The entries of this version; others are dropped. Raises InvalidManagedFieldsError where a version is none."""
    for entry in entries.values():
        if entry.api_version.count("/") > 1:
            raise InvalidManagedFieldsError(f"unexpected GroupVersion string: {entry.api_version}")
    return {manager: entry for manager, entry in entries.items() if entry.api_version == api_version}


def of_group(entries: Entries, api_version: str) -> Entries:
    """The entries of this version's group; nobody can say what those of another group own here."""
    group = api_version.rpartition("/")[0]
    if all(entry.api_version.rpartition("/")[0] == group for entry in entries.values()):
        return entries
    return {manager: entry for manager, entry in entries.items() if entry.api_version.rpartition("/")[0] == group}


def _joined(schema: Schema, fields: FieldSet) -> FieldSet:
    return {element: _joined_below(element_schema(schema, element), node) for element, node in fields.items()}


def _joined_below(schema: Schema | None, node: FieldSet) -> FieldSet:
    if schema is None or isinstance(schema, Scalar) or not node:
        return node
    if schema.relationship == "atomic":
        return LEAF
    return {
        element: below if element == "." else _joined_below(element_schema(schema, element), below)
        for element, below in node.items()
    }
