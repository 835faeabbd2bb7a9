"""``memkube snapshot``: saves the state of a server in a file, and restores it."""

from pathlib import Path
from typing import Literal

import click

from memkube.cli.commands import PATH, Group, argument
from memkube.cli.control_api import ControlApi, server_option
from memkube.errors import ServerError

_file = argument("file", metavar="FILE", type=PATH, help="The snapshot file, which consists of lines of JSON.")


@click.group(cls=Group)
def snapshot() -> None:
    """Save a server's state in a file, or restore it."""


@snapshot.command()
@_file
@server_option
def save(file: Path, server: str) -> None:
    """Write the state of a server into a file.

    The file contains the objects with their revisions, the clock, the nodes and the state of simulated containers. It
    includes the values of Secrets. The server continues to run.

    Example::

        memkube snapshot save before.jsonl
    """
    unfinished = file.with_name(f".{file.name}.unfinished")
    control, last = ControlApi.of(server), b""
    try:
        with unfinished.open("wb") as written, control.lines("GET", "/snapshot") as lines:
            for line in lines:
                written.write(line)
                last = line
        if not last.startswith(b'{"end":'):
            raise ServerError(f"the server at {control.url} stopped before the snapshot was complete")
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)
    click.echo(f"saved {file}")


@snapshot.command("export")
@_file
@argument("folder", type=PATH, help="Folder to write manifests into; created if it does not exist.")
@click.option(
    "--layout",
    type=click.Choice(["object", "kind"]),
    default="object",
    help="Layout of the manifests: one file per object, or one file per kind.",
)
def export_(file: Path, folder: Path, layout: Literal["object", "kind"]) -> None:
    """Write a snapshot's objects as manifests, without the fields that a server sets.

    Only objects that users have written are exported, not those of the control plane. Values of Secrets are included.

    Example::

        memkube snapshot export before.jsonl manifests/
    """
    from memkube.cluster.exporting import export_manifests  # noqa: PLC0415 - saving needs no modules of the server
    from memkube.cluster.snapshots import load_snapshot  # noqa: PLC0415 - as above

    click.echo(f"exported {export_manifests(load_snapshot(file), folder, layout)} objects to {folder}")


@snapshot.command("import")
@argument("folder", type=PATH, help="Folder or file with manifests.")
@_file
def import_(folder: Path, file: Path) -> None:
    """Make a snapshot from manifests, by applying them to an empty cluster.

    Custom resource definitions are applied first, then namespaces, then objects that others need. The snapshot records
    a stepped clock, that is, one that moves only when it is advanced.

    Example::

        memkube snapshot import manifests/ begun.jsonl
    """
    from memkube.cluster.synchronous import Memkube  # noqa: PLC0415 - saving needs no modules of the server

    with Memkube(clock="stepped") as kube:
        applied = kube.apply(folder)
        kube.snapshot().save(file)
    click.echo(f"imported {len(applied)} objects into {file}")


@snapshot.command()
@_file
@server_option
def restore(file: Path, server: str) -> None:
    """Restore a server to the state in a file.

    Watches end with 410 (Expired), so that clients list again; controllers start again.

    Example::

        memkube snapshot restore before.jsonl
    """
    # Check the file here first: the server's error message could not name it.
    from memkube.cluster.snapshots import load_snapshot  # noqa: PLC0415 - saving needs no modules of the server

    snapshot = load_snapshot(file)
    ControlApi.of(server).call("PUT", "/snapshot", file.read_bytes())
    click.echo(f"restored {len(snapshot.objects.objects)} objects as of {snapshot.now:%Y-%m-%d %H:%M:%S}")
