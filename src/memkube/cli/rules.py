"""``memkube rules``: lists, sets and deletes the rules that define what simulated containers do."""

import json
from typing import Annotated
from urllib.parse import quote

import typer

from memkube.cli.control_api import ControlApi, ServerOption, print_items
from memkube.cli.fields import fields_of
from memkube.cli.output import OutputOption

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Define what simulated containers do.")
_Name = Annotated[
    str,
    typer.Argument(metavar="RULE", help="Name of the rule: put replaces a rule with this name, and delete removes it."),
]


@app.command("list")
def show(server: ServerOption = "", output: OutputOption = "text") -> None:
    """List the rules that define what simulated containers do. The first rule that selects a container applies to it.

    Example::

        memkube rules list
    """
    print_items(server, "/rules", output, lambda item: f"{item['name']}: {json.dumps(item['rule'])}")


@app.command()
def put(
    name: _Name,
    fields: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...", help="Fields of the rule, such as image=nginx:*. VALUE is JSON or text."
        ),
    ],
    server: ServerOption = "",
) -> None:
    """Add or replace a rule for simulated containers.

    It applies to containers that start later, and at once to running containers whose command is not simulated. A rule
    without labelSelector, image, container and namespace applies to all containers of the cluster. /memkube/v1/docs
    describes the fields, such as image, namespace, pullSeconds, exitCode and exitAfterSeconds.

    Example::

        memkube rules put crashing 'image=nginx:*' exitCode=1 exitAfterSeconds=5
    """
    ControlApi.of(server).put(f"/rules/{quote(name, safe='')}", fields_of(fields))


@app.command()
def delete(name: _Name, server: ServerOption = "") -> None:
    """Delete a rule for simulated containers.

    Example::

        memkube rules delete crashing
    """
    ControlApi.of(server).delete(f"/rules/{quote(name, safe='')}")
