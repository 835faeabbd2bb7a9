"""``memkube nodes``: the simulated nodes and their pools, and draining of nodes."""

import sys
from typing import Any
from urllib.parse import quote

import click

from memkube.cli.commands import Group, argument
from memkube.cli.control_api import ControlApi, print_items, server_option
from memkube.cli.fields import fields_of
from memkube.cli.output import output_option, print_json

_name = argument("name", metavar="NODE", help="Name of the node.")


@click.group(cls=Group)
def nodes() -> None:
    """List, add, remove and drain nodes, or make them fail."""


@nodes.command("list")
@server_option
@output_option
def show(server: str, output: str) -> None:
    """List the simulated nodes.

    Example::

        memkube nodes list
    """
    print_items(server, "/nodes", output, _line)


@nodes.command()
@server_option
@output_option
def pools(server: str, output: str) -> None:
    """List the pools of nodes, with the nodes that they have now.

    Example::

        memkube nodes pools
    """
    print_items(
        server, "/node-pools", output, lambda item: f"{item['pool']['name']}: {', '.join(item['nodes']) or 'no nodes'}"
    )


@nodes.command()
@argument(
    "pool", metavar="[POOL]", default="", help="Node pool that the new nodes join; by default, they belong to no pool."
)
@click.option("--count", type=click.IntRange(1), default=1, help="Number of nodes to add.")
@click.option("--zone", help="Name of the zone of the nodes; by default, they are spread over the cluster's zones.")
@server_option
def add(pool: str, count: int, zone: str | None, server: str) -> None:
    """Add nodes to a pool, or nodes that belong to no pool, and print them.

    Example::

        memkube nodes add --count 2
    """
    for node in ControlApi.of(server).post("/nodes", {"pool": pool, "count": count, "zone": zone or ""})["items"]:
        click.echo(_line(node))


@nodes.command()
@_name
@server_option
def remove(name: str, server: str) -> None:
    """Remove a node at once, as if its machine were deleted in a cloud: its containers end, its Node is deleted.

    The pods that were bound to the node are deleted after 40 seconds. To end them gracefully, drain the node first.

    Example::

        memkube nodes remove node-1
    """
    removed = ControlApi.of(server).delete(f"/nodes/{quote(name, safe='')}")
    click.echo(f"{removed['name']}: removed")


@nodes.command()
@_name
@server_option
def reboot(name: str, server: str) -> None:
    """Reboot a node: its containers end with exit code 255, and restart if their restart policies allow.

    Example::

        memkube nodes reboot node-1
    """
    _act(server, name, "reboot")


@nodes.command()
@_name
@server_option
def partition(name: str, server: str) -> None:
    """Cut a node off from the API server and other nodes: its pods run on, but its kubelet writes nothing.

    Example::

        memkube nodes partition node-1
    """
    _act(server, name, "partition")


@nodes.command()
@_name
@server_option
def heal(name: str, server: str) -> None:
    """Reconnect a node that was cut off. Its kubelet reports what has happened on the node meanwhile.

    Example::

        memkube nodes heal node-1
    """
    _act(server, name, "heal")


@nodes.command()
@_name
@server_option
def fail(name: str, server: str) -> None:
    """Stop the kubelet of a node: it sends no heartbeats, and the status of its pods does not change.

    Example::

        memkube nodes fail node-1
    """
    _act(server, name, "fail")


@nodes.command()
@_name
@server_option
def recover(name: str, server: str) -> None:
    """Start the kubelet of a node again, after `memkube nodes fail` has stopped it.

    Example::

        memkube nodes recover node-1
    """
    _act(server, name, "recover")


@nodes.command()
@_name
@argument(
    "amounts",
    metavar="[RESOURCE=AMOUNT]...",
    nargs=-1,
    help="Resource and the amount of it that is available now, such as memory=50Mi or pids=100. "
    "RESOURCE is memory, nodefs, imagefs or pids.",
)
@server_option
def available(name: str, amounts: tuple[str, ...], server: str) -> None:
    """Set the amounts of resources that a node has available now.

    With less than 100Mi of memory, 10 % of nodefs or pids, or 15 % of imagefs, the node reports pressure and evicts
    pods. The remaining capacity counts as used by processes outside of pods. If no amount is given for a resource,
    only pods use it.

    Example::

        memkube nodes available node-1 memory=50Mi
    """
    click.echo(_line(ControlApi.of(server).put(f"/nodes/{quote(name, safe='')}/available", fields_of(amounts))))


@nodes.command()
@_name
@click.option("--force", is_flag=True, help="Evict pods without a controller too.")
@click.option("--delete-emptydir-data", is_flag=True, help="Evict pods with emptyDir volumes too.")
@server_option
@output_option
def drain(name: str, force: bool, delete_emptydir_data: bool, server: str, output: str) -> None:
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
                click.echo(f"pod {pod}: {kind}")
        for pod in state["blocked"]:
            click.echo(f"pod {pod['namespace']}/{pod['name']}: blocked: {pod['message']}")
        click.echo(f"{state['name']}: {'drained' if state['drained'] else 'not drained yet'}")
    if not state["drained"]:
        sys.exit(1)


def _line(node: Any) -> str:
    zone = f" in zone {node['zone']}" if node["zone"] else ""
    cut_off = ", cut off" if node["partitioned"] else ""
    return f"{node['name']}{zone}: {'failed' if node['failed'] else 'running'}{cut_off}"


def _act(server: str, name: str, action: str) -> None:
    """Ask the server for an action on a node, and print the state of the node."""
    click.echo(_line(ControlApi.of(server).post(f"/nodes/{quote(name, safe='')}/{action}")))
