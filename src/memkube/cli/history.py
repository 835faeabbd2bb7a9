"""``memkube history``: what has become of one object, revision by revision."""

from typing import Annotated
from urllib.parse import quote

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import OutputOption, print_json

app = typer.Typer(add_completion=False)


@app.command()
def history(
    resource: Annotated[str, typer.Argument(help="Its type, by any name that kubectl knows.")],
    name: Annotated[str, typer.Argument(help="Its name.")],
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Where it is.")] = "default",
    since: Annotated[int, typer.Option(help="Only changes behind this revision.")] = 0,
    output: OutputOption = "text",
    server: ServerOption = "",
) -> None:
    """Print what has become of an object.

    Each revision is told with who wrote it and what was different, as far back as the server's history goes.

    Example::

        memkube history namespace default
    """
    query = {"namespace": namespace, "since": str(since)}
    answer = ControlApi.of(server).get(f"/history/{quote(resource, safe='')}/{quote(name, safe='')}", query)
    if output == "json":
        print_json(answer)
        return
    if answer["completeSince"] > since:
        typer.echo(f"changes up to revision {answer['completeSince']} are forgotten", err=True)
    for item in answer["items"]:
        typer.echo(f"{item['revision']} {item['what']}" + (f" by {item['by']}" if item["by"] else ""))
        for line in item["diff"]:
            typer.echo(f"    {line}")
