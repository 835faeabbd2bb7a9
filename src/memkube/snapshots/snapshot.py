"""The data of a snapshot: objects, clock, and the state of controllers and simulated nodes and pods."""

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
"""State of the server that is not stored in objects, as JSON data by the name of the part of the server."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The immutable state of a server at one time. Several servers may restore it, any number of times."""

    objects: SavedObjects
    now: datetime
    """Time on the server's clock when the snapshot was taken."""
    clock: str
    """Kind of the server's clock: ``real``, ``stepped`` (moves only on request), or ``x60`` for 60 times real speed."""
    states: States = field(default_factory=dict)
    """State that is not stored in objects, such as that of simulated nodes. The keys name parts of the server."""

    is_read: bool = False
    """True if the snapshot was read from a file, whose content is not trusted."""

    @property
    def revision(self) -> int:
        """Revision of the storage when the snapshot was taken. A list at that time had it as its resourceVersion."""
        return self.objects.revision

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the snapshot to a file of JSON lines, including the values of Secrets.

        Raises SnapshotError if the file cannot be written.
        """
        from memkube.snapshots.files import write_snapshot  # noqa: PLC0415 - `files` imports Snapshot

        try:
            write_snapshot(self, Path(path))
        except OSError as error:
            raise SnapshotError(f"cannot write the snapshot {os.fspath(path)}: {error.strerror or error}") from None


def object_key(group: str, plural: str, namespace: str, name: str) -> str:
    """Return the key of an object in snapshots. `namespace` is empty for cluster-scoped objects."""
    return f"/{group or 'core'}/{plural}/{namespace}/{name}" if namespace else f"/{group or 'core'}/{plural}/{name}"


def snapshot_of(objects: Iterable[tuple[str, Document]], now: datetime) -> Snapshot:
    """Return a snapshot with only these objects of another cluster, without state of controllers and pods.

    `objects` are pairs of storage key and object; `now` is the snapshot's time. Raises ValueError if the
    resourceVersion of an object is not a number.
    """
    stored = {key: StoredObject(document) for key, document in objects}
    revision = max((int(value.resource_version) for value in stored.values()), default=0)
    return Snapshot(SavedObjects(str(uuid4()), revision, stored, {}), now, "real")
