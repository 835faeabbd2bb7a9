"""``memkube faults``: what goes wrong on request."""

import json
from typing import Annotated, Any, TypeAlias

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import OutputOption, print_json

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Have requests, watches and nodes of a server fail.")
Several: TypeAlias = list[str]
Verbs = Annotated[Several | None, typer.Option("--verb", help="As RBAC names them; may be repeated.")]
Groups = Annotated[Several | None, typer.Option("--group", help='Of the resource; "" is the core group.')]
Resources = Annotated[Several | None, typer.Option("--resource", help="Plurals: pods, pods/status, pods*.")]
Namespaces = Annotated[Several | None, typer.Option("--namespace", "-n", help="Of the object.")]
Names = Annotated[Several | None, typer.Option("--name", help="Of the object: web-*.")]
Users = Annotated[Several | None, typer.Option("--user", help="Who asks.")]
Agents = Annotated[Several | None, typer.Option("--user-agent", help="What asks: kubectl*.")]
Paths = Annotated[Several | None, typer.Option("--path", help="Addresses without a resource: /version.")]
Controllers = Annotated[bool, typer.Option("--controllers", help="The server's own controllers, too.")]


@app.command("list")
def show(server: ServerOption = "", output: OutputOption = "text") -> None:
    """List the faults, and how often each has hit.

    Example::

        memkube faults list
    """
    items = ControlApi.of(server).get("/faults")["items"]
    if output == "json":
        print_json(items)
        return
    for fault in items:
        typer.echo(f"{fault['name']}: {_told(fault)}")


@app.command()
def add(
    effect: Annotated[
        str,
        typer.Argument(
            help="delay, error, drop, compact-history, stale-reads, close-watch, delay-events, withhold-bookmarks, "
            "webhook-timeout or clock-drift."
        ),
    ],
    details: Annotated[
        Several | None, typer.Argument(metavar="[KEY=VALUE]...", help="More about it: code=429 retry-after-seconds=1.")
    ] = None,
    verb: Verbs = None,
    group: Groups = None,
    resource: Resources = None,
    namespace: Namespaces = None,
    name: Names = None,
    user: Users = None,
    user_agent: Agents = None,
    path: Paths = None,
    controllers: Controllers = False,
    called: Annotated[str, typer.Option(help="What the fault is called; a name is given otherwise.")] = "",
    after: Annotated[int, typer.Option(help="Let so many through at first.")] = 0,
    every: Annotated[int, typer.Option(help="Hit each so manieth of the others.")] = 1,
    first: Annotated[int | None, typer.Option(help="Hit so many at most.", show_default="all")] = None,
    probability: Annotated[float, typer.Option(help="Hit by chance.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of the chance, which repeats itself.")] = 0,
    until: Annotated[str, typer.Option(help="Until an instant of the server's clock: 2026-01-01T00:00:00Z.")] = "",
    server: ServerOption = "",
    output: OutputOption = "text",
) -> None:
    """Add a fault, for requests from now on and watches that are open; print its name.

    The details of an effect are those of the control API, at /memkube/v1/docs.

    Example::

        memkube faults add error code=429 retry-after-seconds=1 --verb create --resource pods --first 2
    """
    match = {"verbs": verb, "groups": group, "resources": resource, "namespaces": namespace, "names": name}
    match |= {"users": user, "userAgents": user_agent, "paths": path}
    when = {"after": after, "every": every, "first": first, "probability": probability, "seed": seed, "until": until}
    rule = {
        "match": {key: value for key, value in match.items() if value} | {"controllers": controllers},
        "when": {key: value for key, value in when.items() if value not in (None, "")},
        "effect": {"type": _camel(effect), **dict(map(_detail, details or ()))},
    }
    added = ControlApi.of(server).post("/faults", rule | ({"name": called} if called else {}))
    if output == "json":
        print_json(added)
    else:
        typer.echo(added["name"])


@app.command()
def remove(
    names: Annotated[Several | None, typer.Argument(metavar="[NAME]...", help="Of the faults.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove all of them.")] = False,
    server: ServerOption = "",
) -> None:
    """Remove faults, which lets go of what they hold up; print what they did.

    Example::

        memkube faults remove --all
    """
    if everything == bool(names):
        raise typer.BadParameter("either names or --all")
    api = ControlApi.of(server)
    for name in names or [fault["name"] for fault in api.get("/faults")["items"]]:
        typer.echo(f"{name}: {_told(api.delete(f'/faults/{name}'))}")


@app.command()
def close_watches(
    how: Annotated[str, typer.Option(help="cleanly, expired (with a 410), or dropped.")] = "cleanly",
    verb: Verbs = None,
    group: Groups = None,
    resource: Resources = None,
    namespace: Namespaces = None,
    user: Users = None,
    user_agent: Agents = None,
    server: ServerOption = "",
) -> None:
    """Close open watches now; print how many.

    Example::

        memkube faults close-watches --resource pods --how expired
    """
    match = {"verbs": verb, "groups": group, "resources": resource, "namespaces": namespace}
    match |= {"users": user, "userAgents": user_agent}
    body = {"match": {key: value for key, value in match.items() if value}, "effect": {"how": how}}
    typer.echo(ControlApi.of(server).post("/faults/close-watches", body)["watches"])


@app.command()
def compact_history(server: ServerOption = "") -> None:
    """Forget all history now: who needs any of it gets a 410. Print the revision.

    Example::

        memkube faults compact-history
    """
    typer.echo(ControlApi.of(server).post("/faults/compact-history")["revision"])


def _told(fault: Any) -> str:
    effect = {key: value for key, value in fault["effect"].items() if key != "type" and value not in ("", [], False)}
    about = {key: value for key, value in fault["match"].items() if value}
    said = ", ".join(f"{key} {_plain(value)}" for key, value in {**effect, **about}.items())
    return f"{fault['effect']['type']}{f' ({said})' if said else ''}, hit {fault['hits']} of {fault['matched']}"


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _detail(text: str) -> tuple[str, Any]:
    key, separator, value = text.partition("=")
    if not separator:
        raise typer.BadParameter(f"{text} is no KEY=VALUE")
    if key == "types":
        return key, value.split(",")
    try:
        return _camel(key), json.loads(value)
    except ValueError:
        return _camel(key), value


def _camel(text: str) -> str:
    first, *rest = text.split("-")
    return first + "".join(word.capitalize() for word in rest)
