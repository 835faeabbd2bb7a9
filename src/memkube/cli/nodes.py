"""``memkube nodes``: the simulated nodes and their pools, and draining of nodes."""

from typing import Annotated, Any
from urllib.parse import quote

import typer

from memkube.cli.control_api import ControlApi, ServerOption, print_items
from memkube.cli.fields import fields_of
from memkube.cli.output import OutputOption, print_json

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="List, add, remove and drain nodes, or make them fail."
)
_Name = Annotated[str, typer.Argument(metavar="NODE", help="Name of the node.")]


@app.command("list")
def show(server: ServerOption = "", output: OutputOption = "text") -> None:
    """List the simulated nodes.

    Example::

        memkube nodes list
    """
    print_items(server, "/nodes", output, _line)


@app.command()
def pools(server: ServerOption = "", output: OutputOption = "text") -> None:
    """List the pools of nodes, with the nodes that they have now.

    Example::

        memkube nodes pools
    """
    print_items(
        server, "/node-pools", output, lambda item: f"{item['pool']['name']}: {', '.join(item['nodes']) or 'no nodes'}"
    )


@app.command()
def add(
    pool: Annotated[
        str,
        typer.Argument(metavar="[POOL]", help="Node pool that the new nodes join; by default, they belong to no pool."),
    ] = "",
    count: Annotated[int, typer.Option(min=1, help="Number of nodes to add.")] = 1,
    zone: Annotated[
        str, typer.Option(help="Name of the zone of the nodes; by default, they are spread over the cluster's zones.")
    ] = "",
    server: ServerOption = "",
) -> None:
    """Add nodes to a pool, or nodes that belong to no pool, and print them.

    Example::

        memkube nodes add --count 2
    """
    for node in ControlApi.of(server).post("/nodes", {"pool": pool, "count": count, "zone": zone})["items"]:
        typer.echo(_line(node))


@app.command()
def remove(name: _Name, server: ServerOption = "") -> None:
    """Remove a node at once, as if its machine were deleted in a cloud: its containers end, its Node is deleted.

    The pods that were bound to the node are deleted after 40 seconds. To end them gracefully, drain the node first.

    Example::

        memkube nodes remove node-1
    """
    removed = ControlApi.of(server).delete(f"/nodes/{quote(name, safe='')}")
    typer.echo(f"{removed['name']}: removed")


@app.command()
def reboot(name: _Name, server: ServerOption = "") -> None:
    """Reboot a node: its containers end with exit code 255, and restart if their restart policies allow.

    Example::

        memkube nodes reboot node-1
    """
    _act(server, name, "reboot")


@app.command()
def partition(name: _Name, server: ServerOption = "") -> None:
    """Cut a node off from the API server and other nodes: its pods run on, but its kubelet writes nothing.

    Example::

        memkube nodes partition node-1
    """
    _act(server, name, "partition")


@app.command()
def heal(name: _Name, server: ServerOption = "") -> None:
    """Reconnect a node that was cut off. Its kubelet reports what has happened on the node meanwhile.

    Example::

        memkube nodes heal node-1
    """
    _act(server, name, "heal")


@app.command()
def fail(name: _Name, server: ServerOption = "") -> None:
    """Stop the kubelet of a node: it sends no heartbeats, and the status of its pods does not change.

    Example::

        memkube nodes fail node-1
    """
    _act(server, name, "fail")


@app.command()
def recover(name: _Name, server: ServerOption = "") -> None:
    """Start the kubelet of a node again, after `memkube nodes fail` has stopped it.

    Example::

        memkube nodes recover node-1
    """
    _act(server, name, "recover")


@app.command()
def available(
    name: _Name,
    amounts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RESOURCE=AMOUNT...",
            help="Resource and the amount of it that is available now, such as memory=50Mi or pids=100. "
            "RESOURCE is memory, nodefs, imagefs or pids.",
        ),
    ] = None,
    server: ServerOption = "",
) -> None:
    """Set the amounts of resources that a node has available now.

    With less than 100Mi of memory, 10 % of nodefs or pids, or 15 % of imagefs, the node reports pressure and evicts
    pods. The remaining capacity counts as used by processes outside of pods. If no amount is given for a resource,
    only pods use it.

    Example::

        memkube nodes available node-1 memory=50Mi
    """
    typer.echo(_line(ControlApi.of(server).put(f"/nodes/{quote(name, safe='')}/available", fields_of(amounts or []))))


@app.command()
def drain(
    name: _Name,
    force: Annotated[bool, typer.Option("--force", help="Evict pods without a controller too.")] = False,
    delete_emptydir_data: Annotated[
        bool, typer.Option("--delete-emptydir-data", help="Evict pods with emptyDir volumes too.")
    ] = False,
    server: ServerOption = "",
    output: OutputOption = "text",
) -> None:
    """Cordon a node and evict its pods, except those of DaemonSets, as far as disruption budgets allow.

    The exit status is 1 if pods are left. Then wait (or advance the clock, if it is stepped), and repeat the command
    until the node is drained.

    Example::

        memkube nodes drain node-1
    """
    options = {"force": force, "deleteEmptydirData": delete_emptydir_data}
    state = ControlApi.of(server).post(f"/nodes/{quote(name, safe='')}/drain", options)
    if output == "json":
        print_json(state)
    else:
        for kind in ("ignored", "terminating", "evicted"):
            for pod in state[kind]:
                typer.echo(f"pod {pod}: {kind}")
        for pod in state["blocked"]:
            typer.echo(f"pod {pod['namespace']}/{pod['name']}: blocked: {pod['message']}")
        typer.echo(f"{state['name']}: {'drained' if state['drained'] else 'not drained yet'}")
    if not state["drained"]:
        raise typer.Exit(1)


def _line(node: Any) -> str:
    zone = f" in zone {node['zone']}" if node["zone"] else ""
    cut_off = ", cut off" if node["partitioned"] else ""
    return f"{node['name']}{zone}: {'failed' if node['failed'] else 'running'}{cut_off}"


def _act(server: str, name: str, action: str) -> None:
    """Ask the server for an action on a node, and print the state of the node."""
    typer.echo(_line(ControlApi.of(server).post(f"/nodes/{quote(name, safe='')}/{action}")))
