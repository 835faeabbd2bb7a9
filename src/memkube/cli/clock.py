"""``memkube clock``: the time that a server lives by."""

from typing import Annotated, Any

import typer

from memkube.apimachinery.duration import parse_duration
from memkube.cli.control_api import ControlApi, ServerOption
from memkube.cli.output import OutputOption, print_json

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
    server: ServerOption = "",
    output: OutputOption = "text",
) -> None:
    """Move a stepped clock on, and print the time then.

    It answers when all that fell due has happened, in its order.

    Example::

        memkube clock advance 5m
    """
    clock = ControlApi.of(server).post("/clock/advance", {"seconds": _seconds(length)})
    if output == "json":
        print_json(clock)
    else:
        typer.echo(clock["now"])


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
