"""``memkube clock``: shows and advances the clock of a server, and waits until clients have reacted."""

from typing import Any

import click

from memkube.apimachinery.duration import parse_duration
from memkube.cli.commands import Group, argument
from memkube.cli.control_api import ControlApi, server_option
from memkube.cli.output import output_option, print_json
from memkube.errors import MemkubeError


@click.group(cls=Group)
def clock() -> None:
    """Show or advance the clock of a server."""


@clock.command()
@server_option
@output_option
def show(server: str, output: str) -> None:
    """Print the time and the mode of the clock.

    Example::

        memkube clock show
    """
    clock = ControlApi.of(server).get("/clock")
    if output == "json":
        print_json(clock)
    else:
        click.echo(f"{clock['now']} {_pace(clock)}")


@clock.command()
@argument("length", metavar="SECONDS", help="Duration to advance by, in seconds or with units: 90, 1.5, or 1m30s.")
@click.option(
    "--until",
    metavar="TYPE/NAME CONDITION",
    nargs=2,
    help="Stop once the object TYPE/NAME (such as pod/web) meets CONDITION (such as condition=Ready).",
)
@click.option("--namespace", "-n", default="default", help="Namespace of the object that --until names.")
@click.option(
    "--client",
    multiple=True,
    help="Before each step, wait until this client has received all events and is idle; may be repeated.",
)
@server_option
@output_option
def advance(
    length: str, until: tuple[str, str] | None, namespace: str, client: tuple[str, ...], server: str, output: str
) -> None:
    """Advance a stepped clock, and print its new time.

    A stepped clock (option --clock stepped of the server) moves only when it is advanced. The command returns once all
    timers that are due by the new time have run, in order. CONDITION is as for kubectl wait --for; the exit status is 1
    if the condition is not met.

    Example::

        memkube clock advance 5m

        memkube clock advance 1h --until namespace/default create
    """
    asked: dict[str, Any] = {"seconds": _seconds(length), "clients": client}
    if until is not None:
        resource, _, name = until[0].partition("/")
        asked["until"] = {"resource": resource, "name": name, "namespace": namespace, "condition": until[1]}
    clock = ControlApi.of(server).post("/clock/advance", asked)
    if output == "json":
        print_json(clock)
    else:
        click.echo(clock["now"])
    if not clock["met"]:
        raise MemkubeError(f"the clock has advanced, but the condition was not met: {' '.join(until or ())}")


@clock.command()
@argument(
    "client", nargs=-1, help="Names of the clients: their user agents up to the slash. All clients if none is given."
)
@click.option("--timeout", default="10s", help="Maximum real time to wait, such as 10s.")
@server_option
def settle(client: tuple[str, ...], timeout: str, server: str) -> None:
    """Wait until clients have received all events of their watches and send no more requests.

    Example::

        memkube clock settle my-operator
    """
    ControlApi.of(server).post("/settle", {"clients": client, "timeoutSeconds": _seconds(timeout)})


def _seconds(length: str) -> float:
    try:
        return float(length)
    except ValueError:
        pass
    try:
        return parse_duration(length)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _pace(clock: Any) -> str:
    if clock["mode"] == "stepped":
        return "stepped"
    return "real" if clock["speed"] == 1 else f"x{clock['speed']:g}"
