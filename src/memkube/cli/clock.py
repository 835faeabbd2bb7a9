"""``memkube clock``: the time that a server lives by."""

from typing import Annotated, Any

import typer

from memkube.apimachinery.duration import parse_duration
from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import OutputOption, print_json
from memkube.errors import MemkubeError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Show a server's clock, or move it on.")


@app.command()
def show(server: ServerOption = "", output: OutputOption = "text") -> None:
    """Print the time, and how it goes.

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
    length: Annotated[str, typer.Argument(metavar="SECONDS", help="How far: 90, 1.5, or 1m30s.")],
    until: Annotated[
        tuple[str, str] | None, typer.Option(metavar="TYPE/NAME CONDITION", help="Stop where this holds first.")
    ] = None,
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Where the object is.")] = "default",
    client: Annotated[list[str] | None, typer.Option(help="Have this client settle at each instant.")] = None,
    server: ServerOption = "",
    output: OutputOption = "text",
) -> None:
    """Move a stepped clock on, and print the time then.

    It answers when all that fell due has happened, in its order. A condition is one of those of kubectl wait --for;
    the exit status is 1 where it does not come.

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
        raise MemkubeError(f"{' '.join(until or ())} has not come by then")


@app.command()
def settle(
    client: Annotated[
        list[str] | None, typer.Argument(help="What user agents say up to the slash; all if none.")
    ] = None,
    timeout: Annotated[str, typer.Option(help="How long to wait for them, on the wall.")] = "10s",
    server: ServerOption = "",
) -> None:
    """Wait until clients have been given everything and ask for nothing more.

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
        return "moves when it is told to"
    return "runs by itself" + ("" if clock["speed"] == 1 else f", {clock['speed']:g} times as fast as the wall's")
