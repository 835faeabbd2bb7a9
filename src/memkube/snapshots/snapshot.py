"""What a snapshot holds."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

from memkube.apimachinery.model import Document
from memkube.errors import SnapshotError
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import SavedObjects

States: TypeAlias = Mapping[str, Sequence[Document]]
"""What is no object, by the part of the server that keeps it; each entry is JSON data."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A server as it was at one instant. It never changes; servers may share it, and be restored to it many times."""

    objects: SavedObjects
    now: datetime
    """What the server's clock showed."""
    clock: str
    """The name of that clock: ``real``, ``stepped``, or ``x60`` for sixty times as fast."""
    states: States = field(default_factory=dict)
    """The simulated world, and what else is no object."""

    is_read: bool = False
    """Whether it comes from a file, which anybody may have written."""

    @property
    def revision(self) -> int:
        """The resourceVersion that a list of that moment carries."""
        return self.objects.revision

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of JSON lines; it includes the values of Secrets.

        Raises SnapshotError if the file cannot be written.
        """
        from memkube.snapshots.files import write_snapshot  # noqa: PLC0415 - `files` imports Snapshot

        try:
            write_snapshot(self, Path(path))
        except OSError as error:
            raise SnapshotError(f"{os.fspath(path)}: {error.strerror or error}") from None


def object_key(group: str, plural: str, namespace: str, name: str) -> str:
    """Where a snapshot has an object; `namespace` is empty for those of the whole cluster."""
    return f"/{group or 'core'}/{plural}/{namespace}/{name}" if namespace else f"/{group or 'core'}/{plural}/{name}"


def snapshot_of(objects: Iterable[tuple[str, Document]], now: datetime) -> Snapshot:
    """A snapshot of objects of some other server, each with its key, uid and resourceVersion; nothing runs in it.

    Raises ValueError for a resourceVersion that is no number.
    """
    stored = {key: StoredObject(document) for key, document in objects}
    revision = max((int(value.resource_version) for value in stored.values()), default=0)
    return Snapshot(SavedObjects(str(uuid4()), revision, stored, {}), now, "real")
