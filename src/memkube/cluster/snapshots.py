"""Snapshots of a cluster: taking them, restoring them, and reading them from files."""

import os
from pathlib import Path
from typing import TypeAlias

from memkube.errors import SnapshotError
from memkube.snapshots.files import SnapshotRefused, read_snapshot
from memkube.snapshots.snapshot import Snapshot

AnySnapshot: TypeAlias = Snapshot | str | os.PathLike[str]
"""A snapshot, or the path of its file."""


def load_snapshot(path: str | os.PathLike[str]) -> Snapshot:
    """Return the snapshot in a file that `Snapshot.save` or ``memkube snapshot save`` wrote.

    Raises SnapshotError if the file cannot be read, is not a snapshot, is truncated or damaged, has a newer format,
    is of another version of Kubernetes, or contains objects of unknown kinds. The message names the invalid line, if
    there is one.
    """
    try:
        return read_snapshot(Path(path))
    except SnapshotRefused as refusal:
        raise SnapshotError(f"{os.fspath(path)}: {refusal}") from None
    except OSError as error:
        raise SnapshotError(f"cannot read the snapshot {os.fspath(path)}: {error.strerror or error}") from None


def snapshot_given(given: AnySnapshot) -> Snapshot:
    """Return the snapshot, read from its file if `given` is a path. Raises SnapshotError if the file cannot be read."""
    return given if isinstance(given, Snapshot) else load_snapshot(given)
