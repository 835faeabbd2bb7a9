"""``memkube scheduling``: which node the scheduler would choose for a pod, and why."""

from typing import Any
from urllib.parse import quote

import click

from memkube.cli.commands import Command, argument
from memkube.cli.control_api import ControlApi, server_option
from memkube.cli.output import output_option, print_json


@click.command(cls=Command)
@argument("pod", metavar="POD", help="Name of an existing pod.")
@click.option("--namespace", "-n", default="default", help="Namespace of POD.")
@server_option
@output_option
def scheduling(pod: str, namespace: str, server: str, output: str) -> None:
    """Explain which node the scheduler would choose for a pod now.

    Lists all nodes, with the filter plugins that reject a node, or with the scores of the score plugins. A pod with a
    node is treated as if it had none.

    Example::

        memkube scheduling web-0 -n shop
    """
    path = f"/scheduling/{quote(namespace, safe='')}/{quote(pod, safe='')}"
    found = ControlApi.of(server).get(path)
    if output == "json":
        print_json(found)
        return
    if found["node"]:
        click.echo(f"{namespace}/{pod} is on node {found['node']}.")
    click.echo(f"The scheduler would choose {found['choice']}." if found["choice"] else found["message"])
    for node in found["nodes"]:
        click.echo(_line(node))


def _line(node: Any) -> str:
    if not node["fits"]:
        rejections = (f"{one['plugin']}: {', '.join(one['reasons'])}" for one in node["rejections"])
        return f"{node['name']} rejected by {'; '.join(rejections)}"
    scores = ", ".join(f"{one['plugin']} {one['score']}" for one in node["scores"])
    return f"{node['name']} fits, score {node['total']}" + (f" ({scores})" if scores else "")
