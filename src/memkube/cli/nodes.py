"""``memkube nodes``: the simulated nodes."""

from typing import Annotated, Any
from urllib.parse import quote

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import OutputOption, print_json

app = typer.Typer(add_completion=False, no_args_is_help=True, help="List the simulated nodes, or make them fail.")
_Name = Annotated[str, typer.Argument(metavar="NODE", help="Name of the node.")]


@app.command("list")
def show(server: ServerOption = "", output: OutputOption = "text") -> None:
    """List the simulated nodes.

    Example::

        memkube nodes list
    """
    items = ControlApi.of(server).get("/nodes")["items"]
    if output == "json":
        print_json(items)
        return
    for node in items:
        typer.echo(_line(node))


@app.command()
def fail(name: _Name, server: ServerOption = "") -> None:
    """Stop the kubelet of a node: it sends no heartbeats, and the status of its pods does not change.

    Example::

        memkube nodes fail node-1
    """
    typer.echo(_line(ControlApi.of(server).post(f"/nodes/{quote(name, safe='')}/fail")))


@app.command()
def recover(name: _Name, server: ServerOption = "") -> None:
    """Start the kubelet of a node again.

    Example::

        memkube nodes recover node-1
    """
    typer.echo(_line(ControlApi.of(server).post(f"/nodes/{quote(name, safe='')}/recover")))


def _line(node: Any) -> str:
    zone = f" in zone {node['zone']}" if node["zone"] else ""
    return f"{node['name']}{zone}: {'failed' if node['failed'] else 'running'}"
