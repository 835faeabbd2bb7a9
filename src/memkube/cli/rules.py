"""``memkube rules``: lists, sets and deletes the rules that define what simulated containers do."""

import json
from urllib.parse import quote

import click

from memkube.cli.commands import Group, argument
from memkube.cli.control_api import ControlApi, print_items, server_option
from memkube.cli.fields import fields_argument, fields_of
from memkube.cli.output import output_option

_name = argument(
    "name", metavar="RULE", help="Name of the rule: put replaces a rule with this name, and delete removes it."
)


@click.group(cls=Group)
def rules() -> None:
    """Define what simulated containers do."""


@rules.command("list")
@server_option
@output_option
def show(server: str, output: str) -> None:
    """List the rules that define what simulated containers do. The first rule that selects a container applies to it.

    Example::

        memkube rules list
    """
    print_items(server, "/rules", output, lambda item: f"{item['name']}: {json.dumps(item['rule'])}")


@rules.command()
@_name
@fields_argument(help="Fields of the rule, such as image=nginx:*. VALUE is JSON or text.")
@server_option
def put(name: str, fields: tuple[str, ...], server: str) -> None:
    """Add or replace a rule for simulated containers.

    It applies to containers that start later, and at once to running containers whose command is not simulated. A rule
    without labelSelector, image, container and namespace applies to all containers of the cluster. /memkube/v1/docs
    describes the fields, such as image, namespace, pullSeconds, exitCode and exitAfterSeconds.

    Example::

        memkube rules put crashing 'image=nginx:*' exitCode=1 exitAfterSeconds=5
    """
    ControlApi.of(server).put(f"/rules/{quote(name, safe='')}", fields_of(fields))


@rules.command()
@_name
@server_option
def delete(name: str, server: str) -> None:
    """Delete a rule for simulated containers.

    Example::

        memkube rules delete crashing
    """
    ControlApi.of(server).delete(f"/rules/{quote(name, safe='')}")
