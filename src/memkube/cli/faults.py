"""``memkube faults``: adds, lists and removes faults, which a server injects into requests and watches."""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias, get_args

import typer
from pydantic import ValidationError

from memkube.cli.control_api import ControlApi, ServerOption, print_items
from memkube.cli.output import OutputOption, print_json
from memkube.errors import unknown_name
from memkube.faults.effects import Effect
from memkube.faults.rules import FaultRule, Match, Occasions
from memkube.faults.usage import usage_error

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Inject faults into requests, watches and nodes of a server."
)
_EFFECTS: Final = get_args(get_args(Effect)[0])
_PLURALS: Final = ("verb", "group", "resource", "namespace", "name", "user", "user-agent", "path")
Several: TypeAlias = list[str]
Verbs = Annotated[
    Several | None,
    typer.Option("--verb", help="Verb of the request, as in RBAC rules, such as list or create; may be repeated."),
]
Groups = Annotated[Several | None, typer.Option("--group", help='API group of the resource; "" is the core group.')]
Resources = Annotated[
    Several | None,
    typer.Option("--resource", help="Plural of the resource, such as pods or pods/status, or a pattern such as pods*."),
]
Namespaces = Annotated[
    Several | None,
    typer.Option("--namespace", "-n", help="Namespace of the requested object, or a pattern such as team-*."),
]
Names = Annotated[
    Several | None, typer.Option("--name", help="Name of the requested object, or a pattern such as web-*.")
]
Users = Annotated[
    Several | None,
    typer.Option("--user", help="Name of the user that sends the request, or a pattern such as system:*."),
]
Agents = Annotated[
    Several | None, typer.Option("--user-agent", help="User agent of the client, or a pattern such as kubectl*.")
]
Paths = Annotated[
    Several | None,
    typer.Option("--path", help="URL path of a request that is not for a resource, such as /version, or a pattern."),
]
Controllers = Annotated[
    bool, typer.Option("--controllers", help="Match requests of the server's own controllers, too.")
]


@app.command("list")
def show(server: ServerOption = "", output: OutputOption = "text") -> None:
    """List the faults, and how many requests each was applied to.

    Example::

        memkube faults list
    """
    print_items(server, "/faults", output, lambda fault: f"{fault['name']}: {_described(fault)}")


@app.command()
def add(
    effect: Annotated[
        str,
        typer.Argument(
            help="Type of the effect: delay, error, drop, compact-history, stale-reads, close-watch, delay-events, "
            "withhold-bookmarks, webhook-timeout or clock-drift."
        ),
    ],
    details: Annotated[
        Several | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="Fields of the effect, such as code=429 retry-after-seconds=1."),
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
    called: Annotated[str, typer.Option(help="Name of the fault; generated if not given.")] = "",
    after: Annotated[
        int, typer.Option(help="Number of matching requests that pass before the fault takes effect.")
    ] = 0,
    every: Annotated[
        int,
        typer.Option(
            help="Apply the fault to every Nth matching request after those of --after, beginning with the first."
        ),
    ] = 1,
    first: Annotated[
        int | None, typer.Option(help="Maximum number of requests to which the fault is applied.", show_default="all")
    ] = None,
    probability: Annotated[
        float, typer.Option(help="Probability, from 0 to 1, with which the fault is applied to a request.")
    ] = 1.0,
    seed: Annotated[int, typer.Option(help="Integer that seeds the random numbers for --probability.")] = 0,
    until: Annotated[
        str,
        typer.Option(
            help="Time on the server's clock, such as 2026-01-01T00:00:00Z, after which the fault is not applied."
        ),
    ] = "",
    server: ServerOption = "",
    output: OutputOption = "text",
) -> None:
    """Add a fault, for requests from now on and for open watches; print its name.

    /memkube/v1/docs of a server describes the effects and their fields.

    Example::

        memkube faults add error code=429 retry-after-seconds=1 --verb create --resource pods --first 2
    """
    match = {"verbs": verb, "groups": group, "resources": resource, "namespaces": namespace, "names": name}
    match |= {"users": user, "userAgents": user_agent, "paths": path}
    when = {"after": after, "every": every, "first": first, "probability": probability, "seed": seed, "until": until}
    rule = {
        "match": {key: value for key, value in match.items() if value} | {"controllers": controllers},
        "when": {key: value for key, value in when.items() if value not in (None, "")},
        "effect": _effect(effect, details or ()),
    }
    _check(rule, called)
    added = ControlApi.of(server).post("/faults", rule | ({"name": called} if called else {}))
    if output == "json":
        print_json(added)
    else:
        typer.echo(added["name"])


