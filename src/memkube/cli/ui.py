"""``memkube ui``: the web page of a running server, of a snapshot, or of bugs that ``memkube hunt`` has found."""

import sys
import webbrowser
from functools import partial
from pathlib import Path
from typing import Any

import click

from memkube.cli.commands import PATH, PORT, Command, argument
from memkube.cli.control_api import ControlApi, server_option
from memkube.errors import UsageError
from memkube.hunting.saved_report import read_report

_SNAPSHOT = "snapshot.jsonl"
_REPORT = "report.json"
_PAGE = "/ui"


@click.command(cls=Command)
@argument(
    "file",
    metavar="[FILE]",
    type=PATH,
    required=False,
    help="What to show: a snapshot file, a folder that pytest --memkube-artifacts wrote for a failed test, "
    "or the report folder of memkube hunt.",
)
@server_option
@click.option("--port", type=PORT, default=0, help="Port on which to show FILE; 0 selects a free port.")
@click.option("--open", "browse", is_flag=True, help="Open the page in the default browser.")
def ui(file: Path | None, server: str, port: int, browse: bool) -> None:
    """Show a server, a snapshot or a hunt on a web page.

    Without FILE, the command prints the address of the page of a running server. With FILE, it shows the snapshot until
    it is interrupted. Nothing can be changed then: no controllers run, the clock stands still at the time of the
    snapshot, and the API at the same address answers only reads. If FILE is the folder of a hunt, its findings are
    shown, each with the operator's requests and the changes in the cluster.

    Example::

        memkube ui
    """
    if file is not None:
        if file.name == _REPORT or (file / _REPORT).is_file():
            _show_findings(file if file.name == _REPORT else file / _REPORT, port, browse=browse)
        else:
            _show_snapshot(file / _SNAPSHOT if file.is_dir() else file, port, browse=browse)
        return
    if port:
        raise UsageError("--port is for a file: the page of a running server is at the server's own address")
    control = ControlApi.of(server)
    control.get("/clock")
    _announce(f"{control.url}{_PAGE}", "", browse=browse)


def _show_snapshot(file: Path, port: int, *, browse: bool) -> None:
    """Serve the page of a snapshot until SIGINT or SIGTERM."""
    # The modules of the server are imported here and in `_serve`, because printing the address of a running server
    # needs none of them.
    from memkube.cluster.snapshots import load_snapshot  # noqa: PLC0415

    _serve(file, port, browse=browse, snapshot=load_snapshot(file))


def _show_findings(file: Path, port: int, *, browse: bool) -> None:
    """Serve the page of a report that ``memkube hunt`` has written, until SIGINT or SIGTERM."""
    _serve(file, port, browse=browse, hunt_report=read_report(file))


def _serve(file: Path, port: int, *, browse: bool, **shown: Any) -> None:
    """Serve a read-only page until SIGINT or SIGTERM.

    Give what the page shows as a keyword argument: ``snapshot=`` for a snapshot, or ``hunt_report=`` for a report of
    ``memkube hunt``. `file` is the path of its file, which is printed with the address of the page.
    """
    from memkube.cli.server import open_server  # noqa: PLC0415  see _show_snapshot
    from memkube.server.settings import Settings  # noqa: PLC0415

    settings = Settings(controllers=(), clock="stepped", read_only=True, **shown)
    server = open_server(lambda: settings, port=port)
    if not server.run(partial(_announce, f"{server.url}{_PAGE}", str(file), browse=browse)):
        sys.exit(1)


def _announce(url: str, file: str, *, browse: bool) -> None:
    sys.stdout.write(f"memkube shows {file} at {url}\n" if file else f"{url}\n")
    sys.stdout.flush()
    if browse:
        webbrowser.open(url)
