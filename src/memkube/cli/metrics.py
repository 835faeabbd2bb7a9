"""``memkube metrics``: values of custom and external metrics, for HorizontalPodAutoscalers."""

import json
from typing import Annotated
from urllib.parse import quote

import typer

from memkube.cli.control_api import ControlApi, ServerOption, print_items
from memkube.cli.fields import fields_of
from memkube.cli.output import OutputOption

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Set custom and external metrics for autoscalers.")
_Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="Name of the metric value: put replaces a value with this name, and delete removes it.",
    ),
]


@app.command("list")
def show(server: ServerOption = "", output: OutputOption = "text") -> None:
    """List the values of metrics.

    If an autoscaler needs a single value, and several values in the list match, it gets the first of them.

    Example::

        memkube metrics list
    """
    print_items(server, "/metrics", output, lambda item: f"{item['name']}: {json.dumps(item['metric'])}")


@app.command()
def put(
    name: _Name,
    fields: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...", help="Fields of the metric value, such as type=External. VALUE is JSON or text."
        ),
    ],
    server: ServerOption = "",
) -> None:
    """Set the value of a metric: of each pod, of one object, or of an external metric.

    /memkube/v1/docs describes the fields, such as type, metric, value, namespace, labels and labelSelector.

    Example::

        memkube metrics put queue type=External metric=queue_length value=30
    """
    ControlApi.of(server).put(f"/metrics/{quote(name, safe='')}", fields_of(fields))


@app.command()
def delete(name: _Name, server: ServerOption = "") -> None:
    """Delete the value of a metric that was set under this name.

    Example::

        memkube metrics delete queue
    """
    ControlApi.of(server).delete(f"/metrics/{quote(name, safe='')}")
