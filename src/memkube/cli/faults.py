"""``memkube faults``: adds, lists and removes faults, which a server injects into requests and watches."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, get_args

import click
from pydantic import ValidationError

from memkube.cli.commands import Group, argument
from memkube.cli.control_api import ControlApi, print_items, server_option
from memkube.cli.fields import key_and_value, value_of
from memkube.cli.output import output_option, print_json
from memkube.errors import unknown_name
from memkube.faults.effects import Effect
from memkube.faults.rules import FaultRule, Match, Occasions
from memkube.faults.usage import usage_error

_EFFECTS: Final = get_args(get_args(Effect)[0])
_PLURALS: Final = ("verb", "group", "resource", "namespace", "name", "user", "user-agent", "path")
# The parameters of these options have the names of the fields of `Match` in the control API.
_several = partial(click.option, multiple=True)
_verb = _several(
    "--verb", "verbs", help="Verb of the request, as in RBAC rules, such as list or create; may be repeated."
)
_group = _several("--group", "groups", help='API group of the resource; "" is the core group.')
_resource = _several(
    "--resource", "resources", help="Plural of the resource, such as pods or pods/status, or a pattern such as pods*."
)
_namespace = _several(
    "--namespace", "-n", "namespaces", help="Namespace of the requested object, or a pattern such as team-*."
)
_name = _several("--name", "names", help="Name of the requested object, or a pattern such as web-*.")
_user = _several("--user", "users", help="Name of the user that sends the request, or a pattern such as system:*.")
_user_agent = _several("--user-agent", "userAgents", help="User agent of the client, or a pattern such as kubectl*.")
_path = _several(
    "--path", "paths", help="URL path of a request that is not for a resource, such as /version, or a pattern."
)


@click.group(cls=Group)
def faults() -> None:
    """Inject faults into requests, watches and nodes of a server."""


@faults.command("list")
@server_option
@output_option
def show(server: str, output: str) -> None:
    """List the faults, and how many requests each was applied to.

    Example::

        memkube faults list
    """
    print_items(server, "/faults", output, lambda fault: f"{fault['name']}: {_described(fault)}")


@faults.command()
@argument(
    "effect",
    help="Type of the effect: delay, error, drop, compact-history, stale-reads, close-watch, delay-events, "
    "withhold-bookmarks, webhook-timeout or clock-drift.",
)
@argument(
    "details", metavar="[KEY=VALUE]...", nargs=-1, help="Fields of the effect, such as code=429 retry-after-seconds=1."
)
@_verb
@_group
@_resource
@_namespace
@_name
@_user
@_user_agent
@_path
@click.option("--controllers", is_flag=True, help="Match requests of the server's own controllers, too.")
@click.option("--called", help="Name of the fault; generated if not given.")
@click.option("--after", default=0, help="Number of matching requests that pass before the fault takes effect.")
@click.option(
    "--every",
    default=1,
    help="Apply the fault to every Nth matching request after those of --after, beginning with the first.",
)
@click.option("--first", type=int, show_default="all", help="Maximum number of requests to which the fault is applied.")
@click.option(
    "--probability", default=1.0, help="Probability, from 0 to 1, with which the fault is applied to a request."
)
@click.option("--seed", default=0, help="Integer that seeds the random numbers for --probability.")
@click.option(
    "--until", help="Time on the server's clock, such as 2026-01-01T00:00:00Z, after which the fault is not applied."
)
@server_option
@output_option
def add(
    effect: str,
    details: tuple[str, ...],
    controllers: bool,
    called: str | None,
    after: int,
    every: int,
    first: int | None,
    probability: float,
    seed: int,
    until: str | None,
    server: str,
    output: str,
    **match: tuple[str, ...],
) -> None:
    """Add a fault, for requests from now on and for open watches; print its name.

    /memkube/v1/docs of a server describes the effects and their fields.

    Example::

        memkube faults add error code=429 retry-after-seconds=1 --verb create --resource pods --first 2
    """
    when = {"after": after, "every": every, "first": first, "probability": probability, "seed": seed, "until": until}
    rule = {
        "match": {key: value for key, value in match.items() if value} | {"controllers": controllers},
        "when": {key: value for key, value in when.items() if value not in (None, "")},
        "effect": _effect(effect, details),
    }
    _check(rule, called)
    added = ControlApi.of(server).post("/faults", rule | ({"name": called} if called else {}))
    if output == "json":
        print_json(added)
    else:
        click.echo(added["name"])


@faults.command()
@argument("names", metavar="[NAME]...", nargs=-1, help="Names of the faults to remove.")
@click.option("--all", "everything", is_flag=True, help="Remove all faults.")
@server_option
def remove(names: tuple[str, ...], everything: bool, server: str) -> None:
    """Remove faults, and print how many requests each was applied to. Requests that they delay continue.

    Example::

        memkube faults remove --all
    """
    if everything == bool(names):
        raise click.BadParameter("give the names of the faults to remove, or --all for all faults")
    api = ControlApi.of(server)
    for name in names or [fault["name"] for fault in api.get("/faults")["items"]]:
        click.echo(f"{name}: {_described(api.delete(f'/faults/{name}'))}")


@faults.command()
@click.option("--how", default="cleanly", help="How to close the watches: cleanly, expired (with 410), or dropped.")
@_verb
@_group
@_resource
@_namespace
@_user
@_user_agent
@server_option
def close_watches(how: str, server: str, **match: tuple[str, ...]) -> None:
    """Close open watches now; print their number.

    Example::

        memkube faults close-watches --resource pods --how expired
    """
    body = {"match": {key: value for key, value in match.items() if value}, "effect": {"how": how}}
    click.echo(ControlApi.of(server).post("/faults/close-watches", body)["watches"])


@faults.command()
@server_option
def compact_history(server: str) -> None:
    """Compact all history now, so that watches of older revisions end with 410; print the revision.

    Example::

        memkube faults compact-history
    """
    click.echo(ControlApi.of(server).post("/faults/compact-history")["revision"])


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
        raise click.BadParameter(unknown_name("effect", name, kinds))
    fields = {
        _hyphened(field.alias or ""): field.alias for key, field in kinds[name].model_fields.items() if key != "type"
    }
    effect = {"type": kinds[name].model_fields["type"].default}
    for detail in details:
        key, value = key_and_value(detail)
        if key not in fields:
            raise click.BadParameter(unknown_name("field", key, fields) if fields else f"{name} has no fields")
        effect[fields[key]] = value.split(",") if key == "types" else value_of(value)
    return effect


def _check(rule: dict[str, Any], called: str | None) -> None:
    """Validate a fault before it is sent, so that errors name the command's options instead of the API's fields.

    `called` is the value of the option --called, the name of the fault. Raises click.BadParameter for an invalid fault.
    """
    kind = next(kind for kind in _EFFECTS if kind.model_fields["type"].default == rule["effect"]["type"])
    try:
        match, when = Match.model_validate(rule["match"]), Occasions.model_validate(rule["when"])
        FaultRule(name=called or None, match=match, when=when, effect=kind.model_validate(rule["effect"]))
    except ValidationError as error:
        words = {"name": "called", **{f"{word}s": word for word in _PLURALS}}
        raise click.BadParameter(str(usage_error(error, words, "-"))) from None


def _hyphened(camel: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", camel)
