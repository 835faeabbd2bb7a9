"""Conversion of managedFields between an object and its Scale, which have only the replicas field in common.

Source: apimachinery's ``scalehandler.go``.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias

from memkube.apimachinery.managed_fields.entries import stored_entries, written_entries
from memkube.apimachinery.managed_fields.field_set import difference, field_set, has_path
from memkube.apimachinery.model import Document

ReplicasPaths: TypeAlias = Mapping[str, tuple[str, ...] | None]
"""Path of the replicas field for each API version of a kind; None for a version without a scale subresource."""

_SCALE: Final = "autoscaling/v1"
_IN_SCALE: Final = ("spec", "replicas")


def scale_entries(document: Document, paths: ReplicasPaths) -> list[Document]:
    """Return the managedFields of a Scale: one entry for each manager that owns the replicas field of the object.

    `paths` leads to this field in each API version of the object.
    """
    entries = [
        entry._replace(api_version=_SCALE, fields=field_set(_IN_SCALE), written=None)
        for entry in stored_entries(document).values()
        if (path := paths.get(entry.api_version)) is not None and has_path(entry.fields, _steps(path))
    ]
    return written_entries(entries)


def entries_after_scaling(
    document: Document, scale: Document, api_version: str, paths: ReplicasPaths
) -> list[Document]:
    """Return the managedFields of an object after a write to its scale subresource.

    The write has changed the managedFields of the Scale. If a manager no longer owns the replicas field in the Scale,
    it loses this field in the object too. If a manager owns the field in the Scale, it gets an entry in the object that
    owns only this field. If this entry replaces one with the same identifier, it keeps the time of the old one.
    `paths` leads to the replicas field in each API version of the object.
    """
    of_scale, of_object = stored_entries(scale), stored_entries(document)
    entries = {}
    for manager, entry in of_object.items():
        if entry.api_version not in paths:
            continue
        path = paths[entry.api_version]
        if path is None or not has_path(entry.fields, _steps(path)) or of_scale.pop(manager, None) is not None:
            entries[manager] = entry
        elif rest := difference(entry.fields, field_set(path)):
            entries[manager] = entry.owning(rest)
    path = paths[api_version]
    assert path is not None
    owned = field_set(path)
    for manager, entry in of_scale.items():
        if has_path(entry.fields, _steps(_IN_SCALE)):
            time = of_object[manager].time if manager in of_object else None
            entries[manager] = entry._replace(api_version=api_version, fields=owned, time=time, written=None)
    return written_entries(entries.values())


def _steps(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"f:{name}" for name in path)
