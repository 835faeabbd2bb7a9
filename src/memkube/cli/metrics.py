"""``memkube metrics``: values of custom and external metrics, for HorizontalPodAutoscalers."""

import json
from urllib.parse import quote

import click

from memkube.cli.commands import Group, argument
from memkube.cli.control_api import ControlApi, print_items, server_option
from memkube.cli.fields import fields_argument, fields_of
from memkube.cli.output import output_option

_name = argument(
    "name", metavar="NAME", help="Name of the metric value: put replaces a value with this name, and delete removes it."
)


@click.group(cls=Group)
def metrics() -> None:
    """Set custom and external metrics for autoscalers."""


@metrics.command("list")
@server_option
@output_option
def show(server: str, output: str) -> None:
    """List the values of metrics.

    If an autoscaler needs a single value, and several values in the list match, it gets the first of them.

    Example::

        memkube metrics list
    """
    print_items(server, "/metrics", output, lambda item: f"{item['name']}: {json.dumps(item['metric'])}")


@metrics.command()
@_name
@fields_argument(help="Fields of the metric value, such as type=External. VALUE is JSON or text.")
@server_option
def put(name: str, fields: tuple[str, ...], server: str) -> None:
    """Set the value of a metric: of each pod, of one object, or of an external metric.

    /memkube/v1/docs describes the fields, such as type, metric, value, namespace, labels and labelSelector.

    Example::

        memkube metrics put queue type=External metric=queue_length value=30
    """
    ControlApi.of(server).put(f"/metrics/{quote(name, safe='')}", fields_of(fields))


@metrics.command()
@_name
@server_option
def delete(name: str, server: str) -> None:
    """Delete the value of a metric that was set under this name.

    Example::

        memkube metrics delete queue
    """
    ControlApi.of(server).delete(f"/metrics/{quote(name, safe='')}")
