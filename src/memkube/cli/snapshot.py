"""``memkube snapshot``: saves the state of a server in a file, and restores it."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.errors import ServerError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Save a server's state in a file, or restore it.")
_File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The snapshot file, which consists of lines of JSON.", show_default=False)
]


@app.command()
def save(file: _File, server: ServerOption = "") -> None:
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
    typer.echo(f"saved {file}")


@app.command("export")
def export_(
    file: _File,
    folder: Annotated[Path, typer.Argument(help="Folder to write manifests into; created if it does not exist.")],
    layout: Annotated[
        Literal["object", "kind"],
        typer.Option(help="Layout of the manifests: one file per object, or one file per kind."),
    ] = "object",
) -> None:
    """Write a snapshot's objects as manifests, without the fields that a server sets.

    Only objects that users have written are exported, not those of the control plane. Values of Secrets are included.

    Example::

        memkube snapshot export before.jsonl manifests/
    """
    from memkube.cluster.exporting import export_manifests  # noqa: PLC0415 - saving needs no modules of the server
    from memkube.cluster.snapshots import load_snapshot  # noqa: PLC0415 - as above

    typer.echo(f"exported {export_manifests(load_snapshot(file), folder, layout)} objects to {folder}")


@app.command("import")
def import_(
    folder: Annotated[Path, typer.Argument(help="Folder or file with manifests.")],
    file: _File,
) -> None:
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
    typer.echo(f"imported {len(applied)} objects into {file}")


@app.command()
def restore(file: _File, server: ServerOption = "") -> None:
    """Restore a server to the state in a file.

    Watches end with 410 (Expired), so that clients list again; controllers start again.

    Example::

        memkube snapshot restore before.jsonl
    """
    # Check the file here first: the server's error message could not name it.
    from memkube.cluster.snapshots import load_snapshot  # noqa: PLC0415 - saving needs no modules of the server

    snapshot = load_snapshot(file)
    ControlApi.of(server).call("PUT", "/snapshot", file.read_bytes())
    typer.echo(f"restored {len(snapshot.objects.objects)} objects as of {snapshot.now:%Y-%m-%d %H:%M:%S}")
