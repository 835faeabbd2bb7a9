"""``memkube ui``: the web page of a running server, or of a saved snapshot."""

import sys
import webbrowser
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.server import open_server
from memkube.cluster.snapshots import load_snapshot
from memkube.errors import UsageError
from memkube.server.settings import Settings

app = typer.Typer(add_completion=False)
_SNAPSHOT = "snapshot.jsonl"
_PAGE = "/ui"


@app.command()
def ui(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="Snapshot to show: a file that memkube snapshot save wrote, or a folder of --memkube-artifacts.",
            show_default=False,
        ),
    ] = None,
    server: ServerOption = "",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on which to show a snapshot; 0 selects a free port.")
    ] = 0,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Show a server or a snapshot on a web page.

    Without FILE, the command prints the address of the page of a running server. With FILE, it shows the snapshot until
    it is interrupted. Nothing can be changed then: no controllers run, the clock stands still at the time of the
    snapshot, and the API at the same address answers only reads.

    Example::

        memkube ui
    """
    if file is not None:
        _show_snapshot(file / _SNAPSHOT if file.is_dir() else file, port, browse=browse)
        return
    if port:
        raise UsageError("--port is for a snapshot: the page of a running server is at the server's own address")
    control = ControlApi.of(server)
    control.get("/clock")
    _announce(f"{control.url}{_PAGE}", "", browse=browse)


def _show_snapshot(file: Path, port: int, *, browse: bool) -> None:
    """Serve the page of a snapshot until SIGINT or SIGTERM."""
    # These modules of the server are imported here, because printing the address of a running server needs none of
    # them.

    snapshot = load_snapshot(file)
    settings = Settings(controllers=(), clock="stepped", snapshot=snapshot, read_only=True)
    shown = open_server(lambda: settings, port=port)
    if not shown.run(partial(_announce, f"{shown.url}{_PAGE}", str(file), browse=browse)):
        sys.exit(1)


def _announce(url: str, file: str, *, browse: bool) -> None:
    sys.stdout.write(f"memkube shows {file} at {url}\n" if file else f"{url}\n")
    sys.stdout.flush()
    if browse:
        webbrowser.open(url)