@app.command()
def remove(
    names: Annotated[Several | None, typer.Argument(metavar="[NAME]...", help="Names of the faults to remove.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove all faults.")] = False,
    server: ServerOption = "",
) -> None:
    """Remove faults, and print how many requests each was applied to. Requests that they delay continue.

    Example::

        memkube faults remove --all
    """
    if everything == bool(names):
        raise typer.BadParameter("give the names of the faults to remove, or --all for all faults")
    api = ControlApi.of(server)
    for name in names or [fault["name"] for fault in api.get("/faults")["items"]]:
        typer.echo(f"{name}: {_described(api.delete(f'/faults/{name}'))}")


@app.command()
def close_watches(
    how: Annotated[
        str, typer.Option(help="How to close the watches: cleanly, expired (with 410), or dropped.")
    ] = "cleanly",
    verb: Verbs = None,
    group: Groups = None,
    resource: Resources = None,
    namespace: Namespaces = None,
    user: Users = None,
    user_agent: Agents = None,
    server: ServerOption = "",
) -> None:
    """Close open watches now; print their number.

    Example::

        memkube faults close-watches --resource pods --how expired
    """
    match = {"verbs": verb, "groups": group, "resources": resource, "namespaces": namespace}
    match |= {"users": user, "userAgents": user_agent}
    body = {"match": {key: value for key, value in match.items() if value}, "effect": {"how": how}}
    typer.echo(ControlApi.of(server).post("/faults/close-watches", body)["watches"])


@app.command()
def compact_history(server: ServerOption = "") -> None:
    """Compact all history now, so that watches of older revisions end with 410; print the revision.

    Example::

        memkube faults compact-history
    """
    typer.echo(ControlApi.of(server).post("/faults/compact-history")["revision"])


def _described(fault: Any) -> str:
    effect = {key: value for key, value in fault["effect"].items() if key != "type" and value not in ("", [], False)}
    about = {key: value for key, value in fault["match"].items() if value}
    fields = ", ".join(f"{_hyphened(key)} {_plain(value)}" for key, value in {**effect, **about}.items())
    kind = _hyphened(fault["effect"]["type"])
    return f"{kind}{f' ({fields})' if fields else ''}, hit {fault['hits']} of {fault['matched']}"


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _effect(name: str, details: Sequence[str]) -> dict[str, Any]:
    """Return an effect in the form of the control API.

    `name` and the KEY=VALUE texts in `details` have hyphens, where the control API has camel case.
    """
    kinds = {_hyphened(kind.model_fields["type"].default): kind for kind in _EFFECTS}
    if name not in kinds:
        raise typer.BadParameter(unknown_name("effect", name, kinds))
    fields = {
        _hyphened(field.alias or ""): field.alias for key, field in kinds[name].model_fields.items() if key != "type"
    }
    effect = {"type": kinds[name].model_fields["type"].default}
    for detail in details:
        key, separator, value = detail.partition("=")
        if not separator:
            raise typer.BadParameter(f"{detail!r} is not of the form KEY=VALUE")
        if key not in fields:
            raise typer.BadParameter(unknown_name("field", key, fields) if fields else f"{name} has no fields")
        effect[fields[key]] = value.split(",") if key == "types" else _value(value)
    return effect


def _check(rule: dict[str, Any], called: str) -> None:
    """Validate a fault before it is sent, so that errors name the command's options instead of the API's fields.

    `called` is the value of the option --called, the name of the fault. Raises typer.BadParameter for an invalid fault.
    """
    kind = next(kind for kind in _EFFECTS if kind.model_fields["type"].default == rule["effect"]["type"])
    try:
        match, when = Match.model_validate(rule["match"]), Occasions.model_validate(rule["when"])
        FaultRule(name=called or None, match=match, when=when, effect=kind.model_validate(rule["effect"]))
    except ValidationError as error:
        words = {"name": "called", **{f"{word}s": word for word in _PLURALS}}
        raise typer.BadParameter(str(usage_error(error, words, "-"))) from None


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _hyphened(camel: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", camel)
