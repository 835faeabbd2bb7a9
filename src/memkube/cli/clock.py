"""``memkube clock``: shows and advances the clock of a server, and waits until clients have reacted."""

from typing import Annotated, Any

import typer

from memkube.apimachinery.duration import parse_duration
from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import OutputOption, print_json
from memkube.errors import MemkubeError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Show or advance the clock of a server.")


@app.command()
def show(server: ServerOption = "", output: OutputOption = "text") -> None:
    """Print the time and the mode of the clock.

    Example::

        memkube clock show
    """
    clock = ControlApi.of(server).get("/clock")
    if output == "json":
        print_json(clock)
    else:
        typer.echo(f"{clock['now']} {_pace(clock)}")


@app.command()
def advance(
    length: Annotated[
        str,
        typer.Argument(metavar="SECONDS", help="Duration to advance by, in seconds or with units: 90, 1.5, or 1m30s."),
    ],
    until: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="TYPE/NAME CONDITION",
            help="Stop once the object TYPE/NAME (such as pod/web) meets CONDITION (such as condition=Ready).",
        ),
    ] = None,
    namespace: Annotated[
        str, typer.Option("--namespace", "-n", help="Namespace of the object that --until names.")
    ] = "default",
    client: Annotated[
        list[str] | None,
        typer.Option(
            help="Before each step, wait until this client has received all events and is idle; may be repeated."
        ),
    ] = None,
    server: ServerOption = "",
    output: OutputOption = "text",
) -> None:
    """Advance a stepped clock, and print its new time.

    A stepped clock (option --clock stepped of the server) moves only when it is advanced. The command returns once all
    timers that are due by the new time have run, in order. CONDITION is as for kubectl wait --for; the exit status is 1
    if the condition is not met.

    Example::

        memkube clock advance 5m

        memkube clock advance 1h --until namespace/default create
    """
    asked: dict[str, Any] = {"seconds": _seconds(length), "clients": client or []}
    if until is not None:
        resource, _, name = until[0].partition("/")
        asked["until"] = {"resource": resource, "name": name, "namespace": namespace, "condition": until[1]}
    clock = ControlApi.of(server).post("/clock/advance", asked)
    if output == "json":
        print_json(clock)
    else:
        typer.echo(clock["now"])
    if not clock["met"]:
        raise MemkubeError(f"the clock has advanced, but the condition was not met: {' '.join(until or ())}")


@app.command()
def settle(
    client: Annotated[
        list[str] | None,
        typer.Argument(help="Names of the clients: their user agents up to the slash. All clients if none is given."),
    ] = None,
    timeout: Annotated[str, typer.Option(help="Maximum real time to wait, such as 10s.")] = "10s",
    server: ServerOption = "",
) -> None:
    """Wait until clients have received all events of their watches and send no more requests.

    Example::

        memkube clock settle my-operator
    """
    ControlApi.of(server).post("/settle", {"clients": client or [], "timeoutSeconds": _seconds(timeout)})


def _seconds(length: str) -> float:
    try:
        return float(length)
    except ValueError:
        pass
    try:
        return parse_duration(length)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _pace(clock: Any) -> str:
    if clock["mode"] == "stepped":
        return "stepped"
    return "real" if clock["speed"] == 1 else f"x{clock['speed']:g}"
