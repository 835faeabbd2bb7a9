"""Snapshots of a cluster: taken, restored, forked, and read from files."""

import os
from pathlib import Path
from typing import TypeAlias

from memkube.apimachinery.errors import ApiError, Details
from memkube.errors import SnapshotError
from memkube.registry.registry import Registry
from memkube.snapshots.snapshot import Snapshot
from memkube.snapshots.snapshots import Snapshots

AnySnapshot: TypeAlias = Snapshot | str | os.PathLike[str]
"""A snapshot, or the path of its file."""


def load_snapshot(path: str | os.PathLike[str]) -> Snapshot:
    """The snapshot that `Snapshot.save` or ``memkube snapshot save`` wrote.

    Raises SnapshotError, which names the line, for what is none, is cut off or damaged, was written in a newer format,
    or has objects of kinds that are not known; and OSError.
    """
    from memkube.snapshots.files import SnapshotRefused, read_snapshot  # noqa: PLC0415  most programs read none

    try:
        return read_snapshot(Path(path))
    except SnapshotRefused as refusal:
        raise SnapshotError(f"{os.fspath(path)}: {refusal}") from None


def snapshot_given(given: AnySnapshot) -> Snapshot:
    """The snapshot itself. Raises SnapshotError and OSError."""
    return given if isinstance(given, Snapshot) else load_snapshot(given)


async def take_snapshot(registry: Registry) -> Snapshot:
    """All of a server's state. Raises ApiError 409 for a program that cannot be saved."""
    return await _snapshots(registry).take()


async def restore_snapshot(registry: Registry, snapshot: Snapshot) -> None:
    """Has a server be as it was. Raises ApiError."""
    await _snapshots(registry).restore(snapshot)


def _snapshots(registry: Registry) -> Snapshots:
    snapshots = registry.provided(Snapshots)
    if snapshots is None:
        raise ApiError(503, "ServiceUnavailable", "the server is about to start", Details())
    return snapshots
