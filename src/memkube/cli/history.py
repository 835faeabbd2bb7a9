"""``memkube history``: prints the revisions of one object, each with its changed lines and the client that wrote it."""

from typing import Annotated
from urllib.parse import quote

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import OutputOption, print_json

app = typer.Typer(add_completion=False)


@app.command()
def history(
    resource: Annotated[
        str, typer.Argument(help="Resource of the object, such as deployments, deploy or deployments.apps.")
    ],
    name: Annotated[str, typer.Argument(help="Name of the object whose revisions are printed.")],
    namespace: Annotated[
        str, typer.Option("--namespace", "-n", help="Namespace of the object, if its kind has namespaces.")
    ] = "default",
    since: Annotated[int, typer.Option(help="resourceVersion after which changes are printed, as a number.")] = 0,
    output: OutputOption = "text",
    server: ServerOption = "",
) -> None:
    """Print the revisions of an object.

    Each revision is printed with the client that wrote it and the difference, as far back as the server's history goes.

    Example::

        memkube history namespace default
    """
    query = {"namespace": namespace, "since": str(since)}
    answer = ControlApi.of(server).get(f"/history/{quote(resource, safe='')}/{quote(name, safe='')}", query)
    if output == "json":
        print_json(answer)
        return
    if answer["completeSince"] > since:
        typer.echo(f"changes up to revision {answer['completeSince']} are no longer in the history", err=True)
    for item in answer["items"]:
        typer.echo(f"{item['revision']} {item['what']}" + (f" by {item['by']}" if item["by"] else ""))
        for line in item["diff"]:
            typer.echo(f"    {line}")
