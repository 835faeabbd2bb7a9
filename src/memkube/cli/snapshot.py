"""``memkube snapshot``: all of a server's state, in a file and back."""

from pathlib import Path
from typing import Annotated

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
