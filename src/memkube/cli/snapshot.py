"""``memkube snapshot``: all of a server's state, in a file and back."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.errors import ServerError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Save a server's state in a file, or restore it.")
_File = Annotated[Path, typer.Argument(metavar="FILE", help="The snapshot: lines of JSON.", show_default=False)]


@app.command()
def save(file: _File, server: ServerOption = "") -> None:
    """Write all of a server's state into a file.

    Objects with their revisions, the clock, the nodes, and what the simulated containers have done; Secrets are in it
    as they are. The server goes on.

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
            raise ServerError(f"the server at {control.url} stopped before the snapshot came to its end")
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)
    typer.echo(f"saved {file}")


@app.command("export")
def export_(
    file: _File,
    folder: Annotated[Path, typer.Argument(help="Where to write manifests; made if it is not there.")],
    layout: Annotated[Literal["object", "kind"], typer.Option(help="What has a file of its own.")] = "object",
) -> None:
    """Write a snapshot's objects as manifests, without what a server sets.

    They are those that somebody other than the cluster itself has written. Secrets are as they are.

    Example::

        memkube snapshot export before.jsonl manifests/
    """
    from memkube.cluster.exporting import export_manifests  # noqa: PLC0415  saving needs nothing of the server
    from memkube.cluster.snapshots import load_snapshot  # noqa: PLC0415  as above

    typer.echo(f"exported {export_manifests(load_snapshot(file), folder, layout)} objects to {folder}")


@app.command("import")
def import_(
    folder: Annotated[Path, typer.Argument(help="Manifests: a folder, or a file.")],
    file: _File,
) -> None:
    """Make a snapshot of manifests, by creating them in an empty cluster.

    Definitions come first, then namespaces, then what others need. The cluster's clock stands still.

    Example::

        memkube snapshot import manifests/ begun.jsonl
    """
    from memkube.cluster.synchronous import Memkube  # noqa: PLC0415  saving needs nothing of the server

    with Memkube(clock="stepped") as kube:
        applied = kube.apply(folder)
        kube.snapshot().save(file)
    typer.echo(f"imported {len(applied)} objects into {file}")


@app.command()
def restore(file: _File, server: ServerOption = "") -> None:
    """Have a server be as a file says that it, or another one, was.

    Watches end with 410 (Expired), so that clients list again; controllers begin anew.

    Example::

        memkube snapshot restore before.jsonl
    """
    # Looked at here first, so that what is wrong with the file is told with its name.
    from memkube.cluster.snapshots import load_snapshot  # noqa: PLC0415  saving needs nothing of the server

    snapshot = load_snapshot(file)
    ControlApi.of(server).call("PUT", "/snapshot", file.read_bytes())
    typer.echo(f"restored {len(snapshot.objects.objects)} objects as of {snapshot.now:%Y-%m-%d %H:%M:%S}")
