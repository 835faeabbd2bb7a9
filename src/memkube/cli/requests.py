"""``memkube requests``: the requests that a server has received."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Final, Literal

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import OutputOption, print_json

app = typer.Typer(add_completion=False)
_PATH: Final = "/requests"
_WAIT_SECONDS: Final = 30
_HEADS: Final = ("TIME", "CLIENT", "VERB", "RESOURCE", "NAMESPACE", "NAME", "STATUS", "TOOK", "NOTES")
_WIDTHS: Final = (12, 18, 8, 24, 16, 24, 6, 9)


@app.command()
def requests(
    verb: Annotated[
        str, typer.Argument(help="Only requests with this verb, as in RBAC rules, such as list or create.")
    ] = "",
    resource: Annotated[
        str, typer.Argument(help="Only requests for this resource, such as pods, pods/status or deployments.apps.")
    ] = "",
    by: Annotated[
        str,
        typer.Option(
            help="Only requests of the client with this name, such as kubectl: its user agent up to the slash."
        ),
    ] = "",
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Only requests for this namespace.")] = "",
    name: Annotated[str, typer.Option(help="Only requests for objects of this name.")] = "",
    status: Annotated[
        int, typer.Option(help="Only requests that were answered with this HTTP status code, such as 409.")
    ] = 0,
    denied: Annotated[
        bool, typer.Option("--denied", help="Only requests that were refused because the user lacks a right.")
    ] = False,
    limit: Annotated[int, typer.Option(help="Maximum number of requests to print, the newest ones; 0 for all.")] = 0,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Continue to print new requests until interrupted.")
    ] = False,
    clear: Annotated[
        bool, typer.Option("--clear", help="Delete the requests from the log instead, and print their number.")
    ] = False,
    output: OutputOption = "text",
    server: ServerOption = "",
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
        typer.echo(control.call("DELETE", _PATH, query=query)["requests"])
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


def _print(items: list[Any], output: Literal["text", "json"], *, head: bool) -> None:
    if output == "json":
        for item in items:
            typer.echo(json.dumps(item, ensure_ascii=False))
        return
    if head:
        typer.echo(_line(_HEADS))
    for item in items:
        typer.echo(_line(_cells(item)))


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
