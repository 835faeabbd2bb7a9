"""``memkube history``: prints the revisions of one object, each with its changed lines and the client that wrote it."""

from urllib.parse import quote

import click

from memkube.cli.commands import Command, argument
from memkube.cli.control_api import ControlApi, server_option
from memkube.cli.output import output_option, print_json


@click.command(cls=Command)
@argument("resource", help="Resource of the object, such as deployments, deploy or deployments.apps.")
@argument("name", help="Name of the object whose revisions are printed.")
@click.option("--namespace", "-n", default="default", help="Namespace of the object, if its kind has namespaces.")
@click.option("--since", default=0, help="resourceVersion after which changes are printed, as a number.")
@output_option
@server_option
def history(resource: str, name: str, namespace: str, since: int, output: str, server: str) -> None:
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
        click.echo(f"changes up to revision {answer['completeSince']} are no longer in the history", err=True)
    for item in answer["items"]:
        click.echo(f"{item['revision']} {item['what']}" + (f" by {item['by']}" if item["by"] else ""))
        for line in item["diff"]:
            click.echo(f"    {line}")
