"""``memkube scheduling``: which node the scheduler would choose for a pod, and why."""

from typing import Annotated, Any
from urllib.parse import quote

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import OutputOption, print_json

app = typer.Typer(add_completion=False)


@app.command()
def scheduling(
    pod: Annotated[str, typer.Argument(metavar="POD", help="Name of an existing pod.")],
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Namespace of POD.")] = "default",
    server: ServerOption = "",
    output: OutputOption = "text",
) -> None:
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
        typer.echo(f"{namespace}/{pod} is on node {found['node']}.")
    typer.echo(f"The scheduler would choose {found['choice']}." if found["choice"] else found["message"])
    for node in found["nodes"]:
        typer.echo(_line(node))


def _line(node: Any) -> str:
    if not node["fits"]:
        rejections = (f"{one['plugin']}: {', '.join(one['reasons'])}" for one in node["rejections"])
        return f"{node['name']} rejected by {'; '.join(rejections)}"
    scores = ", ".join(f"{one['plugin']} {one['score']}" for one in node["scores"])
    return f"{node['name']} fits, score {node['total']}" + (f" ({scores})" if scores else "")
