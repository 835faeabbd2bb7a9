"""``memkube requests``: the requests that a server has received."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

import click

from memkube.cli.commands import Command, argument
from memkube.cli.control_api import ControlApi, server_option
from memkube.cli.output import output_option, print_json

_PATH: Final = "/requests"
_WAIT_SECONDS: Final = 30
_HEADS: Final = ("TIME", "CLIENT", "VERB", "RESOURCE", "NAMESPACE", "NAME", "STATUS", "TOOK", "NOTES")
_WIDTHS: Final = (12, 18, 8, 24, 16, 24, 6, 9)


@click.command(cls=Command)
@argument("verb", default="", help="Only requests with this verb, as in RBAC rules, such as list or create.")
@argument(
    "resource", default="", help="Only requests for this resource, such as pods, pods/status or deployments.apps."
)
@click.option(
    "--by", help="Only requests of the client with this name, such as kubectl: its user agent up to the slash."
)
@click.option("--namespace", "-n", help="Only requests for this namespace.")
@click.option("--name", help="Only requests for objects of this name.")
@click.option("--status", default=0, help="Only requests that were answered with this HTTP status code, such as 409.")
@click.option("--denied", is_flag=True, help="Only requests that were refused because the user lacks a right.")
@click.option("--limit", default=0, help="Maximum number of requests to print, the newest ones; 0 for all.")
@click.option("--follow", "-f", is_flag=True, help="Continue to print new requests until interrupted.")
@click.option("--clear", is_flag=True, help="Delete the requests from the log instead, and print their number.")
@output_option
@server_option
def requests(
    verb: str,
    resource: str,
    by: str | None,
    namespace: str | None,
    name: str | None,
    status: int,
    denied: bool,
    limit: int,
    follow: bool,
    clear: bool,
    output: str,
    server: str,
) -> None:
    """Print the requests that a server has received.

    An asterisk is a wildcard in verbs, resources and names. Requests in progress, such as open watches, come last. With
    -o json and --follow, each line is a request.

    Example::

        memkube requests patch 'pods*' --by my-operator --status 409
    """
    control = ControlApi.of(server)
    asked = {"verb": verb if verb != "*" else "", "resource": resource, "client": by, "namespace": namespace}
    asked |= {"name": name, "status": str(status or ""), "denied": "true" if denied else ""}
    query = {key: value for key, value in asked.items() if value}
    if clear:
        click.echo(control.call("DELETE", _PATH, query=query)["requests"])
        return
    answer = control.get(_PATH, query | {"limit": str(limit)})
    if output == "json" and not follow:
        print_json(answer["items"])
        return
    _print(answer["items"], output, head=True)
    if follow:
        for items in _following(control, query, answer):
            _print(items, output, head=False)


def _following(control: ControlApi, query: dict[str, str], answer: Any) -> Iterator[list[Any]]:
    """Poll the control API for new requests without end, and yield each response's list of requests.

    `answer` is the control API's response to an earlier GET with the parameters `query`. The yielded requests are those
    that the server has finished answering since that response.
    """
    while True:
        later = {"after": str(answer["answered"]), "inFlight": "false", "waitSeconds": str(_WAIT_SECONDS)}
        answer = control.get(_PATH, query | later)
        yield answer["items"]


def _print(items: list[Any], output: str, *, head: bool) -> None:
    if output == "json":
        for item in items:
            click.echo(json.dumps(item, ensure_ascii=False))
        return
    if head:
        click.echo(_line(_HEADS))
    for item in items:
        click.echo(_line(_cells(item)))


def _line(cells: tuple[str, ...]) -> str:
    padded = [f"{cell:{width}}" for cell, width in zip(cells, _WIDTHS, strict=False)]
    return " ".join([*padded, *cells[len(_WIDTHS) :]]).rstrip()


def _cells(item: Any) -> tuple[str, ...]:
    came = datetime.fromisoformat(item["instant"])
    resource = "/".join(filter(None, (item["resource"], item["subresource"]))) or item["path"]
    notes = [item["reason"]] if item["reason"] else []
    notes += [f"{item['events']} events" + (", open" if item["inFlight"] else "")] if item["verb"] == "watch" else []
    notes += [f"fault {item['fault']}"] if item["fault"] else []
    notes += ["dry run"] if item["dryRun"] else []
    notes += [f"{len(item['warnings'])} warnings"] if item["warnings"] else []
    took = "-" if item["inFlight"] else f"{item['seconds'] * 1000:.1f}ms"
    return (
        f"{came:%H:%M:%S}.{came.microsecond // 1000:03}",
        item["client"],
        item["verb"],
        resource,
        item["namespace"] or "-",
        item["name"] or "-",
        str(item["code"] or "-"),
        took,
        ", ".join(notes),
    )
